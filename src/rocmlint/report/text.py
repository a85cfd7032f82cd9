"""For people: each finding with the code it is about, and how it can be fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.frame import frame
from rocmlint.report.lines import Lines
from rocmlint.text.visible import (
    BLUE,
    BOLD,
    GREEN,
    RED,
    YELLOW,
    at_line_start,
    paint,
    visible,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding, Fix
    from rocmlint.report import Report


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
    for each in finding.related:
        yield "from", BLUE, str(each)
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
    for index, (number, before, marked, after) in enumerate(frame(finding, lines)):
        if index == 0:
            yield "", ""
        yield "" if number is None else str(number), before + marked + after
        if index == 0:
            yield "", " " * width(before) + "^" * max(1, width(marked))
