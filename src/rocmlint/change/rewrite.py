"""Writing a file back: encoded as it was, whole or not at all."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.write import write_atomically
from rocmlint.errors import RewriteError
from rocmlint.formats import is_notebook
from rocmlint.source.decoding import encoding_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\r|\n")


def encode_like(path: str, data: bytes, text: str) -> bytes:
    """Encode a changed text as the file with these bytes is: its encoding, BOM and line ends.

    Lines that were there keep their own ends, new ones get the most frequent. ``data`` must
    be what :func:`rocmlint.source.decoding.text_of` takes. Raises RewriteError.
    """
    if is_notebook(path):
        from rocmlint.notebook.write import put_back  # noqa: PLC0415 - few files are notebooks

        return put_back(data, text)
    before, encoding = text_of(path, data), encoding_of(path, data)
    characters = data.decode(encoding)
    mark = "\ufeff" if characters.startswith("\ufeff") else ""
    ends = _LINE_END.findall(characters)
    after = _encode(before, text, ends, encoding, mark)
    if _encode(before, before, ends, encoding, mark) != data or not _reads_as(path, after, text):
        message = f"its text cannot be written back unchanged as {encoding}"
        raise RewriteError(message)
    return after


def save(path: str, before: bytes, after: bytes) -> None:
    """Write new content to a file if it still has the old one. Raises RewriteError.

    A link stays a link; the file keeps its mode and, where the system allows it, its owner.
    """
    target = os.path.realpath(path)
    try:
        with open(target, "r+b") as file:  # a read-only file shall stay as it is
            if file.read() != before:
                message = "it was changed while rocmlint was running; run rocmlint again"
                raise RewriteError(message)
            status = os.fstat(file.fileno())
        write_atomically(target, after, like=status)
    except OSError as error:
        raise RewriteError(error.strerror or str(error)) from error


def _encode(before: str, text: str, ends: list[str], encoding: str, mark: str) -> bytes:
    try:
        return (mark + _with_ends(before, text, ends)).encode(encoding)
    except UnicodeEncodeError as error:
        characters = error.object[error.start : error.end]
        message = f"the change needs {characters!a}, which {encoding} cannot encode"
        raise RewriteError(message) from error


def _reads_as(path: str, data: bytes, text: str) -> bool:
    try:
        return text_of(path, data) == text
    except (SyntaxError, ValueError):
        return False


def _with_ends(before: str, text: str, ends: list[str]) -> str:
    r"""Put back the line ends of the original (``before`` is its text with ``\n`` ends)."""
    if len(set(ends)) <= 1:
        return text.replace("\n", ends[0]) if ends else text
    lines = text.split("\n")
    kept = [*_ends_of(before.split("\n"), lines, ends)]
    return "".join(
        line + end for line, end in zip(lines, [*kept[: len(lines) - 1], ""], strict=True)
    )


def _ends_of(before: list[str], after: list[str], ends: list[str]) -> Iterator[str]:
    from difflib import SequenceMatcher  # noqa: PLC0415 - few files mix line ends

    usual = max(sorted(set(ends)), key=ends.count)
    of_line = [*ends, usual]
    for _, start, stop, first, last in SequenceMatcher(None, before, after).get_opcodes():
        for old in range(start, start + last - first):
            yield of_line[old] if old < stop else usual
