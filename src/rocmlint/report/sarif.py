"""SARIF 2.1.0, with the rules described and the fixes included."""

from __future__ import annotations

import os
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from rocmlint import __version__
from rocmlint.lint.fingerprint import identities
from rocmlint.lint.lines import Lines
from rocmlint.registry import load_rules
from rocmlint.report._json import dumps
from rocmlint.report._plain import relative_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Edit, Finding, Fix
    from rocmlint.registry import RuleType
    from rocmlint.report import Report

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - JSON has no colours
    """Yield the log of one run."""
    rules = {rule.code: rule for rule in _rules(report)}
    names = dict(sorted({finding.code: finding.name for finding in report.findings}.items()))
    index_of = {code: index for index, code in enumerate(names)}
    known_as = identities(report.findings, Lines(report.texts))
    driver = {
        "name": "rocmlint",
        "semanticVersion": __version__,
        "rules": [_rule(code, name, rules.get(code)) for code, name in names.items()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report.problems)],
        "results": [
            {**_result(finding), "ruleIndex": index_of[finding.code], **_known(identity)}
            for finding, identity in zip(report.findings, known_as, strict=True)
        ],
    }
    yield dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rules(report: Report) -> Sequence[RuleType]:
    # A cached run has not loaded the rules, and one that found nothing need not.
    return load_rules(report.rule_folders) if report.findings else ()


def _rule(code: str, name: str, rule: RuleType | None) -> dict[str, object]:
    if rule is None:
        return {"id": code, "name": name}
    text = getdoc(rule) or name
    return {
        "id": code,
        "name": name,
        "shortDescription": {"text": text.partition("\n")[0]},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity},
    }


def _invocation(problems: Sequence[str]) -> dict[str, object]:
    notes = [{"level": "error", "message": {"text": problem}} for problem in problems]
    return {"executionSuccessful": not notes, "toolExecutionNotifications": notes}


def _result(finding: Finding) -> dict[str, object]:
    region = _region(finding)
    location = {"artifactLocation": _artifact(finding.path), "region": region}
    result: dict[str, object] = {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
    }
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix, finding.path)]
    if finding.claims:
        result["properties"] = {"confirm": finding.commands}
    return result


def _known(identity: str) -> dict[str, object]:
    return {"partialFingerprints": {"rocmlint/v1": identity}}


def _fix(fix: Fix, path: str) -> dict[str, object]:
    replacements = [
        {"deletedRegion": _region(edit), "insertedContent": {"text": edit.replacement}}
        for edit in fix.edits
    ]
    change = {"artifactLocation": _artifact(path), "replacements": replacements}
    return {
        "description": {"text": fix.title},
        "artifactChanges": [change],
        "properties": {"safe": fix.safe},
    }


def _region(place: Finding | Edit) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _artifact(path: str) -> dict[str, str]:
    relative = relative_path(path)
    if os.path.isabs(relative):
        return {"uri": Path(relative).as_uri()}
    return {"uri": quote(os.fsencode(relative)), "uriBaseId": "%SRCROOT%"}
