"""Writing down what a session rewrites: each file before and after, and what was refused."""

from __future__ import annotations

import difflib
import json
import os
from typing import TYPE_CHECKING

from rocmlint.export.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.export.rewriting import RewrittenFile


def write_dump(files: Iterable[RewrittenFile], directory: str | os.PathLike[str]) -> None:
    """Write ``MODULE.py``, ``MODULE.diff`` and ``MODULE.json`` for each file. Raises ExportError.

    The JSON has the statements that depend on tensors: rewritten, or refused with the reason.
    """
    try:
        os.makedirs(directory, exist_ok=True)
        for each in files:
            for name, text in _texts(each):
                path = os.path.join(directory, f"{each.module}{name}")
                with open(path, "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
    except OSError as error:
        raise ExportError(f"cannot write to dump={os.fspath(directory)!r}: {error}") from None


def _texts(file: RewrittenFile) -> Iterable[tuple[str, str]]:
    before, after = file.rewritten.before, file.rewritten.text
    lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    yield ".py", after
    yield ".diff", "".join(difflib.unified_diff(*lines, file.path, f"{file.path} (rewritten)"))
    statements = [each.as_json() for each in file.statements]
    yield ".json", json.dumps({"file": file.path, "statements": statements}, indent=2) + "\n"
