"""The lines of Pylint's format ``parseable``, which Jenkins and others read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.place import in_cell
from rocmlint.text.visible import at_line_start, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report


_LETTERS = {"error": "E", "warning": "W", "note": "I"}
"""Pylint's own: the last are messages for information."""


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - a program reads it
    """Yield ``path:line: [E(CODE), name] message`` for each; ``W`` is a warning, ``I`` a note.

    Programs take the severity from this letter, and take what is in parentheses for the rule.
    """
    for finding in report.findings:
        path = at_line_start(visible(finding.path))
        rule = f"[{_LETTERS[finding.severity]}({finding.code}), {finding.name}]"
        message = visible(" ".join(f"{in_cell(finding)}{finding.message}".split()))
        yield f"{path}:{finding.file_line}: {rule} {message}\n"
