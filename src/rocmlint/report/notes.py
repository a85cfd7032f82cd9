"""Notes in short: a line for each rule and file with all its places, few for each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report

MOST_LINES = 3
"""How many lines a rule has in a whole run."""
_MOST_PLACES = 8
"""How many places a line names."""


class NoteLine(NamedTuple):
    """The notes of a rule in a file: the first, and where the others are."""

    first: Finding
    others: str
    """Such as ``:88, :90``; empty where there are none."""


class ShortNotes(NamedTuple):
    """The lines, and how many notes of each rule are left out."""

    lines: Sequence[NoteLine]
    left_out: Sequence[str]
    """Such as ``... and 5 more ROC303 notes (--notes full)``."""


def is_note(finding: Finding) -> bool:
    """Return whether a finding says only what is true."""
    return finding.severity == "note"


def split(report: Report) -> tuple[Sequence[Finding], ShortNotes]:
    """Return what people see one by one, and the notes that they see in short."""
    if report.notes == "full":
        return report.findings, ShortNotes((), ())
    others = [each for each in report.findings if not is_note(each)]
    if report.notes == "off":
        return others, ShortNotes((), ())
    return others, in_short([each for each in report.findings if is_note(each)])


def in_short(notes: Sequence[Finding]) -> ShortNotes:
    """Return notes in short; they are sorted by path."""
    by_rule: dict[str, dict[str, list[Finding]]] = {}
    for each in notes:
        by_rule.setdefault(each.code, {}).setdefault(each.path, []).append(each)
    lines, left_out = [], []
    for code, files in sorted(by_rule.items()):
        shown, hidden = [*files.values()][:MOST_LINES], [*files.values()][MOST_LINES:]
        lines += [NoteLine(each[0], _places(each[1:])) for each in shown]
        more = sum(map(len, hidden))
        if more:
            left_out.append(f"... and {more:,} more {code} note{'s' * (more > 1)} (--notes full)")
    return ShortNotes(lines, left_out)


def _places(notes: Sequence[Finding]) -> str:
    shown = ", ".join(f":{_line(each)}" for each in notes[:_MOST_PLACES])
    more = len(notes) - _MOST_PLACES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _line(note: Finding) -> str:
    cell = "" if note.shown.cell is None else f"cell {note.shown.cell}:"
    return f"{cell}{note.shown.line}"


def place(line: NoteLine) -> str:
    """Return the places of a line, behind the path: ``:40, :88``."""
    others = f", {line.others}" if line.others else ""
    return f":{_line(line.first)}{others}"
