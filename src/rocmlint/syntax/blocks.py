"""Cutting a text at its statements, without a parser."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rocmlint.text.text import without_strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.text.text import Text

_CONTINUES = r"(?:else|elif|except|finally)\b"
_FORMATTED = re.compile(r"[\"'](?:(?<=[fFtT].)|(?<=[fFtT][rR].))")


@dataclass(frozen=True)
class Block:
    """A stretch of the file: ``text[start:end]``, whole lines."""

    start: int
    end: int


def blocks_of(text: Text, area: Block, indent: str) -> Iterator[Block]:
    """Cut an area into the statements at this indent.

    What stands before the first statement goes with it.
    """
    starts = starts_of_statements(text, area, indent)
    starts[:1] = [area.start] if starts else []
    for start, end in zip(starts, [*starts, area.end][1:], strict=True):
        yield Block(start, end)


def starts_of_statements(text: Text, area: Block, indent: str) -> list[int]:
    """Return where the lines of an area begin that begin a statement at this indent.

    A decorated definition begins with its first decorator.
    """
    code = text.code
    found: list[int] = []
    decorated = False
    above, depth = area.start, 0
    for match in _first_of_statement(indent).finditer(code, area.start, area.end):
        start = match.start()
        depth = max(0, depth + _deepening(text, above, start, depth))
        above = start
        if depth:
            continue  # what stands in brackets may begin anywhere
        if not decorated:
            found.append(start)
        decorated = code.startswith("@", start + len(indent))
    return found


def block_at(blocks: Sequence[Block], offset: int) -> Block | None:
    """Return the block with the character at an offset."""
    index = bisect_right(blocks, offset, key=lambda block: block.start) - 1
    return blocks[index] if index >= 0 and offset < blocks[index].end else None


@cache
def _first_of_statement(indent: str) -> re.Pattern[str]:
    indent = re.escape(indent)
    return re.compile(rf"^{indent}(?!{_CONTINUES})(?=[^\s#)\]}}])(?<!\\\n{indent})", re.MULTILINE)


def _deepening(text: Text, start: int, end: int, depth: int) -> int:
    """Count the brackets that a stretch leaves open, negative where it closes some of ``depth``."""
    code = text.code
    opened = sum(code.count(bracket, start, end) for bracket in "([{")
    deeper = opened - sum(code.count(bracket, start, end) for bracket in ")]}")
    if not (deeper or depth) or _FORMATTED.search(code, start, end) is None:
        return deeper
    # Those in the words of an f-string are none.
    data = without_strings(text.text[start:end].encode(errors="replace"))
    opened = sum(map(data.count, (b"(", b"[", b"{")))
    return opened - sum(map(data.count, (b")", b"]", b"}")))
