"""The findings as the data of a page, and as a plain list for readers without scripts."""

from __future__ import annotations

from inspect import getdoc
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rocmlint.report.fingerprint import identities
from rocmlint.report.formats.html.changes import changes
from rocmlint.report.formats.html.elements import NOTHING, Html, element, joined, text
from rocmlint.report.frame import frame
from rocmlint.report.lines import Lines
from rocmlint.rule.registry import load_rules
from rocmlint.rule.web import address
from rocmlint.text.json import dumps
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report
    from rocmlint.rule.registry import RuleType

_AROUND = 2
"""Lines of code that are shown above and below a finding."""
_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""In JSON they occur only in strings, where this means the same."""


def as_json(report: Report) -> str:
    """Return the findings and what is known of their rules, for a ``script`` element."""
    lines = Lines(report.texts)
    known_as = identities(report.findings, lines)
    findings = [
        _finding(finding, identity, lines.lines_of(finding.path))
        for finding, identity in zip(report.findings, known_as, strict=True)
    ]
    return dumps({"rules": _rules(report), "findings": findings}).translate(_IN_SCRIPT)


def as_list(findings: Sequence[Finding]) -> Html:
    """Return the findings as a list for each file, one line each."""
    return joined(
        *(
            joined(
                element("h3", text(path)),
                element("ul", *(element("li", *_line(each)) for each in group)),
            )
            for path, group in groupby(findings, key=lambda finding: finding.path)
        )
    )


def _line(finding: Finding) -> Iterator[Html]:
    yield element("strong", text(f"{finding.shown} {finding.severity} {finding.code}"))
    yield text(f" {finding.message}")
    yield from (element("em", text(f" from {_one_line(str(each))}")) for each in finding.related)
    yield element("em", text(f" {finding.help}")) if finding.help else NOTHING


def _finding(finding: Finding, identity: str, lines: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of a finding; what it does not have is left out."""
    fields = {
        "id": identity,
        "path": visible(finding.path),
        "place": str(finding.shown),
        "code": visible(finding.code),
        "severity": finding.severity,
        "message": _one_line(finding.message),
        "related": [_one_line(str(each)) for each in finding.related],
        "help": _one_line(finding.help),
        "line": finding.shown.line,
        "frame": [list(each) for each in frame(finding, lines, _AROUND)],
        "commands": [visible(each) for each in finding.commands],
    }
    if finding.fix is not None:
        fields["fix"] = {
            "title": _one_line(finding.fix.title),
            "safe": finding.fix.safe,
            "changes": [list(each) for each in changes(finding.fix, lines)],
        }
    return {name: value for name, value in fields.items() if value}


def _one_line(words: str) -> str:
    return visible(" ".join(words.split()))


def _rules(report: Report) -> Mapping[str, Mapping[str, str]]:
    # A cached run has not loaded the rules, and one that found nothing need not.
    known = {each.code: each for each in load_rules(report.rule_folders)} if report.findings else {}
    names = sorted({(finding.code, finding.name) for finding in report.findings})
    return {visible(code): _rule(code, name, known.get(code)) for code, name in names}


def _rule(code: str, name: str, rule: RuleType | None) -> Mapping[str, str]:
    about = " ".join((getdoc(rule) or "").partition("\n\n")[0].split()) if rule else ""
    return {"name": visible(name), "about": visible(about), "page": address(code, name) or ""}
