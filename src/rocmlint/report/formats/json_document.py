"""One JSON document; ``docs/schema/report.json`` describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.edits import is_public
from rocmlint.report.fingerprint import identities
from rocmlint.report.lines import Lines
from rocmlint.report.summary import counts
from rocmlint.rule.errors import errors_of
from rocmlint.rule.web import address
from rocmlint.text.json import array, dumps
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Claim, Finding, Fix
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf

VERSION = 1
"""Grows when a field changes its meaning or goes; new fields may come without."""


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - JSON has no colours
    """Yield the document, one finding a line."""
    yield f'{{"version": {VERSION}, "tool": {dumps(tool())},\n"findings": '
    yield from array(objects(report))
    if report.evidence is not None:
        yield f',\n"evidence": {dumps(report.evidence)}'
    summary = {"files": report.files, **counts(report.findings)._asdict()}
    if report.excused is not None:
        from rocmlint.report import excused  # noqa: PLC0415 - few runs ask for it

        yield ',\n"excused": '
        yield from array(iter(excused.objects(report.excused)))
    yield f',\n"problems": {dumps(report.problems)},\n"summary": {dumps(summary)}}}\n'


def tool() -> dict[str, object]:
    """Return what says which program wrote this."""
    return {"name": "rocmlint", "version": __version__}


def objects(report: Report, path_of: PathOf | None = None) -> Iterator[dict[str, object]]:
    """Yield each finding as a JSON object."""
    known_as = identities(report.findings, Lines(report.texts), path_of)
    for finding, identity in zip(report.findings, known_as, strict=True):
        yield {**_fields(finding), "fingerprint": identity}


def _fields(finding: Finding) -> dict[str, object]:
    return {
        "path": finding.path,
        **finding.shown._asdict(),
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "help": finding.help,
        "url": address(finding.code, finding.name),
        "fix": _fix(finding.fix) if finding.fix is not None and is_public(finding.fix) else None,
        "claims": [_claim(each) for each in finding.claims],
        "related": [vars(each) for each in finding.related],
        "errors": [{"title": each.title, "url": each.url} for each in errors_of(finding.code)],
    }


def _claim(claim: Claim) -> dict[str, object]:
    return {
        "kind": claim.kind,
        "subject": claim.subject,
        "statement": claim.statement,
        "command": claim.command,
    }


def _fix(fix: Fix) -> dict[str, object]:
    edits = [{**edit.shown._asdict(), "replacement": edit.replacement} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}
