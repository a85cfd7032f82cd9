"""Findings as the diagnostics of the protocol, each in the document that it is in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from rocmlint.editors.server.documents import Placed
from rocmlint.formats import is_notebook

if TYPE_CHECKING:
    from rocmlint.editors.server.documents import Documents
    from rocmlint.editors.server.messages import Linted
    from rocmlint.findings import Finding, Related

SOURCE = "rocmlint"
_UNUSED = "ROC901"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}

Shown = list[tuple["Finding", types.Diagnostic]]
"""Findings and what the editor shows for them."""


def shown_in(subject: str, documents: Documents, linted: Linted) -> dict[str, Shown]:
    """Return what is shown in each document of a subject, by address; in some of them nothing."""
    notebook = documents.get_notebook_document(notebook_uri=subject)
    cells = () if notebook is None else notebook.cells
    addresses = [subject] if notebook is None else [each.document for each in cells]
    placed = [Placed.of(documents.get_text_document(each)) for each in addresses]
    shown: dict[str, Shown] = {each: [] for each in addresses}
    for finding in linted.findings:
        index = 0 if notebook is None or finding.cell is None else finding.cell.number - 1
        whole = notebook is None and is_notebook(finding.path)
        found = _whole_line(finding, placed[0]) if whole else _range(finding, placed[index])
        shown[addresses[index]].append((finding, _diagnostic(finding, found, linted)))
    return shown


def _diagnostic(finding: Finding, found: types.Range, linted: Linted) -> types.Diagnostic:
    page = linted.pages.get(finding.code)
    message = f"{finding.message}\n{finding.help}" if finding.help else finding.message
    return types.Diagnostic(
        range=found,
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=None if page is None else types.CodeDescription(page),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == _UNUSED else None,
        related_information=[_related(each) for each in finding.related] or None,
    )


def _related(place: Related) -> types.DiagnosticRelatedInformation:
    """Return another place; a character before it may count as two for the editor."""
    start = types.Position(place.line - 1, place.column - 1)
    address = Path(place.path).absolute().as_uri()
    return types.DiagnosticRelatedInformation(
        types.Location(address, types.Range(start, start)), place.message
    )


def _range(finding: Finding, placed: Placed) -> types.Range:
    _, line, column, end_line, end_column = finding.shown
    return types.Range(placed.position(line, column), placed.position(end_line, end_column))


def _whole_line(finding: Finding, placed: Placed) -> types.Range:
    """Return the line of the JSON in which a finding in a notebook begins."""
    line = min(finding.file_line, len(placed.lines))
    end = len(placed.lines[line - 1]) + 1
    return types.Range(placed.position(line, 1), placed.position(line, end))
