"""Applying fixes to text: only whole fixes, none that overlap another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.findings import Edit, Finding, Fix


def apply_fixes(text: str, findings: Iterable[Finding], *, unsafe: bool) -> tuple[str, int]:
    """Apply the fixes of the findings, in order, and say how many were applied.

    A fix that overlaps or touches one before it is left for the next round. ``text`` has ``\\n``
    line ends.
    """
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    taken: list[tuple[int, int, str]] = []
    applied = 0
    for fix in _fixes(findings, unsafe=unsafe):
        ranges = [_range(edit, starts) for edit in fix.edits]
        if not any(_touch(new, old) for new in ranges for old in taken):
            taken += ranges
            applied += 1
    for start, end, replacement in sorted(taken, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text, applied


def _fixes(findings: Iterable[Finding], *, unsafe: bool) -> list[Fix]:
    found = (finding.fix for finding in findings)
    return list(dict.fromkeys(fix for fix in found if fix is not None and (fix.safe or unsafe)))


def _range(edit: Edit, starts: list[int]) -> tuple[int, int, str]:
    return (
        _offset(edit.line, edit.column, starts),
        _offset(edit.end_line, edit.end_column, starts),
        edit.replacement,
    )


def _offset(line: int, column: int, starts: list[int]) -> int:
    return min(starts[min(line, len(starts)) - 1] + column - 1, starts[-1])


def _touch(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
