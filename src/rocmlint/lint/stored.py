"""Findings as plain lists and back: how they pass from a worker, and how the cache keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rocmlint.findings import Edit, Finding, Fix


def to_stored(finding: Finding) -> list[Any]:
    """Give a finding as lists, strings and numbers; its path is known from elsewhere."""
    fix = finding.fix
    return [
        finding.line,
        finding.column,
        finding.end_line,
        finding.end_column,
        finding.code,
        finding.name,
        finding.message,
        finding.severity,
        None if fix is None else [fix.title, fix.safe, [_edit_fields(each) for each in fix.edits]],
    ]


def from_stored(path: str, stored: list[Any]) -> Finding:
    """Make the finding again. Raises TypeError or ValueError for anything else."""
    *fields, fix = stored
    if [type(field) for field in fields] != [int] * 4 + [str] * 4:
        message = f"no stored finding: {stored!r}"
        raise ValueError(message)
    finding = Finding(path, *fields)
    return finding if fix is None else replace(finding, fix=_fix(*fix))


def _edit_fields(edit: Edit) -> list[Any]:
    return [edit.line, edit.column, edit.end_line, edit.end_column, edit.replacement]


def _fix(title: str, safe: bool, edits: list[Any]) -> Fix:
    return Fix(title, tuple(Edit(*each) for each in edits), safe=safe)
