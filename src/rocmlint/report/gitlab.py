"""GitLab's code quality report: what a merge request adds and what it fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.fingerprint import identities
from rocmlint.report.lines import Lines
from rocmlint.text.json import array
from rocmlint.text.visible import relative_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.report import Report

_SEVERITIES = {"error": "major", "warning": "minor"}


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - JSON has no colours
    """Yield the array of findings; the format has no place for problems."""
    known_as = identities(report.findings, Lines(report.texts))
    yield from array(map(_issue, report.findings, known_as))
    yield "\n"


def _issue(finding: Finding, identity: str) -> dict[str, object]:
    return {
        "check_name": f"{finding.code} {finding.name}",
        "description": f"{finding.code}: {_in_cell(finding)}{finding.explained}",
        "fingerprint": identity,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": relative_path(finding.path),
            "lines": _lines(finding),
        },
    }


def _lines(finding: Finding) -> dict[str, int]:
    end = finding.end_line if finding.cell is None else finding.file_line
    return {"begin": finding.file_line, "end": end}


def _in_cell(finding: Finding) -> str:
    return "" if finding.cell is None else f"{finding.shown}: "
