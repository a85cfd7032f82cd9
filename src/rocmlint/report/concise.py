"""One line a finding: for editors, for grep, and for long lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.text.visible import BOLD, RED, YELLOW, at_line_start, paint, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report


def render(report: Report, *, color: bool) -> Iterator[str]:
    """Yield ``path:line:column: CODE message [name]`` for each finding, with its cell if any."""
    for finding in report.findings:
        path = paint(at_line_start(visible(finding.path)), BOLD, color=color)
        code = paint(finding.code, RED if finding.severity == "error" else YELLOW, color=color)
        message = visible(" ".join(finding.message.split()))
        yield f"{path}:{finding.shown}: {code} {message} [{finding.name}]\n"
