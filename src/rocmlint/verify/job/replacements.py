"""Whether the functions of manifests are replaced in each process of a job that must have them."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.verify.live.functions import EXECUTED, claim, result_of_function
from rocmlint.verify.result import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.verify.live.functions import FunctionFacts
    from rocmlint.verify.manifest.function_entries import ManifestFunction
    from rocmlint.verify.result import Result

_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_HELPERS = ("forkserver server", "resource tracker")
_FORKED = ("fork", "forkserver")
_EARLY = ("start", "import")


def of_functions(
    check: str, witness: WitnessReport, others: Sequence[WitnessReport], watch: Watch
) -> Iterator[Result]:
    """Yield what is known of each function in a process that has loaded its module.

    A launcher, or a helper of an installed package, does not run the program that replaces it: it
    is left out where another process has the file. ``others`` are all processes of the job.
    """
    for function in watch.functions:
        if function.module not in witness.modules:
            continue
        facts = _facts(witness, function)
        if facts is None:
            found = _not_seen()
        elif facts.get("has_original") and not _must_have(witness, others, function):
            if _is_installed(witness) and not facts.get("is_loaded"):
                if any(_has_file(each, function) for each in others if each is not witness):
                    continue
            found = _elsewhere(witness, function)
        else:
            found = None
        if found is None:
            result = _result(check, witness, function, facts or {})
            yield _as_called(result, witness, others, function)
        else:
            yield found.on(check, claim(function), function.name)


def _as_called(
    result: Result,
    witness: WitnessReport,
    others: Sequence[WitnessReport],
    function: ManifestFunction,
) -> Result:
    """Return a proof as one of what was called, or of what a call would run.

    That it was called is asked once of the processes of a rank, or of a job without ranks: workers
    that load data have the function too, and are not to call it.
    """
    if result.verdict != "proven":
        return result
    ran = _ran(witness, function)
    if ran:
        return replace(result, strength="executed", seen=f"{result.seen} was called")
    alike = [each for each in others if each.rank == witness.rank and _is_in_place(each, function)]
    first = min(alike, key=lambda each: (each.start in _FORKED, each.facts.get("began") or 0))
    is_asked = witness.facts.get("moment") == "asked"
    if is_asked or first is not witness or any(_ran(each, function) for each in alike):
        return replace(result, claim=f"would {result.claim.replace('runs', 'run', 1)}")
    known = "was not called" if ran is False else "whether it was called is unknown"
    reason = (
        f"a call of {function.name} would run it, but the job did not call it"
        if ran is False
        else f"a call of {function.name} would run it, but this Python does not show what ran"
    )
    action = (
        "choose a command that calls it, or find out what the job uses instead (an option such as "
        f"attn_implementation decides that); {EXECUTED} shows what a call runs"
    )
    seen = f"{result.seen} would run; {known}"
    return replace(result, verdict="unproven", seen=seen, reason=reason, action=action)


def _is_in_place(witness: WitnessReport, function: ManifestFunction) -> bool:
    facts = _facts(witness, function)
    return facts is not None and facts.get("state") == "right"


def _ran(witness: WitnessReport, function: ManifestFunction) -> bool | None:
    """Return whether a process has run the function; None where it cannot know."""
    facts = _facts(witness, function) if _is_in_place(witness, function) else None
    ran = (facts or {}).get("ran")
    return ran if isinstance(ran, bool) else None


def _result(
    check: str, witness: WitnessReport, function: ManifestFunction, facts: FunctionFacts
) -> Result:
    try:
        return result_of_function(function, facts, check)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        damage = f"its part of the witness is damaged ({type(error).__name__}: {error})"
        return result_of_function(function, {"error": f"{witness.file}: {damage}"}, check)


def _facts(witness: WitnessReport, function: ManifestFunction) -> FunctionFacts | None:
    found = witness.facts.get("functions", {}).get(function.name)
    return found if isinstance(found, dict) and witness.facts.get("moment") not in _EARLY else None


def _must_have(
    witness: WitnessReport, others: Sequence[WitnessReport], function: ManifestFunction
) -> bool:
    """Return whether a process is one for which the function was to be replaced.

    That are the first processes of the program: of each rank, or without ranks of the command. A
    fork is one too, for it begins with what its parent has.
    """
    if witness.facts.get("moment") == "asked" or witness.start in _HELPERS:
        return False
    if witness.start in _FORKED:
        return True
    if witness.rank is None and any(each.rank is not None for each in others):
        return False
    alike = [it for it in others if it.rank == witness.rank and not _is_installed(it)]
    parents = {(it.host, it.pid) for it in alike if it is not witness}
    is_first = (witness.host, witness.facts.get("parent")) not in parents
    return is_first and not _starts_program(witness, others, function)


def _starts_program(
    witness: WitnessReport, others: Sequence[WitnessReport], function: ManifestFunction
) -> bool:
    """Return whether a process has started the program itself, as launchers do."""
    own = (witness.host, witness.pid)
    children = [each for each in others if (each.host, each.facts.get("parent")) == own]
    if _is_installed(witness):
        return any(not _is_installed(each) for each in children)
    return not _has_file(witness, function) and any(_has_file(it, function) for it in children)


def _is_installed(witness: WitnessReport) -> bool:
    """Return whether the program of a process is installed: a module, or a command of one."""
    program = str(witness.facts.get("program") or "")
    folder, name = os.path.split(program)
    is_command = os.path.basename(folder) in ("bin", "Scripts") and not name.endswith(".py")
    is_helper = witness.start in _HELPERS
    return is_helper or is_command or _INSTALLED.search(program) is not None


def _has_file(witness: WitnessReport, function: ManifestFunction) -> bool:
    facts = witness.facts.get("functions", {}).get(function.name)
    return isinstance(facts, dict) and bool(facts.get("is_loaded"))


def _not_seen() -> Judgement:
    return Judgement(
        "unproven",
        "declared",
        "not seen at its end",
        "the process was seen only when it started and when it imported the module; whether the "
        "function was replaced after that is unknown",
        "let the process end by itself, or call rocmlint.assert_loaded after the replacement",
    )


def _elsewhere(witness: WitnessReport, function: ManifestFunction) -> Judgement:
    if witness.facts.get("moment") == "asked":
        reason = (
            "this is a fresh interpreter, not the job: nothing in it has replaced "
            f"{function.attribute}"
        )
        action = "rocmlint verify run --keep DIR --manifest MANIFEST -- COMMAND, then verify ranks"
    else:
        reason = (
            f"this process was started beside the program and has the original of {function.name}; "
            "whether it calls it is unknown"
        )
        action = (
            "if it does, replace the function in what the process runs: only a fork has what its "
            "parent replaced"
        )
    return Judgement("unproven", "live", "the original", reason, action)
