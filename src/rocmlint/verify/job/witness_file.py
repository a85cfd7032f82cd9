"""Results from the witness of one process; the same for a job and for the ranks of one."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from rocmlint.interpreter.inside.job.process_exit import SIGNAL
from rocmlint.verify.job.replacements import of_functions
from rocmlint.verify.job.same_across_ranks import first_of_alike, ranks
from rocmlint.verify.job.variables import of_variables
from rocmlint.verify.live.functions import is_told
from rocmlint.verify.live.imported import result_of_file
from rocmlint.verify.live.judge import claim, result_of
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.job.witness_report import WitnessReport

_MOMENTS = {
    "start": "at the start",
    "call": "when it recorded its state",
    "import": "after the import",
    "running": "while it ran",
    "exit": "at its end",
    "exec": "right before it became another program",
    "signal": "right before a signal ended it",
    "asked": "when asked",
}
"""When something was seen, as a reader knows it."""

_EARLY = ("start", "import")


def of_processes(check: str, witnesses: Iterable[WitnessReport], watch: Watch) -> Iterator[Result]:
    """Yield the results on the watched modules and files in each process.

    Processes of one kind of which the same is known share one result.
    """
    known = list(witnesses)
    numbered = list(enumerate(known))
    found = [(at, result) for at, it in numbered for result in _of_process(check, it, watch)]
    found += [
        (at, _of_function(it, result))
        for at, it in numbered
        for result in of_functions(check, it, known, watch)
    ]

    def kind(at: int, result: Result) -> tuple[str, ...]:
        return (known[at].start, result.verdict, result.claim, result.seen)

    def on_all(_: int, result: Result, own: Sequence[int]) -> Result:
        evidence = () if result.verdict == "proven" else result.evidence
        return replace(result, subject=_together([known[at] for at in own]), evidence=evidence)

    return first_of_alike(found, kind, on_all)


def _together(witnesses: Sequence[WitnessReport]) -> str:
    start = witnesses[0].start
    many = f"({len(witnesses):,} processes{'' if start == 'program' else f', {start}'})"
    known = {each.rank for each in witnesses if each.rank is not None}
    return f"{ranks(known)} {many}" if known else many


def _of_process(check: str, witness: WitnessReport, watch: Watch) -> Iterator[Result]:
    """Yield what is known of one process."""
    yield from _of_errors(check, witness)
    for name, expected in watch.modules.items():
        if name in witness.modules and not _is_untold(witness, name, watch):
            yield _of_module(check, witness, name, expected)
    for path, sha256 in watch.files.items():
        found = witness.facts.get("files", {}).get(path)
        if found is not None:
            result = _of_file(check, witness, path, sha256, found)
            is_final = witness.is_known or result.verdict == "contradicted"
            yield result if is_final else _without_end(result, witness)
    for result in of_variables(check, witness, watch):
        is_final = witness.is_known or result.verdict == "contradicted"
        yield result if is_final else _without_end(result, witness)
    if witness.modules:
        yield from _of_versions(check, witness, watch.packages)


def _is_untold(witness: WitnessReport, name: str, watch: Watch) -> bool:
    """Return whether a module has no source, and is only watched for a function that it has."""
    now = witness.modules[name].get("now")
    return name in watch.owners and isinstance(now, dict) and "loader" in now and not is_told(now)


def _of_function(witness: WitnessReport, result: Result) -> Result:
    """Return a result on a function as one on the process in which it was looked at."""
    moment = witness.facts.get("moment")
    own = replace(
        result,
        claim=f"{result.subject} {result.claim}",
        subject=witness.subject,
        seen=result.seen if moment in _EARLY else f"{result.seen} ({_moment(witness.facts)})",
        evidence=(*result.evidence, *where(witness)),
    )
    # What has the original at one look may have replaced it after that.
    return own if witness.is_known else _without_end(own, witness)


def where(witness: WitnessReport) -> tuple[Evidence, ...]:
    """Return the evidence that identifies a process."""
    facts = witness.facts
    known = {
        "process": f"{witness.subject} on {witness.host}",
        "interpreter": f"{facts.get('executable', '')} (Python {facts.get('python', '?')})",
    }
    if facts.get("moment") != "asked":  # by a child of rocmlint's own
        known["command"] = shlex.join(witness.command)
    return tuple(Evidence(name, value) for name, value in known.items() if value)


def _of_errors(check: str, witness: WitnessReport) -> Iterator[Result]:
    errors = [str(each).strip() for each in witness.facts["errors"]]
    if not errors:
        return
    yield Result(
        check,
        "is watched",
        witness.subject,
        "unproven",
        "declared",
        errors[0].splitlines()[-1] if errors[0] else "an error without a message",
        (*(Evidence("error", each) for each in errors), *where(witness)),
        "the witness in this process failed, so what the process loaded is not fully known",
        "check this interpreter directly: rocmlint verify live MODULE --python "
        f"{witness.facts.get('executable') or 'PYTHON'}",
    )


def _of_module(check: str, witness: WitnessReport, name: str, expected: str | None) -> Result:
    """Judge a module by all looks at it: what was wrong at one of them did run like that."""
    seen = witness.modules[name]
    last, first = _result(check, witness, name, expected, seen["now"]), seen.get("at_import")
    result = replace(last, seen=f"{last.seen} ({_moment(seen)})")
    if last.verdict == "contradicted":
        if first and first != seen["now"]:
            if _result(check, witness, name, expected, first).verdict == "proven":
                reason = f"right after its import, then changed: {last.reason}"
                return replace(result, reason=reason)
        return result
    earlier = [{"now": first, "moment": "import"}] if first else []
    for each in (*earlier, *seen.get("between", ())):
        now = each.get("now", {})
        before = _result(check, witness, name, expected, now)
        # While a module is imported it is not yet what its source says.
        is_altered = last.verdict == "proven" and bool(now.get("altered")) and now is not first
        if before.verdict == "contradicted" or (before.verdict == "unproven" and is_altered):
            return replace(
                before,
                seen=f"{before.seen} ({_moment(each)}), not so {_moment(seen)}",
                reason=f"it was put right before the last look: {before.reason}",
            )
    return result if witness.is_known else _without_end(result, witness)


def _moment(seen: Mapping[str, Any]) -> str:
    return _MOMENTS.get(seen.get("moment", ""), "at an unknown moment")


def _without_end(result: Result, witness: WitnessReport) -> Result:
    """Take a verdict back for a process that nobody saw to its end: it may have changed later."""
    if result.verdict == "unproven":
        return result
    return replace(
        result,
        verdict="unproven",
        seen=f"{result.seen}; its end was not seen",
        reason=f"its end was not seen (last look {witness.last_look}): it was killed from outside "
        "or by an error in C code, cleared its atexit handlers, or still runs, and what it "
        "changed since then is unknown",
        action="let it end by itself (sys.exit, os._exit, or a signal that Python code sends); "
        "see the output of the command for what ended it",
    )


def _result(
    check: str, witness: WitnessReport, name: str, expected: str | None, comparison: dict[str, Any]
) -> Result:
    """Judge one comparison of a module with its source."""
    try:
        if "error" not in comparison:
            found = result_of(comparison, expected, check)
            return replace(
                found,
                claim=f"{name} {found.claim}",
                subject=witness.subject,
                evidence=(*found.evidence, *where(witness)),
            )
        reason = str(comparison["error"])
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        reason = f"its part of the witness is damaged ({type(error).__name__}: {error})"
    return Result(
        check,
        f"{name} {claim(expected)}",
        witness.subject,
        "unproven",
        "declared",
        "not compared",
        where(witness),
        f"{name} could not be compared with its source: {reason}",
        f"check it alone: rocmlint verify live {name}",
    )


def _of_file(
    check: str, witness: WitnessReport, path: str, sha256: str, found: Mapping[str, str]
) -> Result:
    """Judge a file of the manifest that is not a module."""
    result = result_of_file(path, sha256, found, check)
    evidence = (*result.evidence, *where(witness))
    claim_of_file = f"{path} {result.claim}"
    return replace(result, claim=claim_of_file, subject=witness.subject, evidence=evidence)


def _of_versions(
    check: str, witness: WitnessReport, packages: Mapping[str, str]
) -> Iterator[Result]:
    """Yield the packages that are not of the version the patch is made for."""
    versions = witness.facts.get("versions", {})
    for name, requires in packages.items():
        found = versions.get(name)
        if found is None or fits(found, requires):
            continue
        yield Result(
            check,
            f"{name} is {requires}",
            witness.subject,
            "contradicted",
            "located",
            found,
            where(witness),
            f"the patch is made for {name}{requires}; over {found} it mixes two versions",
            f"{witness.facts.get('executable', 'python')} -m pip install '{name}{requires}"
            "', then apply the patch again",
        )


def stopped(witness: WitnessReport) -> str:
    """Report why a process may not have come to what it was to do."""
    failure = witness.facts.get("failure")
    if failure:
        return f"ended by {failure}"
    if witness.facts.get("moment") == SIGNAL:
        return "was ended by a signal"
    return "hangs, was killed, or has not come so far"


def fits(version: str, requires: str) -> bool:
    """Return whether a version is one that a specifier of PEP 440 allows."""
    try:
        return SpecifierSet(requires).contains(version, prereleases=True)
    except InvalidVersion:
        return False
