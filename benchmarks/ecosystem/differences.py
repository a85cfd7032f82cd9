"""What two versions of rocmlint find differently in the same code, as a text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.ecosystem.judgements import Judgement
    from benchmarks.ecosystem.runs import Found, Key, Run

NEAR = 10
"""How many lines a finding of the same rule may move and still count as the same."""


@dataclass(frozen=True)
class Differences:
    """What came, what went, what points to another line now, and what says it in other words."""

    new: tuple[Found, ...]
    gone: tuple[Found, ...]
    moved: tuple[tuple[Found, Found], ...]
    reworded: tuple[Found, ...]


def compare(base: Sequence[Found], head: Sequence[Found]) -> Differences:
    """Compare by fingerprint; what remains of one rule in one file is paired by the line."""
    before, after = ({each.key: each for each in found} for found in (base, head))
    gone = [each for each in base if each.key not in after]
    new = [each for each in head if each.key not in before]
    moved = []
    for old in list(gone):
        near = [each for each in new if _is_near(old, each)]
        if near:
            nearest = min(near, key=lambda each: abs(each.line - old.line))
            moved.append((old, nearest))
            gone.remove(old)
            new.remove(nearest)
    reworded = [
        each for each in head if each.key in before and before[each.key].message != each.message
    ]
    return Differences(tuple(new), tuple(gone), tuple(moved), tuple(reworded))


def _is_near(old: Found, new: Found) -> bool:
    same = (old.package, old.path, old.cell, old.code) == (
        new.package,
        new.path,
        new.cell,
        new.code,
    )
    return same and abs(old.line - new.line) <= NEAR


def report(base: Run, head: Run, judged: Mapping[Key, Judgement]) -> Iterator[str]:
    """Yield the lines: what each run took, what changed for each rule, and the findings."""
    yield "| version | files | findings | wall s | CPU s |"
    yield "|---|---:|---:|---:|---:|"
    for each in (base, head):
        figures = f"{each.files} | {len(each.found)} | {each.wall:.1f} | {each.cpu:.1f}"
        yield f"| {each.version} | {figures} |"
    found = compare(base.found, head.found)
    yield ""
    yield from _by_rule(base, head, found)
    yield f"\nreworded: {len(found.reworded)}"
    for title, findings in (("new", found.new), ("gone", found.gone)):
        if findings:
            yield f"\n{title}:"
        for finding in findings:
            yield f"- {finding}{_judged(finding, judged)}"
    if found.moved:
        yield "\nmoved:"
    for old, new in found.moved:
        yield f"- {old.place} to {new.line}: {new.code} {new.message}{_judged(old, judged)}"


def _by_rule(base: Run, head: Run, found: Differences) -> Iterator[str]:
    columns = [
        Counter(each.code for each in findings)
        for findings in (
            base.found,
            head.found,
            found.new,
            found.gone,
            [new for _, new in found.moved],
        )
    ]
    yield f"| rule | {base.version} | {head.version} | new | gone | moved |"
    yield "|---|---:|---:|---:|---:|---:|"
    for code in sorted(set().union(*columns)):
        yield f"| {code} | {' | '.join(str(each[code]) for each in columns)} |"
    yield f"| all | {' | '.join(str(each.total()) for each in columns)} |"


def _judged(finding: Found, judged: Mapping[Key, Judgement]) -> str:
    judgement = judged.get(finding.key)
    return f" ({judgement.judgement}: {judgement.reason})" if judgement else ""
