"""Judges whether a function that a program replaces is code of the file that it must be of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.text.words import few
from rocmlint.verify.live.judge import WITH_SOURCE, one_a_line, result_of
from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.live.judge import Comparison
    from rocmlint.verify.manifest.function_entries import ManifestFunction

FunctionFacts = dict[str, Any]
"""The facts about one function, from ``inside.live.claimed_functions.function_facts``."""

EXECUTED = "rocmlint verify live --manifest MANIFEST --executed --call PKG.MOD:FUNC"


def claim(function: ManifestFunction) -> str:
    """Return what is claimed of a function of a manifest."""
    what = f"{function.function} of " if function.function else "the code of "
    return f"runs {what}{function.file}"


def results_of_functions(
    functions: Sequence[ManifestFunction],
    found: Sequence[FunctionFacts],
    modules: Mapping[str, Comparison],
    called: str = "",
    check: str = "live",
) -> Iterator[Result]:
    """Yield a result for each function, and for each module that it is looked up in.

    ``modules`` are comparisons, by name; one without Python source has nothing to compare.
    ``called`` is what was run, if anything was watched.
    """
    for function, facts in zip(functions, found, strict=True):
        yield result_of_function(function, facts, check, called)
    for name in dict.fromkeys(each.module for each in functions):
        if name in modules and is_told(modules[name]):
            yield result_of(modules[name], None, check)


def is_told(comparison: Comparison) -> bool:
    """Return whether a module is reported although only its replaced functions are wanted."""
    return bool(comparison["unprovable"] is None or comparison["loader"] in WITH_SOURCE)


def result_of_function(
    function: ManifestFunction, facts: FunctionFacts, check: str = "live", called: str = ""
) -> Result:
    """Judge what was found where a function is looked up; ``called`` is what was run meanwhile."""
    if "error" in facts:
        judgement = _unproven("not looked at", str(facts["error"]), _alone(function))
        return judgement.on(check, claim(function), function.name)
    return _judgement_on(function, facts, called).on(
        check, claim(function), function.name, _evidence(function, facts)
    )


def _alone(function: ManifestFunction) -> str:
    return f"fix this first: python -c 'import {function.module}'"


def _judgement_on(function: ManifestFunction, facts: FunctionFacts, called: str) -> Judgement:
    file = facts["file"]
    if facts["wanted_sha256"] and facts["sha256"] not in (None, facts["wanted_sha256"]):
        return Judgement(
            "contradicted",
            "hashed",
            "another file than the manifest's",
            f"{file} has other content than the manifest says",
            "restore the file, or write the manifest again",
        )
    if facts["state"] == "unknown":
        return _unproven("not known", facts["problem"], _fix_of(function, facts))
    if facts["problem"]:
        action = "remove what changes it from the job, then restart the job"
        return _unproven(f"code of {place_of(facts['place'])}", facts["problem"], action)
    if facts["older"] and facts["state"] in ("right", "around"):
        return _held_elsewhere(function, facts)
    if facts["state"] == "right":
        return _right(function, facts, called)
    if facts["state"] == "around":
        return _around(function, facts, called)
    if facts["state"] == "copy":
        return _unproven(
            f"the same code from {place_of(facts['place'])}",
            f"{place_of(facts['place'])} is in another file than {file} with the same content, so "
            "a change of one would not reach the other",
            "import the file that the manifest names, or name the other one in the manifest",
        )
    return _contradicted(function, facts)


def _fix_of(function: ManifestFunction, facts: FunctionFacts) -> str:
    if facts["sha256"] is None:
        return "file is relative to the directory of the manifest: correct it there"
    if "not loaded" in str(facts["problem"]):
        return f"import {function.module} before it is checked"
    return f"name the module that defines {function.attribute} in the manifest"


def _held_elsewhere(function: ManifestFunction, facts: FunctionFacts) -> Judgement:
    first = facts["older"][0]
    holder = f"{first['module']}.{first['attribute']}"
    place = f" ({place_of(first)})" if first["file"] else ""
    return Judgement(
        "contradicted",
        "live",
        "the original is held elsewhere",
        f"{holder} is still the original{place} from before it was replaced, so calls "
        "through it run the old code",
        f"replace {function.attribute} before {first['module']} is imported, or set {holder} too",
    )


def _right(function: ManifestFunction, facts: FunctionFacts, called: str) -> Judgement:
    found = f"{facts['defined_as']} ({place_of(facts['place'])})"
    if called and not facts["ran"]:
        return _unproven(
            f"{found} did not run",
            f"{function.name} is the function of {facts['file']}, but {called} did not run it",
            "choose a call that uses it, or find out what it uses instead",
        )
    if called:
        return Judgement("proven", "executed", f"{found} ran")
    return Judgement("proven", "live", found)


def _around(function: ManifestFunction, facts: FunctionFacts, called: str) -> Judgement:
    place, inside = _what(facts), few(facts["inside"], 2)
    if called and facts["ran"]:
        return Judgement("proven", "executed", f"{inside} ran, called by {place}")
    if called:
        return _unproven(
            f"behind {place}",
            f"{function.name} is {place}, which has {inside} of {facts['file']}, but {called} did "
            "not run it through there",
            "choose a call that uses it, or remove what is around it",
        )
    return _unproven(
        f"behind {place}",
        f"{function.name} is {place}, which has {inside} of {facts['file']}; whether it calls "
        "that only a run can show",
        f"{EXECUTED}; or remove what is around it",
    )


def _contradicted(function: ManifestFunction, facts: FunctionFacts) -> Judgement:
    name, file, place = function.name, facts["file"], _what(facts)
    install = (
        f"call what installs it in each process, after {function.module} is imported, and look "
        "for what sets it back"
    )
    restart = "put the file in place before anything imports it, then restart the job"
    remove = f"remove the definition at {place} from the job, or name its file in the manifest"
    package = function.module.partition(".")[0]
    outdated = (
        f"{name} is {place}, and {file} has no such code now: the file was changed after it was "
        "imported, or a program made that code"
    )
    around = ", around the original" if facts["has_original"] else ""
    seen, reason, action = {
        "original": (
            "the original",
            f"{name} is the original, {place}: nothing replaced it, or it was set back",
            install,
        ),
        "absent": (
            "not there",
            f"{function.module} has no {function.attribute}, so nothing calls a replacement",
            f"install the version of {package} that has it, or delete the entry",
        ),
        "another": (
            f"{facts['defined_as']} ({place})",
            f"{name} is {facts['defined_as']} of {file}, not {function.function}",
            "set the function that the manifest names, or correct the manifest",
        ),
        "outdated": (
            "code that the file does not have",
            outdated,
            restart,
        ),
    }.get(facts["state"], ("other code", f"{name} is {place}{around}, not code of {file}", remove))
    return Judgement("contradicted", "live", seen, reason, action)


def _what(facts: FunctionFacts) -> str:
    """Return what is there: the place of its code, and the type of what is not a function."""
    kind = "" if facts["kind"] in ("function", "type") else f"{facts['kind']} "
    place: Mapping[str, Any] = facts["place"]
    if place["file"] is None:
        return f"a {kind}object without Python code" if kind else "an object without Python code"
    return f"{kind}{place_of(place)}" if not kind else f"a {kind}at {place_of(place)}"


def _unproven(seen: str, reason: str, action: str) -> Judgement:
    return Judgement("unproven", "live", seen, reason, action)


def _evidence(function: ManifestFunction, facts: FunctionFacts) -> list[Evidence]:
    lines = {
        "file": facts["file"],
        "sha256": facts["sha256"],
        "sha256 in the manifest": function.sha256,
        "runs": place_of(facts["place"]) if facts["kind"] else "",
        "original held by": one_a_line([_held(each) for each in facts["older"]]),
        "original kept as": one_a_line([_held(each) for each in facts["kept"]]),
    }
    return [Evidence(name, str(value)) for name, value in lines.items() if value]


def _held(entry: Mapping[str, Any]) -> str:
    return f"{entry['module']}.{entry['attribute']} ({place_of(entry)})"


def place_of(place: Mapping[str, Any]) -> str:
    """Return ``file:line``, or what stands for it."""
    if place["file"] is None:
        return "not Python code"
    return f"{place['file']}:{place['line']}" if place["line"] else str(place["file"])
