"""GitLab's code quality report: what a merge request adds and what it fixes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rocmlint.report.fingerprint import identities
from rocmlint.report.lines import Lines
from rocmlint.report.place import in_cell, paths_in_repository
from rocmlint.text.json import array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - JSON has no colours
    """Yield the array of findings; the format has no place for problems."""
    known_as = identities(report.findings, Lines(report.texts))
    yield from array(map(partial(_issue, paths_in_repository()), report.findings, known_as))
    yield "\n"


def _issue(path_of: PathOf, finding: Finding, identity: str) -> dict[str, object]:
    return {
        "check_name": f"{finding.code} {finding.name}",
        "description": f"{finding.code}: {in_cell(finding)}{finding.explained}",
        "fingerprint": identity,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": path_of(finding.path),
            "lines": _lines(finding),
        },
    }


def _lines(finding: Finding) -> dict[str, int]:
    end = finding.end_line if finding.cell is None else finding.file_line
    return {"begin": finding.file_line, "end": end}
