"""Markdown and MDX: the commands in the code blocks for a shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.documents.code_blocks import SHELLS, parts_of
from rocmlint.formats.model import Parts
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(
    r"[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)\Z"
)
_SHELL_FENCE = re.compile(rf"(?:```|~~~)[ \t]*\{{?\.?(?:{'|'.join(SHELLS)})", re.IGNORECASE)
_LANGUAGE = re.compile(r"\{?\.?([\w+-]+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-{2,})[ \t]*\Z")
_NO_PARAGRAPH = re.compile(r"\s*(?:[#>|*+-]|\Z)")
"""Lines that no row of signs makes a heading."""


def parse(text: str) -> Parts:
    """Read a document, lines ended by ``\\n``."""
    # Most documents have no such block: to search them is faster than to go through their lines.
    return parts_of(_blocks(Excerpt.of(text))) if _SHELL_FENCE.search(text) else Parts()


def headings_above(text: str, line: int) -> list[str]:
    """Return the headings of the sections that a line (from 1) is in, the innermost first."""
    fence, before = "", ""
    found: list[tuple[int, str]] = []
    for each in text.split("\n")[: line - 1]:
        match = _FENCE.match(each)
        if match is not None and not fence:
            fence = match["fence"]
        elif fence:
            ends = match is not None and not match["info"].strip()
            fence = "" if ends and match and match["fence"].startswith(fence) else fence
        elif (heading := _heading(each, before)) is not None:
            found = [one for one in found if one[0] < heading[0]]
            found.append(heading)
        before = each
    return [title for _, title in reversed(found)]


def _heading(line: str, before: str) -> tuple[int, str] | None:
    """Return the level and the text of the heading that a line is, or makes of the one before."""
    match = _HEADING.match(line)
    if match is not None:
        return len(match[1]), match[2].strip()
    match = _UNDERLINE.match(line)
    if match is None or _NO_PARAGRAPH.match(before):
        return None
    return (1 if match[1] else 2), before.strip()


def _blocks(excerpt: Excerpt) -> Iterator[list[Excerpt]]:
    """Yield the lines of each block for a shell, less indented by as much as its fence is."""
    fence, indentation = "", 0
    block: list[Excerpt] | None = None
    for line in excerpt.lines():
        match = _FENCE.match(line.text)
        if not fence and match is not None:
            fence, indentation = match["fence"], match.start("fence")
            language = _LANGUAGE.match(match["info"])
            is_shell = language is not None and language[1].lower() in SHELLS
            block = [] if is_shell else None
        elif fence and match and not match["info"].strip() and match["fence"].startswith(fence):
            if block:
                yield block
            fence, block = "", None
        elif block is not None:
            before = line.text[:indentation]
            start = len(before) - len(before.lstrip(" \t>"))
            block.append(line.part(start, len(line.text)))
