"""Asking another interpreter: one child process for each question, with a time limit."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.disk.read import MAXIMUM_READ, read_small
from rocmlint.errors import RocmlintError
from rocmlint.interpreter.child import Output, end_group, start_group
from rocmlint.interpreter.shapes import is_shaped
from rocmlint.text.words import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
NAME_INSIDE = "rocmlint_inside"
"""The name of the package ``inside`` in the child."""

LOAD_INSIDE = f"""\
import os, sys
def own_library():
    folder = os.path.dirname(os.__file__)
    return [folder] + [it for it in sys.path if os.path.basename(it) in ("lib-dynload", "DLLs")]
path, sys.path[:] = sys.path[:], own_library()
import importlib.util
def load_inside(folder):
    spec = importlib.util.spec_from_file_location(
        {NAME_INSIDE!r}, folder + "/__init__.py", submodule_search_locations=[folder])
    module = sys.modules[{NAME_INSIDE!r}] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
"""
"""Defines ``load_inside(folder)`` in any interpreter.

Leaves the standard library on ``sys.path``, alone, and what was there in ``path``: the current
folder and PYTHONPATH may have modules of its names. ``os`` is what Python itself has loaded.
"""

_TOO_OLD = "rocmlint needs Python"
"""How an interpreter begins that is too old to be asked."""
_START = f"""\
import sys
if sys.version_info < (3, 9):
    sys.exit("{_TOO_OLD} 3.9 or later, this is " + sys.version.split()[0])
del __file__
{LOAD_INSIDE}
import faulthandler
faulthandler.enable(2)
arguments, sys.argv = sys.argv[1:], ["-c"]
if not getattr(sys.flags, "safe_path", False):
    path[0] = os.getcwd()
load_inside(arguments[0]).main(path, *arguments[1:])
"""
"""A file, since for ``-c`` Python 3.13 and later import linecache, from the current folder. It
takes its ``__file__`` away: children that multiprocessing starts would run it again.
"""
_TAIL = 2000
"""How many characters of the output of a failed child are reported."""
_SHOWN = 100
"""Characters of why an answer is not JSON."""
_NOT_OURS = "something other than rocmlint wrote it"
_ERROR = {"error": str, "traceback": str}
_MOST_PRINTED = 50_000_000
"""Bytes; what prints more has no end, and would fill the memory."""
_LIBC = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
_GRACE = 1.0
"""Seconds that a child has to end once it has answered; threads and forks of a package may stay."""


class InterpreterError(RocmlintError):
    """The interpreter could not be started, failed, or took longer than its limit."""


class TooOldError(InterpreterError):
    """The interpreter is there, and of a Python that rocmlint does not run in."""


class TooSlowError(InterpreterError):
    """No answer came within the time limit."""


@dataclass(frozen=True)
class Interpreter:
    """A Python to be asked, in the state in which ``python -m`` would run there.

    Its ``sys.path`` begins with the current folder then. What is asked of files looks through it
    and runs nothing; only a task that is to run code imports along it (:mod:`.inside.search`).
    """

    python: str = sys.executable
    timeout: float = 120.0
    """Seconds for one question."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables laid over those of this process."""
    announce: Callable[[], None] | None = field(default=None, compare=False)
    """Called before each question, to say once which interpreter is asked."""

    def ask(
        self,
        task: str,
        request: object = None,
        progress: Callable[[str], None] | None = None,
        *,
        shape: object = object,
    ) -> Any:
        """Run ``answer(request)`` of the module ``inside.<task>`` there and give what it gives.

        What the child prints goes to stderr. ``progress`` is called about once a second with how
        far it has come, if the task says so (:mod:`.inside.progress`). Raises InterpreterError,
        also for an answer that does not have the ``shape`` (:mod:`.shapes`).
        """
        document, printed = self._document(task, request, progress)
        with suppress(OSError):  # a full or closed stderr is no reason to keep the answer back
            sys.stderr.write(printed)
        return self._answer(document, shape)

    def ask_quietly(
        self, task: str, request: object = None, *, shape: object = object
    ) -> tuple[Any, str]:
        """Do what ``ask`` does; give what the child printed in place of showing it."""
        document, printed = self._document(task, request, None)
        return self._answer(document, shape), printed

    def _document(
        self, task: str, request: object, progress: Callable[[str], None] | None
    ) -> tuple[Any, str]:
        """Return what the child wrote as its answer, and what it printed."""
        if self.announce is not None:
            self.announce()
        with tempfile.TemporaryDirectory(prefix="rocmlint-") as folder:
            names = ("start.py", "request", "answer")
            start, question, answer = (os.path.join(folder, name) for name in names)
            try:
                with open(start, "w", encoding="utf-8") as file:
                    file.write(_START)
                with open(question, "w", encoding="utf-8") as file:
                    json.dump(request, file)
            except OSError as error:
                message = f"{folder}: cannot be written: {error.strerror}"
                raise InterpreterError(message) from error
            command = [self.python, start, INSIDE, task, question, answer]
            printed, code = self._run(command, answer, progress)
            return self._read(answer, printed, code), printed

    def _run(
        self, command: list[str], answer: str, progress: Callable[[str], None] | None
    ) -> tuple[str, int]:
        """Run to the answer, the end or the time limit, and leave no process behind.

        Gives what was printed, and the exit code (negative for a signal).
        """
        try:
            child = start_group(
                command,
                {**os.environ, **self.environment},
                stderr=subprocess.STDOUT,
                before=None if _LIBC is None else _end_with_parent,
            )
        except OSError as error:
            why = (
                "a directory is not an interpreter"
                if os.path.isdir(self.python)
                else error.strerror
            )
            message = f"--python {self.python}: cannot be started: {why}"
            raise InterpreterError(message) from error
        try:
            printed = self._printed(child, answer, progress)
        finally:
            end_group(child)
        return printed.decode(errors="backslashreplace"), child.returncode

    def _printed(
        self,
        child: subprocess.Popen[bytes],
        answer: str,
        progress: Callable[[str], None] | None,
    ) -> bytes:
        """Wait for the child, but not for what it leaves running; give what was printed."""
        until = time.monotonic() + self.timeout
        output, is_over = Output(child, _MOST_PRINTED), False
        while not is_over:
            is_over = os.path.exists(answer) or child.poll() is not None
            left = max(until - time.monotonic(), 0)
            try:
                output.wait(min(left, _GRACE))
                break
            except OverflowError as error:
                message = f"{self.python} printed more than {_MOST_PRINTED:,} bytes"
                raise InterpreterError(message) from error
            except subprocess.TimeoutExpired as error:
                if progress is not None:
                    _show(f"{answer}.progress", progress)
                if not is_over and left < _GRACE:
                    message = f"{self.python} did not answer within {self.timeout:g} s"
                    raise TooSlowError(f"{message} (see --timeout)") from error
        return b"".join(output.printed.values())

    def _read(self, path: str, printed: str, code: int) -> Any:
        try:
            document = json.loads(read_small(path, MAXIMUM_READ))
        except FileNotFoundError:
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else "ended"
            message = f"{self.python} {how} without an answer: {_last_words(printed, code)}"
            is_old = printed.startswith(_TOO_OLD)
            raise (TooOldError if is_old else InterpreterError)(message) from None
        except OSError as error:
            message = f"{self.python}: its answer cannot be read: {error.strerror}"
            raise InterpreterError(message) from error
        except (ValueError, RecursionError) as error:
            message = f"{self.python}: its answer is not JSON: {shortened(str(error), _SHOWN)}"
            raise InterpreterError(message) from error
        return document

    def _answer(self, document: Any, shape: object) -> Any:
        if is_shaped(document, _ERROR):
            message = f"{self.python}: {document['error']}\n{document['traceback']}"
            raise InterpreterError(message.rstrip())
        if not is_shaped(document, {"answer": shape}):
            message = f"{self.python}: its answer is not one to the question: {_NOT_OURS}"
            raise InterpreterError(message)
        return document["answer"]


def _show(path: str, progress: Callable[[str], None]) -> None:
    """Show how far a child has come, where it says so."""
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        progress(file.read(_TAIL))


def _end_with_parent() -> None:
    """Have a child end when this process is killed, or gets a signal while it starts the child."""
    if _LIBC is not None:
        _LIBC.prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)


def _last_words(printed: str, code: int) -> str:
    """Return the output of a child, its last line first: there an error is reported."""
    tail = printed.strip()[-_TAIL:]
    before, _, last = tail.rpartition("\n")
    if not tail:
        return f"it printed nothing (exit code {code})"
    return f"{last.strip()}\n{before}" if before else last
