"""Questions about an export, in their order, and in processes that share nothing."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.interpreter.ask import Interpreter

_TASK = "exporting"


@dataclass(frozen=True)
class ExportQuestion:
    """A model, and how it is exported; one of ``factory`` and ``config`` is not None."""

    factory: str | None
    """``package.module:callable``."""
    config: str | None = None
    """A folder with a config.json."""
    strict: tuple[bool, ...] = (False,)
    """The modes of torch.export."""
    onnx: bool = False
    plain: bool = False
    """Without a session: no registrations, no patches."""
    memory: float | None = None
    """Gigabytes that a child may allocate."""

    @property
    def name(self) -> str:
        """Return what the question is about."""
        return self.factory or os.path.basename(str(self.config).rstrip("/")) or str(self.config)

    def request(self, step: str, folder: str = "") -> dict[str, Any]:
        """Return what a child is asked."""
        return {
            "step": step,
            "folder": folder,
            "factory": self.factory,
            "config": os.path.abspath(self.config) if self.config else None,
            "strict": list(self.strict),
            "onnx": self.onnx,
            "plain": self.plain,
            "memory": self.memory,
        }


@dataclass(frozen=True)
class ExportFacts:
    """The behavior of the model by itself, and that of its program."""

    reference: dict[str, Any]
    program: dict[str, Any]


def asked(
    question: ExportQuestion,
    interpreter: Interpreter,
    progress: Callable[[str], None] | None = None,
) -> ExportFacts:
    """Run the model in one process, and its program in another. Raises InterpreterError.

    The first knows no patches and no registrations, and leaves its results in a temporary folder.
    """
    with tempfile.TemporaryDirectory(prefix="rocmlint-export-") as folder:
        reference = interpreter.ask(_TASK, question.request("reference", folder), progress)
        program = interpreter.ask(_TASK, question.request("program", folder), progress)
    return ExportFacts(reference, program)


def probed(
    question: ExportQuestion,
    interpreter: Interpreter,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Return the lines at which the model reads a value from a tensor. Raises InterpreterError."""
    answer: dict[str, Any] = interpreter.ask(_TASK, question.request("probe"), progress)
    return answer
