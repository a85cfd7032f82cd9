"""Reviewdog's Diagnostic Format (rdjson): comments in a review, with the fixes as suggestions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.report.lines import Lines
from rocmlint.report.place import in_cell
from rocmlint.rule.web import address
from rocmlint.text.json import array, dumps
from rocmlint.text.secrets import without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Edit, Finding, Fix
    from rocmlint.report import Report

    Position = tuple[int, int]

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_SOURCE = {"name": "rocmlint", "url": "https://github.com/rocmlint/rocmlint"}


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - JSON has no colours
    """Yield the document, one finding a line; the format has no place for problems."""
    lines = Lines(report.texts)
    yield f'{{"source": {dumps(_SOURCE)},\n"diagnostics": '
    yield from array(_diagnostic(each, lines.lines_of(each.path)) for each in report.findings)
    yield "}\n"


def _diagnostic(finding: Finding, lines: Sequence[str]) -> dict[str, object]:
    diagnostic: dict[str, object] = {
        "message": f"{in_cell(finding)}{finding.explained}",
        "location": {"path": _path(finding.path), "range": _range_of(finding, lines)},
        "severity": _SEVERITIES[finding.severity],
        "code": _code(finding),
    }
    if finding.fix is not None and finding.cell is None and lines:
        diagnostic["suggestions"] = [*_suggestions(finding.fix, lines)]
    return diagnostic


def _code(finding: Finding) -> dict[str, str]:
    page = address(finding.code, finding.name)
    return {"value": finding.code} if page is None else {"value": finding.code, "url": page}


def _path(path: str) -> str:
    """Write a path from the working folder, which reviewdog puts the repository's path before."""
    try:
        path = os.path.relpath(path)
    except ValueError:  # on another drive of Windows
        path = os.path.abspath(path)
    return path.replace(os.sep, "/")


def _range_of(finding: Finding, lines: Sequence[str]) -> dict[str, object]:
    if finding.cell is not None:  # a line of JSON, whose columns are others
        return {"start": {"line": finding.file_line}}
    return _range(*_bounds(finding), lines)


def _suggestions(fix: Fix, lines: Sequence[str]) -> Iterator[dict[str, object]]:
    """Yield a fix as one suggestion, however many edits it has: half of it would be wrong."""
    edits = sorted(fix.edits)
    places = [place for edit in edits for place in _bounds(edit)]
    if places != sorted(places):
        return  # they overlap, and are not applied either
    text, reached = "", places[0]
    for edit in edits:
        start, end = _bounds(edit)
        text += _between(lines, reached, start) + edit.replacement
        reached = end
    if without_credentials(text) == text:  # a mask in it would be written into the file
        yield {"range": _range(places[0], places[-1], lines), "text": text}


def _bounds(place: Finding | Edit) -> tuple[Position, Position]:
    return (place.line, place.column), (place.end_line, place.end_column)


def _between(lines: Sequence[str], start: Position, end: Position) -> str:
    """Return the text from one place to another."""
    found = list(lines[start[0] - 1 : end[0]])
    if start[0] == end[0]:
        return "".join(found)[start[1] - 1 : end[1] - 1]
    found += [""] * (end[0] - start[0] + 1 - len(found))  # behind the last line
    return "\n".join([found[0][start[1] - 1 :], *found[1:-1], found[-1][: end[1] - 1]])


def _range(start: Position, end: Position, lines: Sequence[str]) -> dict[str, object]:
    return {"start": _position(start, lines), "end": _position(end, lines)}


def _position(position: Position, lines: Sequence[str]) -> dict[str, int]:
    """Return a place with its column in bytes of UTF-8, as the format counts."""
    line, column = position
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    wider = len(before.encode("utf-8", "surrogatepass")) - len(before)
    return {"line": line, "column": column + wider}
