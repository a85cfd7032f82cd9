"""Markdown: the summary of a job on GitHub, or a comment on a merge request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.notes import place, split
from rocmlint.report.place import paths_in_repository
from rocmlint.report.statistics import by_rule
from rocmlint.report.summary import summary
from rocmlint.rule.web import address
from rocmlint.text.markdown import code_span, prose
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report

MAXIMUM = 200
"""How many findings are listed: GitHub shows a megabyte of a step, and nobody reads more."""


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - a browser reads it
    """Yield what was found in one line, a table of rules, then the findings and the problems."""
    line = summary(report.findings, report.files, notes_fail=report.notes_fail)
    yield f"### rocmlint\n\n{prose(line)}\n\n"
    yield from (f"- **error**: {prose(problem)}\n" for problem in report.problems)
    if not report.findings:
        return
    yield "\n| findings | code | rule |\n|---:|---|---|\n"
    for row in by_rule(report.findings):
        about = f" ({counted(row.counts.notes, 'note')})" if row.counts.notes else ""
        yield f"| {row.number}{about} | {_linked(row.code, row.name)} | {row.name} |\n"
    yield "\n"
    path_of = paths_in_repository()
    # Who asks for no notes on a terminal has them in a file nevertheless.
    shown, notes = split(report if report.notes == "full" else report._replace(notes="short"))
    for finding in shown[:MAXIMUM]:
        where = code_span(f"{path_of(finding.path)}:{finding.shown}")
        yield f"- {where} {finding.severity} **{finding.code}**: {prose(finding.message)}\n"
    more = len(shown) - MAXIMUM
    yield f"\n{more:,} more are not listed.\n" if more > 0 else ""
    if notes.lines:
        yield "\n**Notes**\n\n"
    for each in notes.lines:
        where = code_span(f"{path_of(each.first.path)}{place(each)}")
        yield f"- {where} **{each.first.code}**: {prose(each.first.message)}\n"
    yield from (f"- {each}\n" for each in notes.left_out)


def _linked(code: str, name: str) -> str:
    page = address(code, name)
    return code if page is None else f"[{code}]({page})"
