"""From the bytes of a file to the text that is linted, whatever its format."""

from __future__ import annotations

import codecs
import io
import tokenize

from rocmlint.formats import Role, has_role, is_notebook, is_python
from rocmlint.text.text import decode, named_encoding, with_plain_ends

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""What PowerShell's ``pip freeze > requirements.txt`` writes is UTF-16, and pip reads it."""
_ANY_BYTES = "latin-1"
"""The encoding that has a character for each byte: commands keep their places."""


def text_of(path: str, data: bytes) -> str:
    r"""Decode a file and make every line end ``\n``; of a notebook give the code of its cells.

    Raises SyntaxError and ValueError for what cannot be decoded, or is not a notebook.
    """
    if is_notebook(path):
        from rocmlint.notebook.read import read  # noqa: PLC0415 - few files are notebooks

        return read(data).text
    if is_python(path, data):
        return decode(data)
    return with_plain_ends(data.decode(encoding_of(path, data)))


def encoding_of(path: str, data: bytes) -> str:
    """Return the encoding of a file that is not a notebook.

    Raises SyntaxError where a Python file says what cannot be.
    """
    if is_python(path, data):
        return named_encoding(data)
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    if not has_role(path, Role.ANY_BYTES, data) or _is_utf8(data):
        return "utf-8"
    try:
        tokenize.detect_encoding(io.BytesIO(data).readline)  # its lines have to be UTF-8, too
        named = named_encoding(data)
    except SyntaxError:
        return _ANY_BYTES
    # A batch file is in the code page of the system, which it does not name.
    return named if has_role(path, Role.OF_PIP) or _is_in(named, data) else _ANY_BYTES


def _is_utf8(data: bytes) -> bool:
    return _is_in("utf-8", data)


def _is_in(encoding: str, data: bytes) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
