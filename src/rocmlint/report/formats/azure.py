"""Logging commands of Azure Pipelines: issues of a job, with the place in the repository.

An issue is an error or a warning there, so that notes are lines of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.notes import is_note
from rocmlint.report.place import in_cell, paths_in_repository
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - an agent reads it
    """Yield a command for each finding, a line for each note, then a command for each problem."""
    path_of = paths_in_repository()
    for finding in report.findings:
        if is_note(finding):
            yield _line(finding, path_of(finding.path))
            continue
        yield _command(_properties(finding, path_of), f"{in_cell(finding)}{finding.explained}")
    for problem in report.problems:
        yield _command({"type": "error"}, f"rocmlint: {problem}")


def _line(note: Finding, path: str) -> str:
    """Return a line that is no command: an agent looks for one (``##vso[``) anywhere in a line."""
    text = " ".join(note.explained.split())
    line = visible(f"note {path}:{note.shown}: {note.code} {text}")
    return line.replace("##", "# #") + "\n"


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
