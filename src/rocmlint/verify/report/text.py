"""For people: a table of all results, then each cause of those that are not proven, in full."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tabulate import tabulate

from rocmlint.text.visible import BOLD, GREEN, RED, YELLOW, paint, visible
from rocmlint.text.words import few
from rocmlint.verify.result import CLAIMED_AT, VERDICTS, WRAPPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.result import Result

_STYLES = {"proven": GREEN, "contradicted": RED, "unproven": YELLOW}


def render(results: Sequence[Result], *, color: bool, width: int | None) -> Iterator[str]:
    """Yield the table, what is not proven with its evidence, and the count of each verdict.

    A table that a terminal would break becomes three lines for each result.
    """
    if not results:
        yield "There was nothing to check.\n"
        return
    rows = [_row(each, color=color) for each in results]
    table = tabulate(rows, _HEADERS, disable_numparse=True)
    if width is None or len(table.partition("\n")[2].partition("\n")[0]) <= width:
        yield f"{table}\n"
    else:
        yield from ("{}  {}  {}\n    {}\n    -> {}\n".format(*row) for row in rows)
    causes: dict[object, list[Result]] = {}
    for each in results:
        if each.verdict != "proven":
            causes.setdefault(_cause(each), []).append(each)
    for alike in causes.values():
        yield "\n" + "".join(f"{line}\n" for line in _in_full(alike, color=color))
    yield from _wrappers(results)
    counts = Counter(each.verdict for each in results)
    yield "\n" + ", ".join(f"{counts[each]:,} {each}" for each in VERDICTS) + ".\n"


def _wrappers(results: Sequence[Result]) -> Iterator[str]:
    """Yield by what the code of proven claims is wrapped, once for all processes of a job."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in results:
        for named in each.evidence:
            if each.verdict == "proven" and named.name in WRAPPERS:
                found.setdefault((named.name, named.value), []).append(each.subject)
    for (name, value), subjects in found.items():
        yield f"\n{visible(few(subjects, 1))}\n"
        yield from (f"{line}\n" for line in _lines(name, value))


_HEADERS = ("verdict", "evidence", "subject", "claim", "seen")


def _row(result: Result, *, color: bool) -> tuple[str, ...]:
    verdict = paint(result.verdict, _STYLES[result.verdict], color=color)
    rest = (result.strength, result.subject, result.claim, result.seen)
    return (verdict, *(visible(each) for each in rest))


def _cause(result: Result) -> object:
    """Return what results of one cause share: all but the claim, its subject and its places."""
    seen = tuple(each for each in result.evidence if each.name != CLAIMED_AT)
    return (result.verdict, result.reason, result.action, seen)


def _in_full(alike: Sequence[Result], *, color: bool) -> Iterator[str]:
    """Yield each claim, then once what holds for all of them."""
    for each in alike:
        verdict = paint(each.verdict, _STYLES[each.verdict], BOLD, color=color)
        yield f"{verdict}: {visible(each.subject)}: {visible(each.claim)}"
    yield from _lines("why", alike[0].reason)
    yield from _lines("do", alike[0].action)
    evidence = dict.fromkeys(seen for each in alike for seen in each.evidence)
    for seen in sorted(evidence, key=lambda seen: seen.name != CLAIMED_AT):
        yield from _lines(seen.name, seen.value)


def _lines(name: str, value: str) -> Iterator[str]:
    first, *more = value.splitlines() or [""]
    yield f"  {visible(name)}: {visible(first)}"
    yield from (f"    {visible(each)}" for each in more)
