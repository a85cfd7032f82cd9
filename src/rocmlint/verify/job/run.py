"""Whether the processes of a job run what they must: judged from their witnesses."""

from __future__ import annotations

import shlex
import signal
from typing import TYPE_CHECKING

from rocmlint.interpreter.inside.job.process import host
from rocmlint.text.words import counted
from rocmlint.verify.job.processes import INTERVAL, isolation
from rocmlint.verify.job.same_across_ranks import ranks
from rocmlint.verify.job.witness_file import of_processes, stopped, where
from rocmlint.verify.job.witnesses import by_rank
from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.job.processes import Ending, Python
    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.job.witness_report import WitnessReport

CHECK = "run"


def judge(
    watch: Watch, witnesses: Sequence[WitnessReport], problems: Sequence[str], ending: Ending
) -> Iterator[Result]:
    """Yield the command's end, each module in each process, and what could not be seen."""
    unseen = [each for each in ending.pythons if not _is_witnessed(each, witnesses)]
    yield _of_command(ending)
    yield _of_processes(watch, witnesses, ending)
    yield from of_processes(CHECK, witnesses, watch)
    yield from _never_loaded(watch, witnesses, hidden=bool(unseen) or not witnesses)
    for each in unseen:
        yield _of_unseen(each)
    for problem in problems:
        yield unreadable(CHECK, problem)


def unreadable(check: str, problem: str) -> Result:
    """Report a witness that cannot be read."""
    path, _, why = problem.partition(": ")
    return Result(
        check,
        "can be read",
        path,
        "unproven",
        "declared",
        why,
        reason="a process should have written its state into this file; nothing is known from it",
        action="check the free space and the permissions there, then run the job again",
    )


def _of_command(ending: Ending) -> Result:
    failed = ending.code != 0 or ending.timed_out
    if ending.signal is not None:
        seen = f"ended by {signal.Signals(ending.signal).name}"
    else:
        seen = f"exit code {ending.code}"
    reason = f"the command failed ({seen}), so anything it would have done later was not seen"
    if ending.timed_out:
        reason = f"the command did not finish within the time limit, so it was ended ({seen})"
    elif ending.interrupted is not None:
        name = signal.Signals(ending.interrupted).name
        reason = f"the command was interrupted by {name} ({seen}), so the rest was not seen"
    return Result(
        CHECK,
        "ends with exit code 0",
        "the command",
        "contradicted" if failed else "proven",
        "executed",
        seen,
        (Evidence("exit code", str(ending.code)),),
        reason if failed else "",
        "read the output of the command, fix it, and run this again" if failed else "",
    )


def _of_processes(watch: Watch, witnesses: Sequence[WitnessReport], ending: Ending) -> Result:
    """Return which Python processes there were; that none was missed is never proven."""
    evidence = [Evidence(each.subject, _line(each)) for each in witnesses]
    evidence += [Evidence(f"pid {each}", "still runs, no longer watched") for each in ending.left]
    count = f"{counted(witnesses, 'Python process')} with a witness"
    if not witnesses:
        judgement = Judgement(
            "unproven",
            "declared",
            count,
            "no Python process of the command could be watched",
            "start the job itself here: no container, no -I, -E or -S, no cleared environment",
        )
    elif not watch:
        judgement = Judgement(
            "unproven",
            "declared",
            count,
            "no manifest or module was given, so nothing was compared",
            "add --manifest FILE (rocmlint verify manifest writes one) or --module NAME",
        )
    else:
        judgement = Judgement("proven", "live", count)
    return judgement.on(CHECK, "runs in watched Python processes", "the command", evidence)


def _line(witness: WitnessReport) -> str:
    loaded = ", ".join(witness.modules) or "no watched module"
    return f"{witness.facts.get('executable', '?')}: {loaded}"


def _never_loaded(
    watch: Watch, witnesses: Sequence[WitnessReport], *, hidden: bool
) -> Iterator[Result]:
    """Yield the modules that no process, or none of a rank, has imported."""
    groups = by_rank(witnesses)
    for name in watch.modules:
        loaders = [each for each in witnesses if name in each.modules]
        if not loaders:
            yield _missing(name, "the command", witnesses, hidden=hidden)
            continue
        without = sorted(
            rank for rank, its in groups.items() if all(name not in each.modules for each in its)
        )
        if any(each.rank is not None for each in loaders):
            for rank in without:
                yield _missing(name, ranks([rank]), groups[rank], hidden=hidden)
    for path in watch.files:
        if witnesses and not any(path in each.facts.get("files", {}) for each in witnesses):
            yield _missing(path, "the command", witnesses, hidden=hidden)


def _missing(name: str, subject: str, its: Sequence[WitnessReport], *, hidden: bool) -> Result:
    """Report what was never imported: a fault only where all came to an end of their own."""
    if not its:
        return Result(
            CHECK,
            f"{name} is loaded",
            subject,
            "unproven",
            "declared",
            "not known",
            reason="no Python process could be watched, so nothing is known about its imports",
            action="start the job so that it can be watched, as described for the command above",
        )
    cut = [each for each in its if not each.came_to_its_end]
    if cut:
        first = next((each for each in cut if each.facts.get("failure")), cut[0])
        return Result(
            CHECK,
            f"{name} is loaded",
            subject,
            "unproven",
            "live",
            "not imported before it ended",
            where(first),
            f"{first.subject} {stopped(first)}, before anything of {subject} imported {name}",
            "find what ended it in the output of the command, fix it, and run this again",
        )
    doubt = " that has a witness" if hidden else ""
    return Result(
        CHECK,
        f"{name} is loaded",
        subject,
        "unproven" if hidden else "contradicted",
        "live",
        "never imported",
        reason=f"no process of {subject}{doubt} ever imported {name}, so it did not run there",
        action="find out why it is not imported: an option that is off, a copy under "
        "another name, a command that does something else; if this job does not "
        "need it, name what it needs with --module instead of --manifest",
    )


def _is_witnessed(python: Python, witnesses: Sequence[WitnessReport]) -> bool:
    own = [each for each in witnesses if (each.host, each.pid) == (host(), python.pid)]
    if any(each.command == python.command for each in own):
        return True
    # A program may rename itself; but one with -I is another than the one that was seen before.
    return bool(own) and isolation(python.command) is None


def _of_unseen(python: Python) -> Result:
    flag = isolation(python.command)
    if flag is not None:
        reason = (
            f"{flag} makes Python ignore PYTHONPATH or sitecustomize, so the process "
            "cannot be watched"
        )
        action = f"start it without {flag}, or call rocmlint.assert_loaded in the program"
    elif python.embedded:
        reason = "the program embeds Python, and did not start it with sitecustomize"
        action = "call rocmlint.assert_loaded in the code that it runs"
    elif python.witnessed is False:
        reason = "it was started with its own environment, without the variables of verify run"
        action = (
            "pass PYTHONPATH and ROCMLINT_WITNESS on to it, for example with "
            "env={**os.environ, ...}"
        )
    else:
        reason = (
            "it wrote nothing: its PYTHONPATH was changed, it was killed while starting, "
            "or it runs as a user without write permission there"
        )
        action = "append the old PYTHONPATH to the new one, or call rocmlint.assert_loaded"
    return Result(
        CHECK,
        "is watched",
        f"(pid {python.pid})",
        "unproven",
        "declared",
        f"no witness{f' ({flag})' if flag else ''}",
        (Evidence("command", shlex.join(python.command)),),
        f"{reason}; what this process loaded is unknown",
        action,
    )


LIMITS = f"""A process cannot be watched if it is started with -I, -E or -S, with another
PYTHONPATH or environment, by a program that embeds Python, in a container, or on a machine that
cannot read the directory. Those on this machine that live longer than {INTERVAL:g} s are listed."""
