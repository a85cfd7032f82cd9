"""Workflow commands of GitHub Actions: annotations beside the changed lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.place import paths_in_repository
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - a runner reads it
    """Yield a command for each finding, then one for each problem."""
    path_of = paths_in_repository()
    for finding in report.findings:
        title = f"{finding.code} {finding.name}{_in_cell(finding)}"
        yield _command(
            finding.severity, {**_place(finding, path_of), "title": title}, finding.explained
        )
    for problem in report.problems:
        yield _command("error", {"title": "rocmlint"}, problem)


def _in_cell(finding: Finding) -> str:
    return "" if finding.cell is None else f" at {finding.shown}"


def _place(finding: Finding, path_of: PathOf) -> dict[str, object]:
    path = path_of(finding.path)
    place: dict[str, object] = {"file": path, "line": finding.file_line}
    if finding.cell is not None:  # a line of JSON, whose columns are others
        return place
    if finding.end_line != finding.line:  # columns count only within one line
        return {**place, "endLine": finding.end_line}
    return {**place, "col": finding.column, "endColumn": finding.end_column}


def _command(kind: str, properties: dict[str, object], message: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{kind} {listed}::{_data(message)}\n"


def _data(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return "%0A".join(visible(line).replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
