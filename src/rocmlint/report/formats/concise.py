"""One line a finding: for editors, for grep, and for long lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.notes import is_note, split
from rocmlint.text.visible import BOLD, at_line_start, paint, style_of, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.report import Report


def render(report: Report, *, color: bool) -> Iterator[str]:
    """Yield ``path:line:column: CODE message [name]`` for each finding, with its cell if any.

    Notes follow, with ``note`` before the code, and other lines with the same one behind it.
    """
    findings, notes = split(report)
    for finding in findings:
        yield f"{_line(finding, color=color)}\n"
    for line in notes.lines:
        others = f" (also {line.others})" if line.others else ""
        yield f"{_line(line.first, color=color)}{others}\n"
    yield from (f"{each}\n" for each in notes.left_out)


def _line(finding: Finding, *, color: bool) -> str:
    path = paint(at_line_start(visible(finding.path)), BOLD, color=color)
    rule = f"note {finding.code}" if is_note(finding) else finding.code
    code = paint(rule, style_of(finding.severity), color=color)
    message = visible(" ".join(finding.message.split()))
    return f"{path}:{finding.shown}: {code} {message} [{finding.name}]"
