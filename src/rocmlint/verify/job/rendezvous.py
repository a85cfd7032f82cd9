"""One rank among the others: asks its own interpreter, meets them, judges or hears the verdict."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.interpreter.inside.job.process import host
from rocmlint.interpreter.inside.job.witness import VERSION
from rocmlint.verify.job.ranks import judge
from rocmlint.verify.job.store import Exchange, RankPlace
from rocmlint.verify.job.witness_report import parsed
from rocmlint.verify.result import EXIT_CODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.verify.result import Result

_MARGIN = 10.0
"""Seconds that rank 0 may take to judge and print, after the time for the others is over."""


def meet(
    place: RankPlace, watch: Watch, timeout: float, tell: Callable[[Iterable[Result]], int]
) -> int:
    """Take part, and give the exit code that the first rank came to; ``tell`` prints it there.

    ``timeout`` seconds are what a rank has to be there and to answer. Raises StoreError.
    """
    until = time.monotonic() + timeout
    exchange = Exchange(place, timeout)
    exchange.say(json.dumps(_own_facts(place, watch, max(until - time.monotonic(), 1.0))))
    if place.rank == 0:
        return _judge_all(exchange, exchange.gather(until), watch, timeout, tell)
    code = exchange.verdict(until)
    if code is None and not exchange.has_spoken(0):
        # The store is an agent's, for it outlives rank 0; the first rank that is there judges.
        facts = exchange.gather(until)
        if min(facts) == place.rank:
            return _judge_all(exchange, facts, watch, timeout, tell)
    if code is None:
        code = exchange.verdict(until + _MARGIN)
    if code is not None:
        return code
    sys.stderr.write(f"rank {place.rank}: no rank reported a verdict in time; nothing is proven\n")
    return EXIT_CODES["unproven"]


def _judge_all(
    exchange: Exchange,
    facts: Mapping[int, str],
    watch: Watch,
    timeout: float,
    tell: Callable[[Iterable[Result]], int],
) -> int:
    witnesses, problems = _read(facts)
    code = tell(judge(watch, witnesses, problems, exchange.place.world_size, timeout))
    sys.stdout.flush()  # before anybody leaves: torchrun ends all ranks when one has failed
    exchange.conclude(code, facts)
    return code


def _own_facts(place: RankPlace, watch: Watch, timeout: float) -> dict[str, Any]:
    """Ask a child of this interpreter, so that a module that hangs does not hang the rank."""
    known: dict[str, Any] = {"witness": VERSION, "host": host(), "pid": os.getpid(), "errors": []}
    try:
        known.update(Interpreter(sys.executable, timeout * 0.9).ask("job.witness", watch.request()))
    except InterpreterError as error:
        known["errors"] = [str(error)]
    return {**known, "rank": place.rank, "world_size": place.world_size}


def _read(facts: Mapping[int, str]) -> tuple[list[WitnessReport], list[str]]:
    witnesses, problems = [], []
    for rank, text in sorted(facts.items()):
        found = parsed(f"rank {rank}", text)
        if isinstance(found, str):
            problems.append(found)
        else:
            witnesses.append(found)
    return witnesses, problems
