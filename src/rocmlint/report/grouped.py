"""One line a finding below a heading for each file: for people who read a long list."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rocmlint.text.visible import BOLD, RED, YELLOW, at_line_start, paint, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report


def render(report: Report, *, color: bool) -> Iterator[str]:
    """Yield for each file its path, a line for each of its findings, and an empty line."""
    for path, grouped in groupby(report.findings, key=lambda finding: finding.path):
        findings = list(grouped)
        width = max(len(str(finding.shown)) for finding in findings)
        yield f"{paint(at_line_start(visible(path)), BOLD, color=color)}:\n"
        for finding in findings:
            style = RED if finding.severity == "error" else YELLOW
            code = paint(finding.code, style, color=color)
            message = visible(" ".join(finding.message.split()))
            yield f"  {finding.shown!s:<{width}}  {code} {message} [{finding.name}]\n"
        yield "\n"
