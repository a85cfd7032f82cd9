"""Workflow commands of GitHub Actions: annotations next to the changed lines.

GitHub shows ten notices of a step, so that of more notes the last counts the others.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rocmlint.report.notes import is_note
from rocmlint.report.place import paths_in_repository
from rocmlint.rule.web import address
from rocmlint.text.visible import visible
from rocmlint.text.words import counted, few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf


MOST_NOTICES = 10
_KINDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - a runner reads it
    """Yield a command for each finding, then one for each problem."""
    path_of = paths_in_repository()
    notes = [] if report.notes == "full" else [*filter(is_note, report.findings)]
    last = MOST_NOTICES if len(notes) <= MOST_NOTICES else MOST_NOTICES - 1
    left_out = set(map(id, notes[last:]))
    for finding in report.findings:
        if id(finding) not in left_out:
            title = f"{finding.code} {finding.name}{_in_cell(finding)}"
            place = {**_place(finding, path_of), "title": title}
            yield _command(_KINDS[finding.severity], place, _text(finding))
    if left_out:
        yield _command("notice", {"title": "rocmlint"}, _sum(notes[last:]))
    for problem in report.problems:
        yield _command("error", {"title": "rocmlint"}, problem)


def _text(finding: Finding) -> str:
    page = address(finding.code, finding.name)
    return finding.explained if page is None else f"{finding.explained}\n{page}"


def _sum(notes: Sequence[Finding]) -> str:
    rules = Counter(each.code for each in notes).most_common()
    listed = few([f"{code} ({number:,})" for code, number in rules], 5)
    return f"{counted(notes, 'more note')}: {listed}; --notes full lists them"


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
