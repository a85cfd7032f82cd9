"""The other forms of a text with the same lines: line ends, and a byte order mark or none."""

from __future__ import annotations

import ast
import hashlib
from contextlib import suppress

_MARK = b"\xef\xbb\xbf"
_ENDS, _OF_MARK = "line ends", "a byte order mark"


def forms(data: bytes) -> dict[str, str]:
    """Return the hash (SHA-256) of each other form of a text, and in what only it differs."""
    has_mark = data.startswith(_MARK)
    text = data[len(_MARK) :] if has_mark else data
    unix = text.replace(b"\r\n", b"\n")
    found = {}
    for mark in (b"", _MARK):
        for lines in (unix, unix.replace(b"\n", b"\r\n")):
            parts = [_ENDS] if lines != text else []
            parts += [_OF_MARK] if bool(mark) != has_mark else []
            if parts and (not mark or _is_same_code(mark + lines, data)):
                found[hashlib.sha256(mark + lines).hexdigest()] = " and ".join(parts)
    return found


def difference(path: str, sha256: str) -> str:
    """Return in what only a file differs from the one with a hash; empty where in more or none."""
    with suppress(OSError), open(path, "rb") as file:
        return forms(file.read()).get(sha256, "")
    return ""


def _is_same_code(one: bytes, other: bytes) -> bool:
    """Return whether a mark changes nothing: before a line that names an encoding it may."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    return False
