"""reStructuredText: the commands in the code blocks for a shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.documents.code_blocks import SHELLS, parts_of
from rocmlint.formats.model import Parts
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\.[ \t]+(?:code-block|code|sourcecode|prompt)::[ \t]*(?P<language>[\w-]*)"
)
_LITERAL = re.compile(r"(?P<indent>[ \t]*)(?!\.\.[ \t]+\S+::)(?:\S.*)?::[ \t]*\Z")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+\.|#\.)[ \t]+")
_OPTION = re.compile(r"[ \t]*:[\w-]+:")
_COMMAND = re.compile(
    r"[ \t]*(?:\$[ \t]+|(?:sudo[ \t]+)?(?:pip3?|conda|uv|python3?|docker|export|apt(?:-get)?)[ \t])"
)
"""How the first line begins of a literal block that is for a shell, though it names no language."""
_RULE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}[ \t]*\Z")
"""What underlines a title."""


def parse(text: str) -> Parts:
    """Read a document, lines ended by ``\\n``."""
    return parts_of(_blocks(Excerpt.of(text))) if "::" in text else Parts()


def headings_above(text: str, line: int) -> list[str]:
    """Return the headings of the sections that a line (from 1) is in, the innermost first."""
    found: list[tuple[int, str]] = []
    levels: list[str] = []
    before = ""
    for each in text.split("\n")[: line - 1]:
        title = before.strip()
        match = _RULE.match(each)
        if match and title and not before[:1].isspace() and not _RULE.match(before):
            if match[1] not in levels:
                levels.append(match[1])
            level = levels.index(match[1])
            found = [one for one in found if one[0] < level]
            found.append((level, title))
        before = each
    return [title for _, title in reversed(found)]


def _blocks(excerpt: Excerpt) -> Iterator[list[Excerpt]]:
    """Yield the lines of each block for a shell, without the indentation of the first."""
    outside: int | None = None
    is_named = False
    block: list[Excerpt] = []
    for line in excerpt.lines():
        text = line.text
        if outside is not None:
            if not text.strip():
                continue
            if _indent(text) > outside:
                if block or not _OPTION.match(text):
                    block.append(line)
                continue
            yield from _for_a_shell(block, is_named=is_named)
            outside, block = None, []
        directive = _DIRECTIVE.match(text)
        if directive is not None and directive["language"].lower() in SHELLS:
            outside, is_named = _indent(text), True
        elif directive is None and _LITERAL.match(text):
            item = _ITEM.match(text)
            outside, is_named = item.end() if item else _indent(text), False
    yield from _for_a_shell(block, is_named=is_named)


def _for_a_shell(block: list[Excerpt], *, is_named: bool) -> Iterator[list[Excerpt]]:
    """Yield a block, if its directive or its first line says that it is for a shell."""
    if block and (is_named or _COMMAND.match(block[0].text)):
        indent = _indent(block[0].text)
        yield [each.part(min(indent, _indent(each.text)), len(each.text)) for each in block]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))
