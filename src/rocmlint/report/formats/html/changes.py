"""Changes of a fix, as the lines of a small diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from rocmlint.report.frame import MORE, cut, first_shown
from rocmlint.text.secrets import with_starred_credentials
from rocmlint.text.visible import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Edit, Fix

MAXIMUM_LINES = 12
"""How many removed, and how many added lines are shown of each place."""
MAXIMUM_PLACES = 5


class ChangedLine(NamedTuple):
    """A line that is removed or added; without a sign, what stands for lines left out."""

    sign: Literal["-", "+", ""]
    text: str


def changes(fix: Fix, lines: Sequence[str]) -> Iterator[ChangedLine]:
    """Yield the lines that a fix removes and adds. None where the file has no such lines."""
    places = list(_places(sorted(fix.edits)))
    if any(edit.end_line > len(lines) + 1 for edit in fix.edits):
        return
    for index, edits in enumerate(places[:MAXIMUM_PLACES]):
        if index:
            yield ChangedLine("", MORE)
        yield from _hunk(edits, lines)
    if len(places) > MAXIMUM_PLACES:
        yield ChangedLine("", MORE)


def _places(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Yield the edits of lines that touch, together."""
    together: list[Edit] = []
    for edit in edits:
        if together and edit.line > max(each.end_line for each in together) + 1:
            yield together
            together = []
        together.append(edit)
    if together:
        yield together


def _hunk(edits: Sequence[Edit], lines: Sequence[str]) -> Iterator[ChangedLine]:
    first, last = edits[0].line, max(edit.end_line for edit in edits)
    old = list(lines[first - 1 : last])
    new = _applied(edits, old, first)
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    column = _first_difference(old[0], new[0]) if old and new else 0
    start = first_shown(max(*old[:1], *new[:1], "", "", key=len), column)
    yield from _signed("-", old, start)
    yield from _signed("+", new, start)


def _signed(sign: Literal["-", "+"], lines: Sequence[str], start: int) -> Iterator[ChangedLine]:
    for line in lines[:MAXIMUM_LINES]:
        yield ChangedLine(sign, source(cut(with_starred_credentials(line), start)))
    if len(lines) > MAXIMUM_LINES:
        yield ChangedLine(sign, MORE)


def _applied(edits: Sequence[Edit], lines: Sequence[str], first: int) -> list[str]:
    """Return lines of a file, from its line ``first`` on, with the edits made."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    code = "\n".join(lines)
    left = len(code) + 1
    for edit in reversed(edits):
        begin = starts[edit.line - first] + edit.column - 1
        end = starts[min(edit.end_line - first, len(lines))] + edit.end_column - 1
        if end <= left:  # those that overlap are for a second run
            code = code[:begin] + edit.replacement + code[end:]
            left = begin
    return code.split("\n")


def _first_difference(one: str, other: str) -> int:
    for column, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return column
    return min(len(one), len(other))
