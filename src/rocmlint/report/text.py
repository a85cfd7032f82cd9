"""For people: each finding with the code it is about, and how it can be fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.lines import Lines
from rocmlint.text.visible import (
    BLUE,
    BOLD,
    GREEN,
    RED,
    YELLOW,
    at_line_start,
    paint,
    source,
    visible,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding, Fix
    from rocmlint.report import Report

MAXIMUM_LINES = 4
"""How many lines of one finding are shown."""
MAXIMUM_WIDTH = 140
"""How much of a line is shown, in characters."""
_BEFORE = 60
"""How much of it is shown before the finding where it is longer."""


def render(report: Report, *, color: bool) -> Iterator[str]:
    """Yield each finding: place, rule, message, code, help, fix, and what confirms it."""
    lines = Lines(report.texts)
    for finding in report.findings:
        style = RED if finding.severity == "error" else YELLOW
        place = paint(_place(finding), BOLD, color=color)
        rule = paint(f"{finding.severity} {finding.code}", style, BOLD, color=color)
        yield f"{place} {rule} {finding.name}\n"
        for line in finding.message.splitlines():
            yield f"  {at_line_start(visible(line))}\n"
        frame = list(_frame(finding, lines.of(finding.path)))
        margin = max((len(gutter) for gutter, _ in frame), default=1)
        for gutter, code in frame:
            bar = paint(f"{gutter:>{margin}} |", BLUE, color=color)
            beside = code if gutter else paint(code, style, color=color)
            yield f"{bar} {beside}".rstrip() + "\n"
        for label, style, text in _notes(finding):
            yield f"{'':{margin}} = {paint(label, style, color=color)}: {visible(text)}\n"
        yield "\n"


def _place(finding: Finding) -> str:
    return f"{at_line_start(visible(finding.path))}:{finding.shown}:"


def _notes(finding: Finding) -> Iterator[tuple[str, str, str]]:
    """Yield what stands below the code: a label, its colour, and the text."""
    if finding.help:
        yield "help", BLUE, " ".join(finding.help.split())
    if finding.fix is not None:
        yield "fix", GREEN, _how(finding.fix)
    for command in finding.commands:
        yield "confirm", BLUE, command


def _how(fix: Fix) -> str:
    how = "safe, with --fix" if fix.safe else "unsafe, with --unsafe-fixes"
    return f"{fix.title} ({how})"


def _frame(finding: Finding, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands in the gutter and beside it, for each line."""
    if finding.line > len(lines):
        return
    several = finding.end_line > finding.line
    code = lines[finding.line - 1]
    end = len(code.rstrip()) if several else finding.end_column - 1
    yield "", ""
    shown, marks = _marked(code, finding.column - 1, end)
    above = finding.line - finding.shown.line
    yield str(finding.line - above), shown
    yield "", marks
    last = finding.end_line - 1 if several and finding.end_column == 1 else finding.end_line
    further = range(finding.line + 1, min(last, len(lines)) + 1)
    for number in further[: MAXIMUM_LINES - 1]:
        yield str(number - above), source(_cut(lines[number - 1]))
    if len(further) >= MAXIMUM_LINES:
        yield "", "..."


def _marked(line: str, start: int, end: int) -> tuple[str, str]:
    """Return a line of code and the carets below its characters from start to end."""
    if len(line) > MAXIMUM_WIDTH and start > _BEFORE:
        line = "..." + line[start - _BEFORE :]
        start, end = _BEFORE + 3, end - start + _BEFORE + 3
    line = _cut(line)
    before, marked, after = source(line[:start]), source(line[start:end]), source(line[end:])
    return before + marked + after, " " * width(before) + "^" * max(1, width(marked))


def _cut(line: str) -> str:
    return line if len(line) <= MAXIMUM_WIDTH else line[:MAXIMUM_WIDTH] + "..."
