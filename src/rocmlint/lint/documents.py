"""What is reported of documents: people read them, and often for several kinds of machines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.formats import Role, has_role
from rocmlint.lint.suppress import UNKNOWN, UNUSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Finding


def as_notes(findings: Iterable[Finding], path: str, settings: Settings) -> list[Finding]:
    """Return the findings of a file: of a document one note for each rule, without a fix.

    They count as they are where the settings have ``documents = true``. Suppressions are not
    judged: documents show how to write them.
    """
    if settings.documents or not has_role(path, Role.DOCUMENT):
        return [*findings]
    return [replace(each, severity="note", fix=None) for each in _firsts(findings)]


def _firsts(findings: Iterable[Finding]) -> Iterable[Finding]:
    first: dict[str, Finding] = {}
    for each in findings:
        if each.code not in {UNUSED, UNKNOWN}:
            first.setdefault(each.code, each)
    return first.values()
