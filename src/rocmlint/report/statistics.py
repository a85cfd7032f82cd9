"""How often each rule found something: ``--statistics``, as a table or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.report.summary import Counts, counts
from rocmlint.text.visible import BOLD, paint
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report import Report

VERSION = 1
"""Of the JSON document; grows when a field changes its meaning or goes."""


class CodeCounts(NamedTuple):
    """How often a rule found something."""

    code: str
    name: str
    counts: Counts

    @property
    def number(self) -> int:
        """How often, notes included."""
        return self.counts.findings + self.counts.notes


def by_rule(findings: Sequence[Finding]) -> list[CodeCounts]:
    """Count the findings of each rule, the most frequent first."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        found.setdefault((finding.code, finding.name), []).append(finding)
    rows = [CodeCounts(*rule, counts(each)) for rule, each in found.items()]
    return sorted(rows, key=lambda row: (-row.number, row))


def table(report: Report, *, color: bool = False) -> Iterator[str]:
    """Yield a line for each rule: how often it found something and what of it can be fixed."""
    rows = by_rule(report.findings)
    number_width = max((len(str(row.number)) for row in rows), default=0)
    name_width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        code, name, count = row
        kinds = [
            (count.notes, "note"),
            (count.safe_fixes, "safe fix"),
            (count.unsafe_fixes, "unsafe fix"),
        ]
        about = ", ".join(counted(number, kind) for number, kind in kinds if number)
        number = paint(f"{row.number:>{number_width}}", BOLD, color=color)
        yield f"{number}  {code}  {name:<{name_width}}  {about}".rstrip() + "\n"


def document(report: Report) -> Iterator[str]:
    """Yield a JSON document, one rule a line; ``docs/schema/statistics.json`` describes it."""
    from rocmlint.report.formats.json_document import tool  # noqa: PLC0415 - a table needs no JSON
    from rocmlint.text.json import array, dumps  # noqa: PLC0415

    rules = (
        {"code": code, "name": name, **count._asdict()}
        for code, name, count in by_rule(report.findings)
    )
    yield f'{{"version": {VERSION}, "tool": {dumps(tool())},\n"rules": '
    yield from array(rules)
    summary = {"files": report.files, **counts(report.findings)._asdict()}
    yield f',\n"problems": {dumps(report.problems)},\n"summary": {dumps(summary)}}}\n'


def render(name: str, report: Report, *, color: bool) -> Iterator[str]:
    """Yield the statistics in one of the formats that they can be printed in."""
    return document(report) if name == "json" else table(report, color=color)
