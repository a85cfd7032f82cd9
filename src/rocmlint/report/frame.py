"""The lines of code that a finding is about, cut to what can be shown, with the marked part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.secrets import holds_secrets, with_starred_credentials, with_starred_values
from rocmlint.text.visible import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding

MAXIMUM_LINES = 4
"""How many lines of one finding are shown."""
MAXIMUM_WIDTH = 140
"""How much of a line is shown, in characters."""
MORE = "..."
BEFORE = 60
"""How much of it is shown before the finding where it is longer."""


class FrameLine(NamedTuple):
    """A line as it can be shown, in three parts; ``number`` is None for lines left out.

    ``marked`` is empty in lines around the finding.
    """

    number: int | None
    before: str
    marked: str
    after: str


def frame(finding: Finding, lines: Sequence[str], around: int = 0) -> Iterator[FrameLine]:
    """Yield the lines of a finding, with some lines around it. Nothing where they are not known."""
    if finding.line > len(lines):
        return
    if finding.cell is not None:  # the lines around it may be those of other cells
        around = 0
    above = finding.line - finding.shown.line
    several = finding.end_line > finding.line
    for number in range(max(1, finding.line - around), finding.line):
        yield _plain(number - above, _shared(lines, number, finding))
    code = _shared(lines, finding.line, finding)
    end = len(code.rstrip()) if several else finding.end_column - 1
    yield _marked(finding.line - above, code, finding.column - 1, end)
    last = finding.end_line - 1 if several and finding.end_column == 1 else finding.end_line
    last = min(last, len(lines))
    further = range(finding.line + 1, last + 1)
    for number in further[: MAXIMUM_LINES - 1]:
        yield _rest(number - above, _shared(lines, number, finding), finding)
    if len(further) >= MAXIMUM_LINES:
        yield FrameLine(None, MORE, "", "")
        return
    for number in range(max(last, finding.line) + 1, min(last + around, len(lines)) + 1):
        yield _plain(number - above, _shared(lines, number, finding))


def cut(line: str, start: int = 0) -> str:
    """Return what of a line is shown, from a column on."""
    left = MORE if start else ""
    line = line[start:]
    return left + (line if len(line) <= MAXIMUM_WIDTH else line[:MAXIMUM_WIDTH] + MORE)


def first_shown(line: str, column: int) -> int:
    """Return from where a line is shown, so that a column in it is."""
    return column - BEFORE if len(line) > MAXIMUM_WIDTH and column > BEFORE else 0


def _shared(lines: Sequence[str], number: int, finding: Finding) -> str:
    """Return a line as others may see it: reports go to logs that many can read."""
    if holds_secrets(finding.path):
        is_own = number == finding.line == finding.end_line
        place = (finding.column - 1, finding.end_column - 1) if is_own else (0, 0)
        return with_starred_values(lines[number - 1], *place)
    return with_starred_credentials(lines[number - 1])


def _plain(number: int, line: str) -> FrameLine:
    return FrameLine(number, source(cut(line)), "", "")


def _rest(number: int, line: str, finding: Finding) -> FrameLine:
    """Return a further line of a finding, without its indentation marked."""
    line = cut(line)
    start = len(line) - len(line.lstrip())
    within = number - finding.shown.line < finding.end_line - finding.line
    end = len(line) if within else max(start, finding.end_column - 1)
    return FrameLine(number, *(source(line[a:b]) for a, b in _parts(start, end, line)))


def _marked(number: int, line: str, start: int, end: int) -> FrameLine:
    first = first_shown(line, start)
    shift = len(MORE) - first if first else 0
    shown = cut(line, first)
    parts = _parts(start + shift, end + shift, shown)
    return FrameLine(number, *(source(shown[a:b]) for a, b in parts))


def _parts(start: int, end: int, line: str) -> tuple[tuple[int, int], ...]:
    return (0, start), (start, end), (end, len(line))
