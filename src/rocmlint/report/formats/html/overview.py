"""The head of the page: how many findings there are, of which families, and what went wrong."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

from rocmlint.report.formats.html.elements import NOTHING, Html, element, joined, text
from rocmlint.report.summary import counts, summary
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report

_FAMILY = re.compile(r"[A-Za-z]+[0-9]?")
"""The common part of the codes of a family: ROC1."""


def overview(report: Report) -> Html:
    """Return the numbers, the families, and the problems of the run."""
    sentence = summary(report.findings, report.files, notes_fail=report.notes_fail)
    return joined(
        element("p", text(sentence), class_="sentence"),
        _problems(report.problems),
        _numbers(report) if report.findings else NOTHING,
        _families(report) if report.findings else NOTHING,
    )


def _problems(problems: Sequence[str]) -> Html:
    if not problems:
        return NOTHING
    listed = element("ul", *(element("li", text(each)) for each in problems))
    head = element("strong", text("This run is not complete."))
    return element("div", head, listed, class_="problems", role="note")


def _numbers(report: Report) -> Html:
    count = counts(report.findings)
    fixable = count.safe_fixes + count.unsafe_fixes
    files = len({finding.path for finding in report.findings})
    cards = (
        (count.errors, "errors", "error"),
        (count.warnings, "warnings", "warning"),
        *([(count.notes, "notes", "note")] if count.notes else []),
        (fixable, f"with a fix, {count.safe_fixes:,} safe", "fix"),
        (files, f"of {report.files:,} files", ""),
    )
    return element(
        "dl",
        *(
            element(
                "div", element("dt", text(about)), element("dd", text(f"{number:,}")), class_=kind
            )
            for number, about, kind in cards
        ),
        class_="numbers",
    )


def _families(report: Report) -> Html:
    found = Counter(map(family, (finding.code for finding in report.findings)))
    most = max(found.values())
    about = _about(report.findings, report.rule_folders)
    rows = (
        element(
            "tr",
            element("th", text(name), scope="row"),
            element("td", text(about.get(name, ""))),
            element("td", _bar(number, most), class_="bar"),
            element("td", text(f"{number:,}"), class_="number"),
        )
        for name, number in sorted(found.items())
    )
    caption = element("caption", text("Findings by family of rules"))
    return element("table", caption, element("tbody", *rows), class_="families")


def _bar(number: int, most: int) -> Html:
    return element("meter", max=str(most), value=str(number), aria_hidden="true")


def family(code: str) -> str:
    """Return what the codes of a family have in common: ``ROC1``."""
    found = _FAMILY.match(code)
    return found[0] if found else code


def _about(findings: Sequence[Finding], folders: tuple[str, ...]) -> Mapping[str, str]:
    """Return what each family is about, as its package says: ``ROC1: ...``."""
    if not findings:
        return {}
    modules = {rule.__module__.rpartition(".")[0] for rule in load_rules(folders)}
    lines = ((sys.modules[each].__doc__ or "").strip().rstrip(".") for each in sorted(modules))
    parts = (line.partition(": ") for line in lines)
    return {name: said.partition("\n")[0] for name, _, said in parts if said}
