"""What runs in the user's interpreter: standard library only, and nothing else of rocmlint.

The parent (:mod:`rocmlint.verify.interpreter`) starts the interpreter, which loads this package by
its path, so that neither rocmlint nor a changed ``sys.path`` is needed there. Each module here with
a function ``answer(request)`` can be asked: it gets and gives what JSON can hold. Inside this
package imports are relative, since its name differs where a program imports rocmlint itself.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from contextlib import suppress


def main(task: str, request_path: str, answer_path: str) -> None:
    """Answer one request of the parent; what goes wrong is an answer too."""
    with open(request_path, encoding="utf-8") as file:
        request = json.load(file)
    try:
        answer = {"answer": importlib.import_module(f"{__name__}.{task}").answer(request)}
    except Exception as error:  # noqa: BLE001 - user code may raise anything; the parent tells it
        answer = {
            "error": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }
    try:
        write_json(answer_path, answer)
    except OSError as error:
        sys.exit(f"{answer_path}: cannot be written: {error.strerror}")
    sys.stdout.flush()


def write_json(path: str, value: object) -> None:
    """Write a file whole or not at all, so that a reader never sees half of it."""
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with open(temporary, "w", encoding="utf-8", errors="backslashreplace") as file:
            json.dump(value, file)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
