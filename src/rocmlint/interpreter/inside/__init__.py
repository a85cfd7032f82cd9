"""Code that runs in the user's interpreter: standard library only, nothing else of rocmlint.

The parent (:mod:`rocmlint.interpreter.ask`) starts the interpreter, which loads this package by
its path, so that neither rocmlint nor a changed ``sys.path`` is needed there. Each module here with
a function ``answer(request)`` can be asked: it gets and gives what JSON can hold. Inside this
package imports are relative, since its name differs where a program imports rocmlint itself.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from contextlib import suppress


class CannotAnswerError(Exception):
    """The question has no answer here, for a reason that a person can read as it is."""


def main(path: list[str], task: str, request_path: str, answer_path: str) -> None:
    """Answer one request of the parent; what goes wrong is an answer too.

    ``path`` is what ``python -m`` would have as ``sys.path``; that has the standard library only.
    """
    from . import progress, search  # noqa: PLC0415 - a witness needs neither

    search.begin(path)
    progress.begin(f"{answer_path}.progress")
    with open(request_path, encoding="utf-8") as file:
        request = json.load(file)
    try:
        answer = {"answer": importlib.import_module(f"{__name__}.{task}").answer(request)}
    except CannotAnswerError as error:
        answer = {"error": str(error), "traceback": ""}
    except Exception as error:  # noqa: BLE001 - user code may raise anything; the parent tells it
        answer = {"error": f"{type(error).__name__}: {error}", "traceback": _traceback(error)}
    try:
        write_json(answer_path, answer)
    except OSError as error:
        sys.exit(f"{answer_path}: cannot be written: {error.strerror}")
    sys.stdout.flush()


def _traceback(error: Exception) -> str:
    """Return where user code raised, from its first frame on; else where this package did."""
    import traceback  # noqa: PLC0415 - slow to import, and seldom needed

    ours, frames = (os.path.dirname(__file__), "<frozen importlib", importlib.__file__), None
    found = error.__traceback__
    while found is not None and frames is None:
        if not found.tb_frame.f_code.co_filename.startswith(ours):
            frames = found
        found = found.tb_next
    return "".join(traceback.format_exception(type(error), error, frames or error.__traceback__))


def _opened_privately(path: str, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    if hasattr(os, "fchmod"):  # on Windows from Python 3.13 on
        os.fchmod(descriptor, 0o600)
    return descriptor


def write_json(path: str, value: object, *, private: bool = False) -> None:
    """Write a file whole or not at all, so that a reader never sees half of it.

    What is ``private`` is for this user alone, whatever the umask says.
    """
    temporary = f"{path}.{os.getpid()}.part"
    try:
        opener = _opened_privately if private else None
        with open(
            temporary, "w", encoding="utf-8", errors="backslashreplace", opener=opener
        ) as file:
            json.dump(value, file)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
