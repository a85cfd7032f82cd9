"""Results that many ranks share, shown once: a report on a thousand must stay readable."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.text.words import few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rocmlint.verify.result import Result

SHOWN = 16
"""How many processes are shown one by one: two of each GPU of a node."""
_MOST_SPANS = 32
"""How many stretches of ranks are named: those of one GPU of each node are many."""
_OF_EACH = ((": it ", ": each "), (" has started, but has ", " have started, but have "))
"""How a reason about one rank is written of many."""


def span(numbers: Iterable[int]) -> str:
    """Return numbers as people write them: "0-2, 5"."""
    return ", ".join(_spans(numbers))


def ranks(numbers: Iterable[int]) -> str:
    """Name some ranks; of very many single ones the first."""
    known = list(numbers)
    return f"rank{'' if len(known) == 1 else 's'} {few(_spans(known), _MOST_SPANS)}"


def _spans(numbers: Iterable[int]) -> list[str]:
    parts: list[list[int]] = []
    for each in sorted(numbers):
        if parts and parts[-1][-1] == each - 1:
            parts[-1][1:] = [each]
        else:
            parts.append([each])
    return ["-".join(map(str, part)) for part in parts]


def together(found: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Yield the results on single ranks; of many that say the same the first, on all of them."""

    def on_all(rank: int, result: Result, own: Sequence[int]) -> Result:
        return replace(
            result,
            subject=ranks(own),
            reason=_of_all(result.reason, rank, own),
            action=_of_all(result.action, rank, own),
        )

    return first_of_alike(found, _kind, on_all)


def first_of_alike(
    found: Iterable[tuple[int, Result]],
    kind: Callable[[int, Result], tuple[str, ...]],
    on_all: Callable[[int, Result, Sequence[int]], Result],
) -> Iterator[Result]:
    """Yield the results on numbered processes; for many of one kind, ``on_all`` of one."""
    known = list(found)
    alike: dict[tuple[str, ...], list[int]] = {}
    for number, result in known:
        alike.setdefault(kind(number, result), []).append(number)
    for number, result in known:
        own = alike[kind(number, result)]
        if len(own) <= SHOWN:
            yield result
        elif number == own[0]:
            yield on_all(number, result, own)


def _kind(rank: int, result: Result) -> tuple[str, ...]:
    reason = result.reason.replace(f"rank {rank}", "rank")
    return (result.verdict, result.claim, result.seen, reason)


def _of_all(text: str, rank: int, own: Sequence[int]) -> str:
    for one, many in _OF_EACH:
        text = text.replace(one, many)
    return text.replace(f"rank {rank}", ranks(own))
