"""Judges whether a process runs what the source of a module says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.text.words import counted, few
from rocmlint.verify.live import wrappers
from rocmlint.verify.live.differences import judgement_on, line_of, where
from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Sequence


Comparison = dict[str, Any]
"""The result of ``inside.live.compare.compare``."""

PATCHES = "rocmlint verify patches --manifest MANIFEST"

WITH_SOURCE = ("SourceFileLoader", "zipimporter")
"""The loaders of Python that run a source as it is."""

_OWN_LOADERS = (*WITH_SOURCE, None)
"""Those of Python that run the source as it is; a script has none."""

_NOT_COVERED = "computed values"
"""Values of calls and other expressions at import: only the origin of their code is known."""

_SHOWN = 20
"""How many names of one kind are listed; the rest are counted."""


def result_of(
    comparison: Comparison, expected_sha256: str | None = None, check: str = "live"
) -> Result:
    """Judge a comparison, and the source by the hash that a manifest has for it, where given."""
    return _judgement_on(comparison, expected_sha256).on(
        check,
        claim(expected_sha256, comparison.get("listed", ())),
        comparison["module"],
        _evidence(comparison, expected_sha256),
    )


def claim(expected_sha256: str | None = None, replaced: Sequence[str] = ()) -> str:
    """Return what is claimed of a module: its file is in a manifest, or functions of it are."""
    but = [few(replaced, 2)] if replaced else []
    own = "runs the code of the manifest" if expected_sha256 else "runs the code of its source"
    return f"{own}, except for {' and '.join([*but, _NOT_COVERED])}"


def not_imported(module: str, reason: str, expected_sha256: str | None = None) -> Result:
    """Return the result for a module whose import failed; ``reason`` is what it said."""
    why = f"the import failed: {reason}"
    action = f"fix the import first: python -c 'import {module}'"
    return _not_looked_at(module, expected_sha256, "not imported", why, action)


def not_checked(module: str, seconds: float, expected_sha256: str | None = None) -> Result:
    """Return the result for a module for which no time was left."""
    why = f"the time limit of {seconds:g} s ran out before it was compared"
    action = "name fewer modules, or give it more time with --timeout SECONDS"
    return _not_looked_at(module, expected_sha256, "not checked", why, action)


def _not_looked_at(
    module: str, expected_sha256: str | None, seen: str, reason: str, action: str
) -> Result:
    return Result(
        check="live",
        claim=claim(expected_sha256),
        subject=module,
        verdict="unproven",
        strength="declared",
        seen=seen,
        reason=reason,
        action=action,
    )


def _judgement_on(facts: Comparison, expected_sha256: str | None) -> Judgement:
    name = facts["module"]
    if facts["unprovable"] is not None:
        if expected_sha256 and facts.get("made") is not None:
            return _made(facts)
        return _unprovable(facts)
    if expected_sha256 not in (None, facts["sha256"], *facts.get("forms", ())):
        return Judgement(
            "contradicted",
            "hashed",
            "another file than the manifest's",
            f"{facts['origin']} is the file that is imported, and it is not the one in the "
            "manifest, so the patch is not what runs",
            f"{PATCHES} shows where the right file must go",
        )
    if facts["differing"] or facts["missing"]:
        return _other_code(facts)
    if facts["replaced"]:
        first = facts["replaced"][0]
        return _contradicted(
            f"{counted(facts['replaced'], 'attribute')} replaced at run time",
            f"{first['name']} is not the code of {facts['origin']}: it was replaced by "
            f"{where(first)}",
            f"remove the definition at {where(first)} from the job, or make that change in "
            "the file; then restart the job"
            if first["file"]
            else f"find what sets {first['name']} (setattr or an assignment) and remove it "
            "from the job",
        )
    altered = judgement_on(facts)
    if altered is not None and altered.verdict == "contradicted":
        return altered
    if facts["stale"]:
        first = facts["stale"][0]
        return _contradicted(
            f"{counted(facts['stale'], 'older object')} held elsewhere",
            f"{first['module']}.{first['attribute']} is still the object from before {name} "
            "was changed or reloaded, so calls through it run the old code",
            f"change or reload {name} before {first['module']} is imported, or import "
            f"{first['module']} again",
        )
    rest = altered or _rest(facts)
    if rest.verdict == "proven" and facts["behind"]:
        return wrappers.judgement_on(facts, _functions(facts))
    return rest


def _made(facts: Comparison) -> Judgement:
    """Judge a module of a manifest whose place a program has filled without its file."""
    name, places = facts["module"], facts["made"]
    by = f", put there by {places[0]}" if places else ""
    return _contradicted(
        "created by a program",
        f"{name} in sys.modules was created by a program, not loaded from the file of the "
        f"manifest{by}",
        f"remove {places[0]}, which puts it there"
        if places
        else f"find what sets sys.modules[{name!r}] and remove it from the job",
    )


def _unprovable(facts: Comparison) -> Judgement:
    reason = facts["unprovable"]
    action = (
        f"install {facts['module']} with its .py files and restart the job"
        if facts["loader"] == "SourcelessFileLoader"
        else "there is no Python source to compare with; check its file instead: rocmlint "
        "verify stock, or rocmlint verify patches with a manifest"
    )
    if facts["loader"] is None and facts["origin"] is None and "not loaded" in reason:
        action = f"import {facts['module']} before it is checked"
    return Judgement("unproven", "located", "nothing to compare with", reason, action)


def _other_code(facts: Comparison) -> Judgement:
    name, count = facts["module"], len(facts["differing"])
    seen = f"{facts['matched']} match, {count} differ, {len(facts['missing'])} missing"
    if facts["loads_other"] or _is_hooked(facts):
        return _other_code_loaded(facts, seen)
    first = facts["differing"][0]["name"] if count else facts["missing"][0]
    return _contradicted(
        seen,
        f"the process runs other code than {facts['origin']} has now ({first}, for "
        f"example): the file was changed after {name} was imported, or a program changed "
        "the module"
        if count
        else f"{first} is in {facts['origin']} but not in the process: the file was changed after "
        f"{name} was imported, or a program deleted it",
        f"put the file in place before anything imports {name}, then restart the job",
    )


def _is_hooked(facts: Comparison) -> bool:
    """Return whether the import went another way than Python's own, and what it runs is unknown."""
    return facts["loads_other"] is not False and facts["loader"] not in _OWN_LOADERS


def _other_code_loaded(facts: Comparison, seen: str) -> Judgement:
    if _is_hooked(facts):
        return Judgement(
            "unproven",
            "live",
            seen,
            f"{facts['module']} was imported through {facts['loader']}, a hook that "
            "rewrites code, so its functions cannot be compared with the source",
            "run the check without that hook (for example, not under pytest)",
        )
    if facts["loading"]:
        return _contradicted(
            seen,
            f"an import does not run {facts['origin']} as it is: the loader of sources was "
            f"replaced by {facts['loading']}",
            f"remove the definition at {facts['loading']} from the environment of the job (a .pth "
            "file or sitecustomize, often), then restart the job",
        )
    return _contradicted(
        seen,
        f"an import does not run {facts['origin']} but {facts['cached'] or 'a .pyc'}, which "
        "was compiled from another state of it and is taken for up to date (same time and "
        "size, or unchecked)",
        f"delete {facts['cached'] or 'the .pyc'} and restart the job",
    )


def _rest(facts: Comparison) -> Judgement:
    """Judge what ran once at the import, after all functions were found to be right."""
    name = facts["module"]
    if facts["loads_other"]:
        return _other_code_loaded(facts, "the module's own code is stale")
    if facts["literals"] and facts["changed"] is False:
        first = facts["literals"][0]
        return Judgement(
            "unproven",
            "live",
            f"{_functions(facts)}; {counted(facts['literals'], 'value')} not",
            f"{', '.join(facts['literals'][:_SHOWN])}: not the value in {facts['origin']}, and "
            "nothing in its package sets it: a program did",
            f"find what sets {first} and remove it from the job, or make that change in the file",
        )
    if facts["literals"]:
        values = ", ".join(facts["literals"][:_SHOWN])
        return Judgement(
            "unproven",
            "live",
            f"{_functions(facts)}; {counted(facts['literals'], 'value')} not",
            f"{values}: not the value in {facts['origin']}, which was changed after the "
            "program was started (or when it was changed is unknown): either the process "
            "has the older file, or it set them",
            f"put the file in place before anything imports {name}, then restart the job",
        )
    if facts["hidden"] and facts["defined"] and not facts["matched"]:
        return Judgement(
            "unproven",
            "located",
            f"none of {counted(facts['defined'], 'function')} can be reached",
            f"{name} defines functions, but the object in sys.modules under its name leads "
            "to none of them: it was replaced",
            "name the module that defines what the job uses",
        )
    if not facts["matched"] and (facts["changed"] is not False or facts["loads_other"] is None):
        return Judgement(
            "unproven",
            "located",
            "no function to compare",
            f"{name} has no function from its file, and that file was changed after the "
            "program was started (or when it was changed is unknown), so which state of it "
            "was imported is unknown",
            "restart the job now that the file is in place",
        )
    return Judgement("proven", "live", _functions(facts))


def _functions(facts: Comparison) -> str:
    if not facts["matched"]:
        functions = f"none of {facts['defined']:,}" if facts["defined"] else "no"
        return f"{functions} functions; unchanged since the program was started"
    text = (
        f"{counted(facts['matched'], 'function')} {'matches' if facts['matched'] == 1 else 'match'}"
    )
    if facts["wrapped"]:
        text += f", {len(facts['wrapped']):,} of them wrapped"
    if facts["opaque"]:
        text += f", {len(facts['opaque']):,} cannot be followed"
    return text


def _contradicted(seen: str, reason: str, action: str) -> Judgement:
    return Judgement("contradicted", "live", seen, reason, action)


def _evidence(facts: Comparison, expected_sha256: str | None) -> list[Evidence]:
    lines = {
        "source": facts["origin"],
        "put there by": one_a_line(facts.get("made") or []),
        "sha256": facts["sha256"],
        "sha256 in the manifest": expected_sha256,
        "differs only in": facts.get("forms", {}).get(expected_sha256),
        "loader": facts["loader"],
        "differs": one_a_line([f"{each['name']} ({where(each)})" for each in facts["differing"]]),
        "missing": one_a_line(facts["missing"]),
        "replaced": one_a_line([f"{each['name']} by {where(each)}" for each in facts["replaced"]]),
        "older": one_a_line(
            [f"{each['module']}.{each['attribute']} ({where(each)})" for each in facts["stale"]]
        ),
        **{name: one_a_line(its) for name, its in wrappers.lines(facts)},
        "not followed": one_a_line(facts["opaque"]),
        "altered": one_a_line([line_of(each) for each in facts["altered"]]),
    }
    return [Evidence(name, value) for name, value in lines.items() if value]


def one_a_line(names: Sequence[str]) -> str:
    """Return names one a line; of many, the first and how many more."""
    shown = list(names[:_SHOWN])
    if len(names) > _SHOWN:
        shown.append(f"and {len(names) - _SHOWN} more")
    return "\n".join(shown)
