"""Whether all ranks of a job are what they must be: each against the manifest, then all alike."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rocmlint.text.words import counted
from rocmlint.verify.job.kernels import of_libraries
from rocmlint.verify.job.rank_comparison import alike, modules_alike
from rocmlint.verify.job.run import unreadable
from rocmlint.verify.job.same_across_ranks import SHOWN, ranks, span, together
from rocmlint.verify.job.witness_file import of_processes, stopped, where
from rocmlint.verify.job.witnesses import by_rank, leaders
from rocmlint.verify.result import Evidence, Result, evidence_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.job.witness_report import WitnessReport

CHECK = "ranks"


def world_size_of(witnesses: Sequence[WitnessReport]) -> int | None:
    """Return the number of ranks that the launcher set for them; None if it set none."""
    sizes = [int(each.facts["world_size"]) for each in witnesses if each.facts.get("world_size")]
    return max(sizes, default=None)


def complete(witnesses: Sequence[WitnessReport], watch: Watch, world_size: int | None) -> bool:
    """Return whether waiting longer would show nothing new."""
    groups = by_rank(witnesses)
    size = world_size or world_size_of(witnesses)
    return size is not None and all(
        any(set(watch.modules) <= each.modules.keys() for each in groups.get(rank, ()))
        for rank in range(size)
    )


def judge(
    watch: Watch,
    witnesses: Sequence[WitnessReport],
    problems: Sequence[str],
    world_size: int | None,
    waited: float,
) -> Iterator[Result]:
    """Yield who is missing, what each rank runs, and in what they differ.

    ``waited`` are the seconds for which missing ranks were waited for. Raises
    MissingExtraError where a GPU is named and files cannot be read without the extra.
    """
    groups = by_rank(witnesses)
    size = world_size or world_size_of(witnesses)
    yield from _presence(groups, size, waited)
    yield from _ends(groups, size)
    yield from of_processes(CHECK, chain.from_iterable(groups.values()), watch)
    yield from together(
        (rank, result) for rank, its in groups.items() for result in _never_loaded(rank, its, watch)
    )
    own = {rank: leaders(its) for rank, its in groups.items()}
    yield from together(
        (rank, _twice(rank, found)) for rank, found in own.items() if len(found) > 1
    )
    chosen = {rank: found[-1] for rank, found in own.items()}
    if len(chosen) > 1:
        judged = {name for name, sha256 in watch.modules.items() if sha256}
        yield from modules_alike(chosen, judged)
        yield from alike(chosen)
    yield from of_libraries(chosen, watch.arch)
    for problem in problems[:SHOWN]:
        yield unreadable(CHECK, problem)
    if len(problems) > SHOWN:
        yield unreadable(CHECK, f"{len(problems) - SHOWN:,} more witnesses: cannot be read either")


def _presence(
    groups: Mapping[int, Sequence[WitnessReport]], size: int | None, waited: float
) -> Iterator[Result]:
    here = counted(groups, "rank")
    if size is None:
        yield Result(
            CHECK,
            "all ranks are there",
            "the job",
            "unproven",
            "declared",
            here,
            reason="no rank reports how many there are (WORLD_SIZE), so one may be missing",
            action="add --world-size N",
        )
        return
    missing = set(range(size)) - groups.keys()
    if not missing:
        yield Result(
            CHECK, "all ranks are there", "the job", "proven", "live", f"{here} of {size:,}"
        )
    yield from together((rank, _missing(rank, groups, waited)) for rank in sorted(missing))
    strange = groups.keys() - set(range(size))
    if strange:
        yield _strange(strange, groups, size)


def _missing(rank: int, groups: Mapping[int, object], waited: float) -> Result:
    return Result(
        CHECK,
        "is there",
        f"rank {rank}",
        "unproven",
        "declared",
        f"nothing after {waited:g} s" if waited else "no witness of it",
        (Evidence("there", ranks(groups) if groups else "none"),),
        (f"rank {rank} reported nothing within {waited:g} s: it hangs, has died, or never started")
        if waited
        else f"rank {rank} left no witness: it has died, never started, or wrote to "
        "another directory",
        f"check the log and, with py-spy dump, the stack of rank {rank} on its node",
    )


def _strange(
    strange: Iterable[int], groups: Mapping[int, Sequence[WitnessReport]], size: int
) -> Result:
    known = sorted(strange)
    return Result(
        CHECK,
        "is one of the job",
        ranks(strange),
        "contradicted",
        "live",
        f"there are {size}",
        tuple(each for rank in known[:SHOWN] for each in where(groups[rank][0])),
        f"with {size} ranks, {span(strange)} cannot be one: another job wrote here",
        "use an empty directory for each job",
    )


def _ends(groups: Mapping[int, Sequence[WitnessReport]], size: int | None) -> Iterator[Result]:
    """Yield how many ranks were seen to their end; those that were asked have none."""
    last = {rank: leaders(its)[-1] for rank, its in groups.items()}
    if not last or all(each.facts.get("moment") == "asked" for each in last.values()):
        return
    known = [rank for rank, each in last.items() if each.is_known]
    now = [rank for rank in known if not last[rank].has_ended]
    seen = f"{len(known)} of {counted(range(size or len(last)), 'rank')}"
    seen += f", {len(now)} of them while running" if now else ""
    unseen = {rank: each for rank, each in last.items() if rank not in known}
    claim = "all ranks are seen at their end"
    if not unseen:
        yield Result(CHECK, claim, "the job", "proven", "live", seen)
        return
    yield Result(
        CHECK,
        claim,
        "the job",
        "unproven",
        "live",
        seen,
        evidence_of(
            "end not seen",
            [f"{each.subject}: last look {each.last_look}" for each in unseen.values()],
            SHOWN,
        ),
        f"{ranks(unseen)}: killed from outside, ended by an error in C code, hangs, or cleared "
        "its atexit handlers; what it changed after the last look is unknown",
        f"check the log of {ranks(unseen)} for what ended it; of a job that runs, ask again",
    )


def _never_loaded(rank: int, its: Sequence[WitnessReport], watch: Watch) -> Iterator[Result]:
    for name in watch.modules:
        if any(name in each.modules for each in its):
            continue
        last = leaders(its)[-1]
        over = all(each.came_to_its_end for each in leaders(its))
        yield Result(
            CHECK,
            f"{name} is loaded",
            f"rank {rank}",
            "contradicted" if over else "unproven",
            "live",
            "never imported" if over else "not imported so far",
            where(last),
            f"rank {rank} ended without importing {name}: it ran without it"
            if over
            else f"rank {rank} has started, but has not imported {name}: it {stopped(last)}",
            f"check the log of rank {rank} for what keeps it from importing {name}",
        )


def _twice(rank: int, found: Sequence[WitnessReport]) -> Result:
    return Result(
        CHECK,
        "is one process",
        f"rank {rank}",
        "unproven",
        "live",
        f"{len(found)} processes",
        tuple(each for one in found for each in where(one)),
        f"{len(found)} processes that did not start each other report that they are rank "
        f"{rank}: which one belongs to the job is unknown",
        "use an empty directory for each job, and check whether two jobs run at once",
    )
