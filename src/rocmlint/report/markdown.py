"""Markdown: the summary of a job on GitHub, or a comment on a merge request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.report.place import paths_in_repository
from rocmlint.report.statistics import by_rule
from rocmlint.report.summary import summary
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report

MAXIMUM = 200
"""How many findings are listed: GitHub shows a megabyte of a step, and nobody reads more."""
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&#]")


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - a browser reads it
    """Yield what was found in one line, a table of rules, then the findings and the problems."""
    yield f"### rocmlint\n\n{_text(summary(report.findings, report.files))}\n\n"
    yield from (f"- **error**: {_text(problem)}\n" for problem in report.problems)
    if not report.findings:
        return
    yield "\n| findings | code | rule |\n|---:|---|---|\n"
    for code, name, counts in by_rule(report.findings):
        yield f"| {counts.findings} | {code} | {name} |\n"
    yield "\n"
    path_of = paths_in_repository()
    for finding in report.findings[:MAXIMUM]:
        place = _code(f"{path_of(finding.path)}:{finding.shown}")
        yield f"- {place} {finding.severity} **{finding.code}**: {_text(finding.message)}\n"
    more = len(report.findings) - MAXIMUM
    yield f"\n{more:,} more are not listed.\n" if more > 0 else ""


def _text(text: str) -> str:
    """Write a text so that it means nothing but itself, apart from its ``code``."""
    parts = visible(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:  # a single backtick
        return _escaped("`".join(parts))
    return "".join(
        _code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts)
    )


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    """Write a code span: between more backticks than there are in it."""
    text = visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if not text.strip() or "`" in (text[0], text[-1]) else ""
    return f"{fence}{pad}{text}{pad}{fence}"
