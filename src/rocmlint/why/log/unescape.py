"""Logs in other texts: JSON (notebooks, docker, cloud loggers), a repr, one pasted line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_START = "Traceback (most recent call last)"
_ESCAPED_LINE = re.compile(r"\\n(?=\s{0,40}(?:File |Traceback|\w[\w.]{0,100}(?:Error|Exception)))")
_DRIVE = re.compile(r"\b[A-Za-z]:\\(?!\\)")
"""A path of Windows, in which a backslash is no escape."""
_PASTED = re.compile(r"\s(?=File [\"'][^\"'\n]{1,300}[\"'], line \d)")
_MEMBER = re.compile(r"\"[\w.-]{1,60}\": ?(?=\")")
_QUOTE_AT_END = re.compile(r"\n[\"'\])},\s]{1,10}$")
_LARGEST = 4_000_000
"""Characters of JSON that are parsed at once."""
_DEEPEST = 20


def lines_of(text: str) -> list[str]:
    """Split a text into the lines that a program printed."""
    text = text.lstrip("\ufeff\0").strip("\n")
    if "\n" not in text and "\r" in text:
        text = text.replace("\r", "\n")
    document = _of_json(text.strip()) if text[:1] in {"{", "["} else None
    if document is not None:
        return [line for each in document for line in each.split("\n")]
    is_one = "\n" not in text
    return [
        piece for line in text.split("\n") for piece in _pieces(line, is_one=is_one).split("\n")
    ]


def _pieces(line: str, *, is_one: bool) -> str:
    """Return the lines that one line holds; ``is_one`` says that it is all there is."""
    if "\\" in line:
        found = _of_json(line.strip().rstrip(","))
        if found is not None:
            return "\n".join(found)
        if (is_one and _DRIVE.search(line) is None) or _ESCAPED_LINE.search(line) is not None:
            line = line.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
            line = _QUOTE_AT_END.sub("", line)
    if _START in line and ' File "' in line:
        line = _PASTED.sub("\n  ", line)
    return line


def _of_json(line: str) -> list[str] | None:
    """Return the texts in a line of JSON, else None; a notebook has one string in each line."""
    member = _MEMBER.match(line)
    line = line[member.end() :] if member is not None else line
    if line[:1] not in {'"', "{", "["} or line[-1] not in '"}]' or len(line) > _LARGEST:
        return None
    try:
        return list(_texts(json.loads(line), _DEEPEST))
    except (ValueError, RecursionError):
        return None


def _texts(document: object, depth: int) -> Iterator[str]:
    """Yield the strings of a document that are sentences or lines, not names or times."""
    if isinstance(document, str):
        if " " in document or "\n" in document:
            yield document.removesuffix("\n")
    elif depth and isinstance(document, dict):
        for each in document.values():
            yield from _texts(each, depth - 1)
        name, value = document.get("ename"), document.get("evalue")
        if isinstance(name, str) and isinstance(value, str) and not document.get("traceback"):
            yield f"{name}: {value}"
    elif depth and isinstance(document, list):
        for each in document:
            yield from _texts(each, depth - 1)
