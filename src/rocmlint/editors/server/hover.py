"""Which rule a place in a text names: in a comment that hides findings, or in a configuration."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.config.configuration import NAMES
from rocmlint.text.suppressions import IGNORE, NOQA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SELECTOR = re.compile(r"[A-Za-z][\w-]*")
_TABLE = re.compile(r"\s*\[+\s*(?P<name>[^\]#]*?)\s*\]")
_OWN_TABLE = re.compile(r"tool\s*\.\s*rocmlint\b")


def selector_at(path: str, lines: Sequence[str], line: int, offset: int) -> tuple[str, int] | None:
    """Return the selector (a code, its beginning, a name) at a place, and where it begins.

    ``line`` counts from 1, offsets from 0. None where the place names no rule.
    """
    if not 1 <= line <= len(lines):
        return None
    text = lines[line - 1]
    reaches = list(_suppressed(text))
    if _configures(path, lines, line):
        reaches.append((0, len(text)))
    for match in _SELECTOR.finditer(text):
        inside = any(start <= match.start() and match.end() <= end for start, end in reaches)
        if inside and match.start() <= offset <= match.end():
            return match[0], match.start()
    return None


def _suppressed(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (NOQA, IGNORE):
        for match in pattern.finditer(text):
            if match["listed"] is not None:
                yield match.span("listed")


def _configures(path: str, lines: Sequence[str], line: int) -> bool:
    """Return whether a line is part of a configuration of rocmlint."""
    name = os.path.basename(path)
    if name not in NAMES:
        return False
    if name != "pyproject.toml":
        return True
    headers = (_TABLE.match(each) for each in reversed(lines[:line]))
    header = next((each for each in headers if each is not None), None)
    return header is not None and bool(_OWN_TABLE.match(header["name"]))
