"""For people: each finding with the code it is about, and how it can be fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.frame import frame
from rocmlint.report.lines import Lines
from rocmlint.report.notes import place, split
from rocmlint.text.visible import (
    BLUE,
    BOLD,
    GREEN,
    at_line_start,
    linked,
    paint,
    style_of,
    visible,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding, Fix
    from rocmlint.report import Report
    from rocmlint.report.notes import ShortNotes


def render(report: Report, *, color: bool) -> Iterator[str]:
    """Yield each finding (place, rule, message, code, help, fix, what confirms it), then notes."""
    lines = Lines(report.texts)
    findings, notes = split(report)
    for finding in findings:
        style = style_of(finding.severity)
        where = paint(_place(finding), BOLD, color=color)
        code = _code(finding, links=report.links)
        rule = paint(f"{finding.severity} {code}", style, BOLD, color=color)
        yield f"{where} {rule} {finding.name}\n"
        for line in finding.message.splitlines():
            yield f"  {at_line_start(visible(line))}\n"
        frame = list(_frame(finding, lines.lines_of(finding.path)))
        margin = max((len(gutter) for gutter, _ in frame), default=1)
        for gutter, code in frame:
            bar = paint(f"{gutter:>{margin}} |", BLUE, color=color)
            beside = code if gutter else paint(code, style, color=color)
            yield f"{bar} {beside}".rstrip() + "\n"
        for label, style, text in _below(finding):
            yield f"{'':{margin}} = {paint(label, style, color=color)}: {visible(text)}\n"
        yield "\n"
    yield from short_notes(notes, color=color, links=report.links)


def short_notes(notes: ShortNotes, *, color: bool, links: bool = False) -> Iterator[str]:
    """Yield the notes in short, and an empty line where there are any."""
    for line in notes.lines:
        code = _code(line.first, links=links)
        rule = paint(f"note {code}", style_of("note"), BOLD, color=color)
        path = paint(f"{visible(line.first.path)}{place(line)}:", BOLD, color=color)
        yield f"{rule} {path} {visible(' '.join(line.first.message.split()))}\n"
    yield from (f"{each}\n" for each in notes.left_out)
    if notes.lines:
        yield "\n"


def _code(finding: Finding, *, links: bool) -> str:
    if not links:
        return finding.code
    from rocmlint.rule.web import address  # noqa: PLC0415 - a terminal with findings needs it

    return linked(finding.code, address(finding.code, finding.name))


def _place(finding: Finding) -> str:
    return f"{at_line_start(visible(finding.path))}:{finding.shown}:"


def _below(finding: Finding) -> Iterator[tuple[str, str, str]]:
    """Yield the lines below the code: a label, its color, and the text."""
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
    """Yield the text in the gutter and next to it, for each line."""
    for index, (number, before, marked, after) in enumerate(frame(finding, lines)):
        if index == 0:
            yield "", ""
        yield "" if number is None else str(number), before + marked + after
        if index == 0:
            yield "", " " * width(before) + "^" * max(1, width(marked))
