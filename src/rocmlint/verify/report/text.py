"""For people: a table of all results, then in full what is not proven."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tabulate import tabulate

from rocmlint.text.visible import BOLD, GREEN, RED, YELLOW, paint, visible
from rocmlint.text.words import few
from rocmlint.verify.result import VERDICTS, WRAPPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.result import Result

_STYLES = {"proven": GREEN, "contradicted": RED, "unproven": YELLOW}


def render(results: Sequence[Result], *, color: bool, width: int | None) -> Iterator[str]:
    """Yield the table, what is not proven with its evidence, and the count of each verdict.

    A table that a terminal would break is told in three lines for each result.
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
    for each in results:
        if each.verdict != "proven":
            yield "\n" + "".join(f"{line}\n" for line in _in_full(each, color=color))
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


def _in_full(result: Result, *, color: bool) -> Iterator[str]:
    verdict = paint(result.verdict, _STYLES[result.verdict], BOLD, color=color)
    yield f"{verdict}: {visible(result.subject)}: {visible(result.claim)}"
    yield from _lines("why", result.reason)
    yield from _lines("do", result.action)
    for each in result.evidence:
        yield from _lines(each.name, each.value)


def _lines(name: str, value: str) -> Iterator[str]:
    first, *more = value.splitlines() or [""]
    yield f"  {visible(name)}: {visible(first)}"
    yield from (f"    {visible(each)}" for each in more)
