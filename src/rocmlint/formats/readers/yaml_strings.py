"""Strings of YAML: from how they are written to what they are, character by character."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADER = compile_lazily(r"[|>][+-]?([1-9])?[+-]?([1-9])?[^\n]*\n?")
_ESCAPE = compile_lazily(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL
)
_DOUBLED = compile_lazily("''")
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_LAST_CHARACTER = 0x10FFFF


def block_text(written: Excerpt, indentation: int) -> Excerpt:
    """Read a block scalar: ``|`` keeps line ends, ``>`` folds them.

    ``indentation`` is that of the mapping or list that it stands in.
    """
    header = _HEADER.match(written.text)
    if header is None:
        return written
    lines = _lines(written.part(header.end(), len(written.text)))
    digit = header[1] or header[2]
    if digit is not None:
        width = indentation + int(digit)
    else:
        first = next((line.text for line in lines if line.text.strip()), "")
        width = len(first) - len(first.lstrip(" "))
    stripped = [line.part(min(width, len(line.text)), len(line.text)) for line in lines]
    while stripped and not stripped[-1].text.strip():
        stripped.pop()
    if written.text.startswith("|"):
        joined = [part for line in stripped for part in (line, _break(line, "\n"))]
    else:
        joined = list(_folded(stripped, keeps_indented=True))
    return Excerpt.joined(written.file, joined)


def flow_text(written: Excerpt) -> Excerpt:
    """Read a plain scalar, or one in quotes."""
    quote = written.text[:1] if written.text[:1] in ('"', "'") else ""
    if quote:
        written = written.part(1, max(len(written.text) - 1, 1))
    if "\n" in written.text:
        lines = _lines(written)
        last = len(lines) - 1
        stripped = [
            _stripped(line, left=index > 0, right=index < last) for index, line in enumerate(lines)
        ]
        written = Excerpt.joined(
            written.file, _folded(stripped, keeps_indented=False, escapes=quote == '"')
        )
    if quote == '"':
        return written.replaced(_ESCAPE, _unescaped)
    if quote == "'":
        return written.replaced(_DOUBLED, lambda _: "'")
    return written


def _lines(written: Excerpt) -> list[Excerpt]:
    found: list[Excerpt] = []
    start = 0
    for line in written.text.split("\n"):
        found.append(written.part(start, start + len(line)))
        start += len(line) + 1
    return found


def _stripped(line: Excerpt, *, left: bool, right: bool) -> Excerpt:
    text = line.text
    start = len(text) - len(text.lstrip(" \t")) if left else 0
    end = len(text.rstrip(" \t")) if right else len(text)
    return line.part(start, max(start, end))


def _folded(
    lines: list[Excerpt], *, keeps_indented: bool, escapes: bool = False
) -> Iterable[Excerpt]:
    """Join lines: by a blank where both hold text, else by as many breaks as are empty between."""
    before: Excerpt | None = None
    empty = 0
    for line in lines:
        if not line.text:
            empty += 1
            continue
        if before is not None:
            indented = keeps_indented and (before.text[0] in " \t" or line.text[0] in " \t")
            if escapes and _is_continued(before.text) and not empty:
                yield before.part(0, len(before.text) - 1)
            else:
                yield before
                breaks = empty + indented
                yield _break(before, "\n" * breaks if breaks else " ")
        elif empty:
            yield _break(line, "\n" * empty, at_start=True)
        before, empty = line, 0
    if before is not None:
        yield before


def _is_continued(text: str) -> bool:
    """Return whether a line ends in a backslash that is not escaped itself."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _break(line: Excerpt, text: str, *, at_start: bool = False) -> Excerpt:
    """Make what stands between a line and the next."""
    if not line.ends:
        return Excerpt.standing_for(line.file, text, 0, 0)
    place = line.starts[0] if at_start else line.ends[-1]
    return Excerpt.standing_for(line.file, text, place, place)


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _ESCAPED.get(match[4], match[4])
    return chr(min(int(digits, 16), _LAST_CHARACTER))
