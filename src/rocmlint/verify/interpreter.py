"""Asking another interpreter: one child process for each question, with a time limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.errors import RocmlintError
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping

INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
NAME_INSIDE = "rocmlint_inside"
"""What the package ``inside`` is called in the child."""

LOAD_INSIDE = f"""\
import importlib.util, sys
def load_inside(folder):
    spec = importlib.util.spec_from_file_location(
        {NAME_INSIDE!r}, folder + "/__init__.py", submodule_search_locations=[folder])
    module = sys.modules[{NAME_INSIDE!r}] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
"""
"""Defines ``load_inside(folder)`` in any interpreter, whatever its ``sys.path``."""

_ASK = f"""\
{LOAD_INSIDE}
if sys.version_info < (3, 9):
    sys.exit("rocmlint verify needs Python 3.9 or later, this is " + sys.version.split()[0])
arguments, sys.argv = sys.argv[1:], ["-c"]
load_inside(arguments[0]).main(*arguments[1:])
"""
_TAIL = 2000
"""How many characters of what a failed child printed are told."""


class InterpreterError(RocmlintError):
    """The interpreter could not be started, failed, or took longer than its limit."""


@dataclass(frozen=True)
class Interpreter:
    """A Python to be asked, in the state in which ``python -m`` would run there.

    ``sys.path`` begins with the current folder, as under ``python -m`` and ``python -c``.
    """

    python: str = sys.executable
    timeout: float = 120.0
    """Seconds for one question."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables laid over those of this process."""

    def ask(self, task: str, request: object = None) -> Any:
        """Run ``answer(request)`` of the module ``inside.<task>`` there and give what it gives.

        What the child prints goes to stderr. Raises InterpreterError.
        """
        with tempfile.TemporaryDirectory(prefix="rocmlint-") as folder:
            question, answer = (os.path.join(folder, name) for name in ("request", "answer"))
            with open(question, "w", encoding="utf-8") as file:
                json.dump(request, file)
            command = [self.python, "-X", "faulthandler", "-c", _ASK]
            printed, code = self._run([*command, INSIDE, task, question, answer])
            return self._read(answer, printed, code)

    def _run(self, command: list[str]) -> tuple[str, int]:
        """Run to the end or the time limit, and leave no process behind.

        Gives what was printed, and the exit code (negative for a signal).
        """
        try:
            child = subprocess.Popen(
                command,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="backslashreplace",
                start_new_session=True,
            )
        except OSError as error:
            message = f"--python {self.python}: cannot be started: {error.strerror}"
            raise InterpreterError(message) from error
        try:
            printed, _ = child.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired as error:
            message = f"{self.python} gave no answer within {self.timeout:g} s (see --timeout)"
            raise InterpreterError(message) from error
        finally:
            _end_group(child)
        return printed, child.returncode

    def _read(self, path: str, printed: str, code: int) -> Any:
        try:
            with open(path, encoding="utf-8") as file:
                answer = json.load(file)
        except OSError:
            how = f"was ended by {signal.Signals(-code).name}" if code < 0 else "ended"
            tail = printed.strip()[-_TAIL:] or "it printed nothing"
            message = f"{self.python} {how} without an answer: {tail}"
            raise InterpreterError(message) from None
        if printed:
            sys.stderr.write(printed)
        if "error" in answer:
            message = f"in {self.python}: {answer['error']}\n{answer['traceback']}"
            raise InterpreterError(message)
        return answer["answer"]


def interpreter_evidence(asked: Mapping[str, str]) -> Evidence:
    """Name the interpreter that answered, by its ``executable`` and ``version``."""
    return Evidence("interpreter", f"{asked['executable']} ({asked['version']})")


def _end_group(child: subprocess.Popen[str]) -> None:
    """End whatever the child left running."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
