"""The subject of a question: the model of a factory, or the one that a folder describes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocmlint.interpreter.ask import Interpreter

SHOWN = 12
"""How many things of a kind are named as evidence."""


@dataclass(frozen=True)
class ModelSubject:
    """A model and what belongs to it; one of ``factory`` and ``config`` is not None."""

    factory: str | None
    """``package.module:callable``; it is called without arguments."""
    config: str | None = None
    """A folder with a config.json."""
    device: str | None = None
    """Where the model is put; None leaves it to the factory."""


@dataclass(frozen=True)
class Asking:
    """Who is asked about what; ``progress`` is called with how far the answer has come."""

    interpreter: Interpreter
    subject: ModelSubject
    progress: Callable[[str], None] | None = None

    def ask(self, task: str, **more: Any) -> dict[str, Any]:
        """Return the facts of one check. Raises InterpreterError."""
        request = {**asdict(self.subject), **more}
        answer: dict[str, Any] = self.interpreter.ask(f"model.{task}", request, self.progress)
        return answer


def about(answer: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """Return on what an answer rests: versions, and how the model was built."""
    return tuple(Evidence("with", each) for each in answer["notes"])


def not_seen(check: str, claim: str, answer: Mapping[str, Any], action: str) -> Result:
    """Return that a claim is unproven for what ``missing`` of an answer says."""
    judged = Judgement("unproven", "live", "not checked", answer["missing"], action)
    return judged.on(check, claim, answer["model"], about(answer))
