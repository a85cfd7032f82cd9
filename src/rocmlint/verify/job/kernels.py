"""Whether the libraries that a rank has mapped have device code for its GPU."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from rocmlint.gpus.target import parse_target
from rocmlint.interpreter.inside.job.process import build_id, host
from rocmlint.text.words import counted
from rocmlint.verify.code_objects.describe import action, evidence, summary
from rocmlint.verify.code_objects.file_errors import MissingExtraError
from rocmlint.verify.code_objects.file_report import read_file
from rocmlint.verify.code_objects.kernel_judge import KernelJudge
from rocmlint.verify.job.same_across_ranks import ranks, together
from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.gpus.target import Target
    from rocmlint.verify.code_objects.file_report import FileReport
    from rocmlint.verify.code_objects.kernel_judge import KernelVerdict
    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.verify.result import Result

CHECK = "ranks"


def of_libraries(leading: Mapping[int, WitnessReport], arch: Target | None) -> Iterator[Result]:
    """Yield what each mapped library has for the GPU of its rank, or for the one that is named.

    A file is read where it is the one that the rank has mapped: the same inode on this machine, or
    the same build. Raises MissingExtraError where a GPU was named.
    """
    targets = {rank: arch or _target(each.facts) for rank, each in leading.items()}
    known = {rank: target for rank, target in targets.items() if target is not None}
    try:
        yield from _results_of(
            {rank: leading[rank] for rank in known}, known, named=arch is not None
        )
    except MissingExtraError:
        if arch is not None:
            raise


def _results_of(
    leading: Mapping[int, WitnessReport], targets: Mapping[int, Target], *, named: bool
) -> Iterator[Result]:
    reports: dict[str, FileReport] = {}
    found: defaultdict[tuple[str, Target, KernelVerdict], list[int]] = defaultdict(list)
    elsewhere: defaultdict[int, list[str]] = defaultdict(list)
    for rank, witness in leading.items():
        judge = KernelJudge(
            {name: str(it) for name, it in witness.facts.get("environment", {}).items()}
        )
        for library in witness.facts.get("libraries", ()):
            path = str(library.get("path", ""))
            if not _is_here(witness, library, path):
                elsewhere[rank].append(path)
                continue
            if path not in reports:
                reports[path] = read_file(path)
            if reports[path].is_for_amd:
                verdict = judge.library(reports[path], targets[rank])
                found[path, targets[rank], verdict].append(rank)
    yield from _good(found)
    for (path, target, verdict), its in found.items():
        if verdict.verdict != "proven":
            yield _bad(reports[path], target, verdict, its)
    if named:
        yield from together(
            (rank, _not_here(rank, paths, targets[rank])) for rank, paths in elsewhere.items()
        )


def _good(found: Mapping[tuple[str, Target, KernelVerdict], list[int]]) -> Iterator[Result]:
    """Yield one result for all that have code for a GPU."""
    by_target: defaultdict[Target, dict[str, list[int]]] = defaultdict(dict)
    for (path, target, verdict), its in found.items():
        if verdict.verdict == "proven":
            by_target[target].setdefault(path, []).extend(its)
    for target, paths in by_target.items():
        every = {rank for its in paths.values() for rank in its}
        count = "1 library" if len(paths) == 1 else f"{len(paths):,} libraries"
        lines = tuple(Evidence("mapped", path) for path in sorted(paths))
        claim = f"maps libraries with code that runs on {target}"
        yield Judgement("proven", "mapped", count).on(CHECK, claim, ranks(every), lines)


def _bad(report: FileReport, target: Target, verdict: KernelVerdict, its: list[int]) -> Result:
    name = os.path.basename(report.path)
    todo = action(verdict.problem, report.path, target.processor) if verdict.problem else ""
    return Judgement(
        verdict.verdict,
        "mapped",
        "; ".join(filter(None, (verdict.seen, summary(report.entries)))),
        f"{ranks(its)} mapped {name} without code for {target}: {verdict.reason}"
        if verdict.verdict == "contradicted"
        else verdict.reason,
        todo,
    ).on(CHECK, f"{name} has code that runs on {target}", ranks(its), evidence(report, ()))


def _not_here(rank: int, paths: list[str], target: Target) -> Result:
    return Judgement(
        "unproven",
        "mapped",
        f"{counted(paths, 'file')} not here",
        "these files are on another machine, or were replaced since they were loaded",
        f"run on that machine: rocmlint verify kernels --arch {target} --python PYTHON",
    ).on(
        CHECK,
        f"maps libraries with code that runs on {target}",
        ranks([rank]),
        [Evidence("mapped", path) for path in sorted(paths)],
    )


def _target(facts: Mapping[str, Any]) -> Target | None:
    """Return the GPU that a rank uses, as torch reports it; None without one."""
    architecture = ((facts.get("torch") or {}).get("device") or {}).get("architecture")
    try:
        return parse_target(str(architecture)) if architecture else None
    except ValueError:
        return None


def _is_here(witness: WitnessReport, library: Mapping[str, Any], path: str) -> bool:
    """Return whether the file at this path is the one that was mapped."""
    if library.get("deleted"):
        return False
    build = library.get("build")
    if build is not None:
        return bool(build == build_id(path))
    try:
        return witness.host == host() and os.stat(path).st_ino == library.get("inode")
    except OSError:
        return False
