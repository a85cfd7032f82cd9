"""Logging commands of Azure Pipelines: issues of a job, with the place in the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.place import in_cell, paths_in_repository
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - an agent reads it
    """Yield a command for each finding, then one for each problem."""
    path_of = paths_in_repository()
    for finding in report.findings:
        yield _command(_properties(finding, path_of), f"{in_cell(finding)}{finding.explained}")
    for problem in report.problems:
        yield _command({"type": "error"}, f"rocmlint: {problem}")


def _properties(finding: Finding, path_of: PathOf) -> dict[str, object]:
    place: dict[str, object] = {"linenumber": finding.file_line}
    if finding.cell is None:  # else it is a line of JSON, whose columns are others
        place["columnnumber"] = finding.column
    path = path_of(finding.path)
    return {"type": finding.severity, "sourcepath": path, **place, "code": finding.code}


def _command(properties: dict[str, object], message: str) -> str:
    listed = "".join(f"{key}={_property(str(value))};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{_data(message)}\n"


def _data(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return "%0A".join(visible(line).replace("%", "%AZP25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(";", "%3B").replace("]", "%5D")
