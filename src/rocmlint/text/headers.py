"""The blocks of Python around a place, as their first lines say: no parser is needed for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = re.compile(
    r"(?:async[ \t]+)?(?:(def|class|while|with|try|except|finally|elif)\b"
    r"|(for|if|else|match|case)\b.*:\Z)"
)
"""Those of the second line may also begin a line inside an expression."""
_ONE_LINE = re.compile(
    r"(?:async[ \t]+)?"
    r"(?:def|class|while|with|try|except|finally|elif|for|if|else|match|case)\b"
)


class Header(NamedTuple):
    """The first line of a block around a place."""

    keyword: str
    """Such as ``for``; empty where the line does not say by itself what it is."""
    start: int
    """Where the line begins."""
    text: str


def headers_above(code: str, offset: int) -> Iterator[Header]:
    """Yield the first lines of the blocks around a place in code, the innermost first.

    ``code`` has neither comments nor the inside of strings. A line that belongs to a longer
    statement has no keyword, and neither has one that tabs indent.
    """
    start = code.rfind("\n", 0, offset) + 1
    end = code.find("\n", offset)
    line = code[start : end if end >= 0 else len(code)]
    limit = _indentation(line)
    if _ONE_LINE.match(line.strip()) or "\t" in line[:limit]:
        yield Header("", start, line.strip())
    while limit > 0 and start > 0:
        end = start - 1
        start = code.rfind("\n", 0, end) + 1
        line = code[start:end]
        text = line.strip()
        indentation = _indentation(line)
        if not text or indentation >= limit:
            continue
        # The line that opens what a bracket closes is indented alike.
        limit = indentation + (text[0] in ")]}")
        if limit == indentation:
            header = _HEADER.match(text)
            known = header is not None and "\t" not in line[:indentation]
            yield Header((header[1] or header[2]) if header and known else "", start, text)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
