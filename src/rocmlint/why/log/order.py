"""Which exception comes first: that of the rank that failed first; what follows from it is last."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.why.log.log_data import Chain, LogFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.why.log.clean import LogLine
    from rocmlint.why.log.log_data import Log

_MOST = 100
"""Chains that are kept from each end of the list."""
_ROOT_CAUSE = "Root Cause (first observed failure)"
_AFTER_ROOT_CAUSE = 8
_RANK = re.compile(r"\s{0,8}rank\s{0,12}:\s{0,4}(\d{1,6})")
_EXIT = re.compile(r"\s{0,8}exitcode\s{0,12}:\s{0,4}(-?\d{1,4})(?: \(pid: (\d{1,9})\))?")
_SRUN = re.compile(
    r"(?:srun: )?error: \S{1,80}: tasks? (\d{1,6})\b.{0,60}: (?:Exited with exit code (\d{1,3})|\w)"
)
_BINARY = re.compile(r"of binary: (/[^\s'\"]{1,500})")
_ECHOES = frozenset({
    "ActorDiedError", "BackendShutdownError", "BrokenPipeError", "BrokenProcessPool",
    "CalledProcessError", "CancelledError", "ChildFailedError", "ConnectionResetError",
    "DistBackendError", "EOFError", "EngineDeadError", "EngineGenerationError",
    "KeyboardInterrupt", "ProcessExitedException", "ProcessRaisedException", "RayActorError",
    "SignalException", "SystemExit", "WorkerCrashedError",
})  # fmt: skip
"""Types of exceptions in one process that mostly follow from the failure of another."""
_ECHO_MESSAGES = (
    "Engine core initialization failed",
    "Connection closed by peer",
    "aborted due to",
)


def ordered(chains: Iterable[Chain], failure: LogFailure | None) -> tuple[Chain, ...]:
    """Return the chains, that which failed first in front, each text of a rank once."""
    found = sorted(_once(chains), key=lambda each: each.raised[0].line)
    found = found if len(found) <= 2 * _MOST else [*found[:_MOST], *found[-_MOST:]]
    if failure is not None:
        found = _with_rank(found, failure)

    def key(chain: Chain) -> tuple[bool, bool, bool, bool]:
        is_other = failure is not None and chain.rank != failure.rank
        has_frames = any(each.frames for each in chain.raised)
        return _is_warning(chain), _is_echo(chain), is_other, not has_frames

    return tuple(sorted(found, key=key))


def _once(chains: Iterable[Chain]) -> Iterator[Chain]:
    """Yield each chain, but those that only repeat exceptions of the same rank."""
    seen: set[tuple[int | None, str, str]] = set()
    shown: set[tuple[str, str]] = set()
    for chain in sorted(chains, key=lambda each: not any(it.frames for it in each.raised)):
        keys = {(it.rank, it.type.rpartition(".")[2], it.message[:200]) for it in chain.raised}
        bare = {(name, message) for _, name, message in keys}
        has_frames = any(each.frames for each in chain.raised)
        if keys <= seen or (not has_frames and chain.rank is None and bare <= shown):
            continue
        seen |= keys
        shown |= bare
        yield chain


def _with_rank(chains: list[Chain], failure: LogFailure) -> list[Chain]:
    """Give the rank that failed to exceptions without one, where all of them are the same."""
    own = [each for each in chains if not _is_echo(each) and not _is_warning(each)]
    if any(each.rank is not None for each in own) or len(own) != 1:
        return chains
    raised = tuple(replace(each, rank=failure.rank) for each in own[0].raised)
    return [Chain(raised) if each is own[0] else each for each in chains]


def _is_warning(chain: Chain) -> bool:
    return all(each.type.endswith("Warning") and not each.frames for each in chain.raised)


def _is_echo(chain: Chain) -> bool:
    return all(
        each.type.rpartition(".")[2] in _ECHOES
        or any(part in each.message[:400] for part in _ECHO_MESSAGES)
        for each in chain.raised
    )


def failure_in(lines: Sequence[LogLine]) -> LogFailure | None:
    """Return the first failure as torchrun reports it, else as srun does."""
    first = None
    for index, line in enumerate(lines):
        if _ROOT_CAUSE in line.text:
            found = _root_cause(lines[index + 1 : index + 1 + _AFTER_ROOT_CAUSE])
            if found is not None:
                return found
        elif first is None and ": task" in line.text:
            found_task = _SRUN.search(line.text)
            if found_task is not None:
                code = found_task[2]
                first = LogFailure(int(found_task[1]), int(code) if code else None)
    return first


def _root_cause(lines: Sequence[LogLine]) -> LogFailure | None:
    rank = next((found for each in lines if (found := _RANK.match(each.text))), None)
    code = next((found for each in lines if (found := _EXIT.match(each.text))), None)
    if rank is None:
        return None
    if code is None:
        return LogFailure(int(rank[1]))
    return LogFailure(int(rank[1]), int(code[1]), int(code[2]) if code[2] else None)


def binary_in(lines: Sequence[LogLine]) -> str:
    """Return the interpreter of the workers that torchrun names; empty where it names none."""
    for line in lines:
        found = _BINARY.search(line.text) if "of binary: " in line.text else None
        if found is not None:
            return found[1]
    return ""


def with_ranks(log: Log, failures: Mapping[int, str]) -> Log:
    """Give ranks to exceptions without one; ``failures`` are the types that ended each rank."""

    def with_rank(chain: Chain) -> Chain:
        last = chain.raised[-1].type.rpartition(".")[2]
        ranks = [rank for rank, name in failures.items() if name == last]
        if chain.rank is not None or len(ranks) != 1:
            return chain
        return Chain(tuple(replace(each, rank=ranks[0]) for each in chain.raised))

    return replace(log, chains=tuple(map(with_rank, log.chains)))
