"""SARIF 2.1.0, with the rules described and the fixes included."""

from __future__ import annotations

import os
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from rocmlint.report.edits import is_public
from rocmlint.report.fingerprint import identities
from rocmlint.report.lines import Lines
from rocmlint.report.place import in_cell, paths_in_repository, repository_root
from rocmlint.rule.registry import load_rules
from rocmlint.rule.web import address
from rocmlint.text.json import dumps
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Edit, Finding, Fix, Related
    from rocmlint.report import Report
    from rocmlint.report.place import PathOf
    from rocmlint.rule.registry import RuleType

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_ROOT = "%SRCROOT%"
"""The base of relative paths, by the name that GitHub knows."""


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
    path_of = paths_in_repository()
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: _base(repository_root())},
        "invocations": [_invocation(report.problems)],
        "results": [
            {**_result(finding, path_of), "ruleIndex": index_of[finding.code], **_known(identity)}
            for finding, identity in zip(report.findings, known_as, strict=True)
        ],
    }
    yield dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rules(report: Report) -> Sequence[RuleType]:
    # A cached run has not loaded the rules, and one that found nothing need not.
    return load_rules(report.rule_folders) if report.findings else ()


def _rule(code: str, name: str, rule: RuleType | None) -> dict[str, object]:
    if rule is None:
        return {"id": code, "name": name, **_page(code, name)}
    text = getdoc(rule) or name
    return {
        "id": code,
        "name": name,
        **_page(code, name),
        "shortDescription": {"text": text.partition("\n")[0]},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity},
    }


def _page(code: str, name: str) -> dict[str, object]:
    page = address(code, name)
    return {} if page is None else {"helpUri": page}


def _invocation(problems: Sequence[str]) -> dict[str, object]:
    notes = [{"level": "error", "message": {"text": problem}} for problem in problems]
    return {"executionSuccessful": not notes, "toolExecutionNotifications": notes}


def _result(finding: Finding, path_of: PathOf) -> dict[str, object]:
    # Of a notebook the format can name lines of its JSON only, so that no fix can be written.
    in_json = {"startLine": finding.file_line}
    region = _region(finding) if finding.cell is None else in_json
    artifact = _artifact(path_of(finding.path))
    location = {"artifactLocation": artifact, "region": region}
    result: dict[str, object] = {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": f"{in_cell(finding)}{finding.explained}"},
        "locations": [{"physicalLocation": location}],
    }
    if finding.related:
        result["relatedLocations"] = [_related(each, path_of) for each in finding.related]
    properties: dict[str, object] = {}
    if finding.cell is not None:
        properties.update(finding.shown._asdict())
    elif finding.fix is not None and is_public(finding.fix):
        result["fixes"] = [_fix(finding.fix, artifact)]
    if finding.claims:
        properties["confirm"] = finding.commands
    if properties:
        result["properties"] = properties
    return result


def _related(place: Related, path_of: PathOf) -> dict[str, object]:
    region = {"startLine": place.line, "startColumn": place.column}
    location = {"artifactLocation": _artifact(path_of(place.path)), "region": region}
    return {"physicalLocation": location, "message": {"text": place.message}}


def _known(identity: str) -> dict[str, object]:
    return {"partialFingerprints": {"rocmlint/v1": identity}}


def _fix(fix: Fix, artifact: dict[str, str]) -> dict[str, object]:
    replacements = [
        {"deletedRegion": _region(edit), "insertedContent": {"text": edit.replacement}}
        for edit in fix.edits
    ]
    change = {"artifactLocation": artifact, "replacements": replacements}
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
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(_bytes_of(path)), "uriBaseId": _ROOT}


def _base(root: str) -> dict[str, object]:
    about = "The root of the repository, or the working directory outside of one."
    return {"uri": Path(root, "_").as_uri()[:-1], "description": {"text": about}}


def _bytes_of(path: str) -> bytes:
    """Return the bytes of a path, also of one that a program made up and no system can have."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return path.encode(errors="replace")
