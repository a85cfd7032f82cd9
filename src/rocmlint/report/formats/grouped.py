"""One line a finding below a heading for each file: for people who read a long list."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rocmlint.report.formats.text import short_notes
from rocmlint.report.notes import is_note, split
from rocmlint.text.visible import BOLD, at_line_start, paint, style_of, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report


def render(report: Report, *, color: bool) -> Iterator[str]:
    """Yield for each file its path, a line for each of its findings, an empty line; then notes."""
    shown, notes = split(report)
    for path, grouped in groupby(shown, key=lambda finding: finding.path):
        findings = list(grouped)
        width = max(len(str(finding.shown)) for finding in findings)
        yield f"{paint(at_line_start(visible(path)), BOLD, color=color)}:\n"
        for finding in findings:
            rule = f"note {finding.code}" if is_note(finding) else finding.code
            code = paint(rule, style_of(finding.severity), color=color)
            message = visible(" ".join(finding.message.split()))
            yield f"  {finding.shown!s:<{width}}  {code} {message} [{finding.name}]\n"
        yield "\n"
    yield from short_notes(notes, color=color)
