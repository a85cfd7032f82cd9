"""Findings as plain lists and back: how they pass from a worker, and how the cache keeps them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocmlint.findings import Cell, Claim, Edit, Finding, Fix, Related
from rocmlint.paths import relative

if TYPE_CHECKING:
    from collections.abc import Sequence


def to_stored(finding: Finding) -> list[Any]:
    """Return a finding as lists, strings and numbers; its path is known from elsewhere."""
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
        finding.help,
        finding.once,
        finding.cell,
        [list(vars(each).values()) for each in finding.claims],
        [_related_fields(each, finding.path) for each in finding.related],
        None if fix is None else [fix.title, fix.safe, [_edit_fields(each) for each in fix.edits]],
    ]


def from_stored(path: str, stored: list[Any]) -> Finding:
    """Make the finding again. Raises TypeError or ValueError for anything else."""
    *fields, once, cell, claims, related, fix = stored
    _refuse_unless([*fields, once], [int, int, int, int, str, str, str, str, str, str])
    mended = None if fix is None else _fix(*fix)
    made = tuple(map(_claim, claims))
    places = tuple(_related(path, *each) for each in related)
    found = Finding(path, *fields)
    found = replace(found, fix=mended, claims=made, once=once, related=places)
    return found if cell is None else replace(found, cell=_cell(cell))


def _cell(fields: Sequence[Any]) -> Cell:
    _refuse_unless([*fields], [int, int, int])
    return Cell(*fields)


def _claim(fields: list[Any]) -> Claim:
    _refuse_unless(fields, [str, str, str, str, str, bool, str, int, str, bool, bool])
    return Claim(*fields)


def _related_fields(place: Related, path: str) -> list[Any]:
    """Write a related place; its path is that from the folder of the finding's."""
    near = relative(place.path, os.path.dirname(path) or os.curdir)
    return [near, place.line, place.column, place.message]


def _related(path: str, near: str, line: int, column: int, message: str) -> Related:
    _refuse_unless([near, line, column, message], [str, int, int, str])
    there = os.path.normpath(os.path.join(os.path.dirname(path), near))
    return Related(there, line, column, message)


def _edit_fields(edit: Edit) -> list[Any]:
    place = [edit.line, edit.column, edit.end_line, edit.end_column]
    return [*place, edit.replacement, edit.was, edit.cell]


def _edit(fields: list[Any]) -> Edit:
    *place, was, cell = fields
    _refuse_unless(place, [int, int, int, int, str])
    _refuse_unless([was], [type(None) if was is None else str])
    return Edit(*place, was=was, cell=None if cell is None else _cell(cell))


def _fix(title: str, safe: bool, edits: list[Any]) -> Fix:
    _refuse_unless([title, safe], [str, bool])
    return Fix(title, tuple(map(_edit, edits)), safe=safe)


def _refuse_unless(fields: list[Any], types: list[type]) -> None:
    if [type(field) for field in fields] != types:
        message = f"no stored finding: {fields!r}"
        raise ValueError(message)
