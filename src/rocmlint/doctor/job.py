"""A job that was watched: what had to be live in it, and what is wrong or right of it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Cause, Findings, RanCode
from rocmlint.interpreter.inside.job.process import without_secrets
from rocmlint.paths import shown
from rocmlint.text.words import counted, few
from rocmlint.verify.claims.proposals import proposals
from rocmlint.verify.job.watch import watch_of_manifests
from rocmlint.verify.manifest.read import Manifest
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.doctor.examine import Examined
    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.result import Result

_UNUSED = "never imported"
_FAKED = "created by a program"
_COMMAND, _PROCESSES = "ends with exit code 0", "runs in watched Python processes"
_SHOWN = 3


def manifests_of(examined: Examined) -> list[Manifest]:
    """Return what must be live in a job of a project: its patches, and functions it replaces.

    Raises InterpreterError where the interpreter cannot be asked.
    """
    found = [each.manifest for each in examined.patches]
    wanted = [each for each in examined.claims if each.kind == "replacement" and each.given]
    targets = tuple(dict.fromkeys((each.subject, each.given) for each in wanted))
    context = replace(examined.context, targets=targets)
    folder = os.path.abspath(examined.page.project)
    made = proposals(wanted, context, folder) if wanted else ()
    functions = tuple(each.function for each in made if each.function is not None)
    if functions:
        path = os.path.join(folder, "functions.toml")  # files are named from there
        found.append(Manifest("", "", (), functions, path=path))
    return found


def watch_for(manifests: Sequence[Manifest]) -> Watch:
    """Return what to look for in each process. Raises ConfigError where two contradict."""
    return watch_of_manifests(manifests)


def take(results: Iterable[Result], command: Sequence[str], examined: Examined) -> None:
    """Put what a job showed on the page: one cause for what is alike in several processes."""
    results = list(results)
    page = examined.page
    ended = next((each.seen for each in results if each.claim == _COMMAND), "not known")
    processes = next((each for each in results if each.claim == _PROCESSES), None)
    number = len([each for each in processes.evidence if each.name != "pid"]) if processes else 0
    page.ran = RanCode(tuple(without_secrets(command)), ended, number, tuple(_watched(examined)))
    if processes is not None and not number:
        results = [each for each in results if each.claim == _COMMAND]
        page.found.unanswered.append(f"the job: {processes.reason}; {processes.action}")
    page.found.add(_findings(results, examined))


def _watched(examined: Examined) -> Iterator[str]:
    for each in examined.patches:
        files = counted(each.manifest.files, "file")
        yield f"{files} of {each.package} ({shown(each.source)})"
    functions = [it for it in examined.claims if it.kind == "replacement" and it.given]
    if functions:
        names = list(dict.fromkeys(f"{each.subject}:{each.given}" for each in functions))
        yield f"{counted(names, 'function')}: {few(names, _SHOWN)}"


def _findings(results: Sequence[Result], examined: Examined) -> Findings:
    found = Findings()
    unused = [each for each in results if each.seen == _UNUSED]
    if unused:
        names = few([each.claim.partition(" ")[0] for each in unused], _SHOWN)
        found.unanswered.append(f"the job never imported {names}: whether it should, nothing tells")
    alike: dict[tuple[str, str, str], list[Result]] = {}
    for each in results:
        if each.claim != _PROCESSES and each not in unused:
            alike.setdefault((each.verdict, each.claim, each.seen), []).append(each)
    for (verdict, claim, _), same in alike.items():
        subjects = few(list(dict.fromkeys(each.subject for each in same)), _SHOWN)
        if verdict == "contradicted" and not _is_known(same, examined.page.found.causes):
            found.causes.append(_cause(same, subjects))
        elif verdict == "unproven":
            found.unanswered.append(f"{subjects}: {claim}: {same[0].reason}")
    proven = [each for each in results if each.verdict == "proven" and each.claim != _COMMAND]
    of_files = [each for each in proven if each.claim != _PROCESSES]
    if of_files:
        subjects = few(list(dict.fromkeys(each.subject for each in of_files)), 2)
        found.right.append(f"in the job: {counted(of_files, 'statement')} proven in {subjects}")
    if not (examined.patches or of_files):
        found.unanswered.append(
            "the job: the project patches no file and replaces no function, so nothing was compared"
        )
    return found


def _is_known(same: Sequence[Result], causes: list[Cause]) -> bool:
    """Return whether a cause on the page explains results of a job; they become its evidence."""
    first = same[0]
    package = first.claim.partition(".")[0]
    kind = "faked-check" if first.seen.startswith(_FAKED) else "patch-"
    for at, cause in enumerate(causes):
        if cause.subject == package and cause.id.startswith(kind):
            ran = tuple(Evidence(f"in the job, {it.subject}", it.reason) for it in same)
            causes[at] = replace(cause, evidence=(*cause.evidence, *ran))
            return True
    return False


def _cause(same: Sequence[Result], subjects: str) -> Cause:
    first = same[0]
    failed = first.claim == _COMMAND
    return Cause(
        "job-failed" if failed else "job-runs-other-code",
        "error",
        "job",
        "the command" if failed else subjects,
        first.reason,
        (),
        (first.action,),
        "",
        tuple(it for each in same for it in (Evidence(each.subject, each.claim), *each.evidence)),
        rank=int(failed),
    )
