"""Findings about a whole project, which many places show: they are reported once a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.findings import Finding

_SENTENCE_END = compile_lazily(r"[.!?](?=\s+[A-Z`]|\Z)")
_MOST_SENTENCES = 2
"""How many sentences a help has at most."""


def folded(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return one finding for all with the same ``once``: the first of the most severe.

    It counts the others.
    Its fix is theirs too, as far as they are in the same file. They stay in order. A file is linted
    without a look at the others, and may be known from the cache, so that only who has them all can
    tell which is the first. One with related places, which is where to edit, is for all others.
    """
    alike: dict[str, list[Finding]] = {}
    for each in findings:
        if each.once:
            alike.setdefault(each.once, []).append(each)
    if not alike:
        return findings
    alike = {once: [each for each in some if each.related] or some for once, some in alike.items()}
    firsts = {once: _first(some) for once, some in alike.items()}
    return [
        _for_all(each, alike[each.once]) if each.once else each
        for each in findings
        if not each.once or each is firsts[each.once]
    ]


def _first(alike: Sequence[Finding]) -> Finding:
    """Return the first of the most severe: a note about all must not replace an error of one."""
    from rocmlint.findings import SEVERITIES  # noqa: PLC0415 - few runs have such findings

    return min(alike, key=lambda each: (SEVERITIES.index(each.severity), each.sort_key))


def _for_all(first: Finding, alike: list[Finding]) -> Finding:
    from dataclasses import replace  # noqa: PLC0415 - few runs have such findings

    told = _told(first.help, _others(first, alike))
    fixes = [each.fix for each in alike if each.path == first.path and each.fix is not None]
    if len(alike) == 1 or first.fix is None:
        return replace(first, help=told)
    edits = dict.fromkeys(edit for fix in fixes for edit in fix.edits)
    safe = all(fix.safe for fix in fixes)
    return replace(first, help=told, fix=replace(first.fix, edits=tuple(edits), safe=safe))


def _told(help: str, others: str) -> str:
    """Add to the help how many others there are; to two sentences already, as a clause."""
    if not others or len(_SENTENCE_END.findall(help)) < _MOST_SENTENCES:
        return f"{help} {others}".rstrip()
    return f"{help[:-1]}; {others[0].lower()}{others[1:]}"


def _others(first: Finding, alike: Sequence[Finding]) -> str:
    """Say how many other places there are, and how many of them are in other files."""
    # A loop of Python's may run commands that are alike at one place.
    places = {(each.path, each.cell, each.line, each.column) for each in alike}
    elsewhere = [path for path, *_ in places if path != first.path]
    more = len(places) - 1
    if not more:
        return ""
    told = f"The same holds for {more} more place{'s' if more > 1 else ''}"
    files = len(set(elsewhere))
    if not files:
        return f"{told}."
    some = "" if len(elsewhere) == more else f"{len(elsewhere)} of them "
    return f"{told}, {some}in {'another file' if files == 1 else f'{files} other files'}."
