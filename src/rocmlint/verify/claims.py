"""Checking what code claims: each claim by the check that is made for it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.claims import PATH, fast_path, package_of_attention
from rocmlint.errors import RocmlintError
from rocmlint.verify import patches, stock
from rocmlint.verify.inside.files import sha256_of
from rocmlint.verify.manifest import Manifest, ManifestFile, make
from rocmlint.verify.result import STRENGTHS, Evidence, Judgement, Result, overall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.findings import Claim
    from rocmlint.verify.interpreter import Interpreter

    Checked = tuple[Judgement, tuple[Evidence, ...]]

CHECK = "claims"
_SHOWN = 5
"""How many places or files are named of many."""
_RUN = "rocmlint verify run --module {module} -- python PROGRAM"


@dataclass(frozen=True)
class Context:
    """Where claims are checked, and the manifests that tell what is right."""

    interpreter: Interpreter
    manifests: tuple[Manifest, ...] = ()


def check(claims: Iterable[Claim], context: Context) -> dict[Claim, Result]:
    """Check each claim once, wherever it is made: the result by the claim without its place.

    What cannot be asked is unproven, and hides none of the others.
    """
    places: dict[Claim, list[str]] = {}
    for each in claims:
        places.setdefault(without_place(each), []).append(f"{each.path}:{each.line}")
    return {each: _result(each, where, context) for each, where in places.items()}


def without_place(claim: Claim) -> Claim:
    """Give what is the same of a claim wherever it is made."""
    return replace(claim, path="", line=0, command="")


def _result(claim: Claim, places: list[str], context: Context) -> Result:
    try:
        judgement, evidence = _CHECKS[claim.kind](claim, context)
    except RocmlintError as error:
        reason, _, details = str(error).partition("\n")
        action = "mend what is said here (--python and --timeout help), then run this again"
        judgement = Judgement("unproven", "declared", "not asked", reason, action)
        evidence = (Evidence("details", details),) if details else ()
    made = _as_evidence("claimed at", list(dict.fromkeys(places)))
    return judgement.on(CHECK, claim.statement, claim.subject, (*made, *evidence))


def _patched_files(claim: Claim, context: Context) -> Checked:
    """Compare the files that are copied with those that an import takes."""
    if os.path.exists(claim.given):
        return _by_manifests([_manifest_of_copy(claim.given, claim.subject)], context)
    judgement, evidence = _patch_check(claim, context)
    if claim.given:
        evidence = (Evidence("not there", f"{claim.given}, which is to be copied"), *evidence)
    return judgement, evidence


def _patch_check(claim: Claim, context: Context) -> Checked:
    known = [each for each in context.manifests if _is_about(each, claim.subject)]
    return _by_manifests(known, context) if known else _by_record(claim.subject, context)


def _is_about(manifest: Manifest, target: str) -> bool:
    return any(f"{each.path}/".startswith(f"{target}/") for each in manifest.files)


def _manifest_of_copy(origin: str, target: str) -> Manifest:
    package = target.partition("/")[0]
    if os.path.isdir(origin):
        return make(origin, package, target)
    name = os.path.basename(origin)
    path = target if target.endswith(f"/{name}") else f"{target}/{name}"
    return Manifest(package, "", (ManifestFile(path, sha256_of(origin)),))


def _by_manifests(manifests: Sequence[Manifest], context: Context) -> Checked:
    """Sum up what ``verify patches`` says of each file."""
    results = [each for it in manifests for each in patches.check(it, context.interpreter)]
    verdict = overall(results)
    decisive = [each for each in results if each.verdict == verdict]
    weakest = min(decisive, key=lambda each: STRENGTHS.index(each.strength))
    first = decisive[0]
    seen = f"{len(decisive)} of {len(results)} files: {first.seen}"
    judgement = Judgement(verdict, weakest.strength, seen, first.reason, first.action)
    files = [f"{each.subject}: {each.verdict}, {each.seen}" for each in results]
    return judgement, _as_evidence("file", files)


def _by_record(target: str, context: Context) -> Checked:
    """Say what the package's own RECORD tells: whether anything is patched at all."""
    package = target.partition("/")[0]
    (result,) = stock.check([package], context.interpreter)
    changed = [
        each.value
        for each in result.evidence
        if each.name in {"changed", "added"} and each.value.startswith(target)
    ]
    if changed:
        reason = "these files are not the wheel's, but nothing tells what they should be"
        action = (
            f"rocmlint verify manifest OVERLAY --package {package}==VERSION --output patches.toml, "
            'then manifests = ["patches.toml"] in [tool.rocmlint.verify]'
        )
        judgement = Judgement("unproven", "hashed", f"{len(changed)} files differ", reason, action)
        return judgement, _as_evidence("not the wheel's", changed)
    if result.verdict == "unproven":
        parts = (result.strength, result.seen, result.reason, result.action)
        return Judgement("unproven", *parts), result.evidence
    reason = f"every file of {target} is the one that its wheel brought: nothing is patched there"
    action = "copy the patch to where imports look, before the job starts, and verify again"
    return Judgement("contradicted", "hashed", "stock", reason, action), result.evidence


def _replacement(claim: Claim, context: Context) -> Checked:
    told = context.interpreter.ask("defined", {"module": claim.subject, "name": claim.given})
    name, package = (each.partition(".")[0] for each in (claim.given, claim.subject))
    other = f"install the version of {package} that this code is made for, or delete the patch"
    if not told["found"]:
        reason = f"this interpreter finds no module {claim.subject}: the code there cannot run"
        return Judgement("contradicted", "located", "no such module", reason, other), ()
    if told["absent"]:
        reason = f"{told['origin']} has no {name}: nothing calls what is set there"
        return Judgement("contradicted", "located", f"no {name}", reason, other), ()
    place = told["origin"] or "a module without source"
    place += f":{told['line']}" if told["line"] else ""
    reason = "a replacement happens in the running program, and only that can show it"
    action = _RUN.format(module=claim.subject)
    judgement = Judgement("unproven", "located", "its target is there", reason, action)
    return judgement, (Evidence("what is replaced", place),)


def _origin(claim: Claim, context: Context) -> Checked:
    told = context.interpreter.ask("defined", {"module": claim.subject, "name": ""})
    if told["found"]:
        reason = f"an import takes {told['origin'] or 'another copy'}, which comes first"
        action = "put the folder first on sys.path, before the import, or uninstall that copy"
        return Judgement("contradicted", "located", "another copy", reason, action), ()
    reason = "the program sets sys.path when it runs; outside it nothing is found"
    action = _RUN.format(module=claim.subject)
    return Judgement("unproven", "declared", "not found", reason, action), ()


def _kernel_package(claim: Claim, context: Context) -> Checked:
    return _loads(claim.subject, context, optional=claim.optional)


def _loads(package: str, context: Context, *, optional: bool = False) -> Checked:
    """Import a package in the interpreter, and tell what that maps."""
    told = context.interpreter.ask("loads", {"module": package})
    if told["error"] is None:
        own = [each for each in told["libraries"] if f"/{package}" in each]
        seen = f"version {told['version'] or 'unknown'}, {len(own)} libraries"
        evidence = (Evidence("file", str(told["file"])), *_as_evidence("library", own))
        return Judgement("proven", "mapped", seen), evidence
    install = f"install {package} for ROCm in this interpreter, or name the right one (--python)"
    if optional:
        reason = f"it does not load ({told['error']}), so the code takes its other way"
        return Judgement("unproven", "located", "does not load", reason, install), ()
    reason = f"the import fails: {told['error']}"
    return Judgement("contradicted", "located", "does not load", reason, install), ()


def _fast_path(claim: Claim, context: Context) -> Checked:
    name, _, value = claim.subject.partition("=")
    package = package_of_attention(value)
    if package is not None:
        judgement, evidence = _loads(package, context)
        return (_wish(name, value) if judgement.verdict == "proven" else judgement), evidence
    if value or "." in name or name.startswith("enable_"):
        return _wish(name, value), ()
    places = context.interpreter.ask("defined", {"function": name})
    if places:
        return _wish(name, value), _as_evidence("defined at", places)
    reason = f"no installed package defines {name}: the files that bring it are not there"
    action = "install the patched files that define it, and restore what calls it"
    return Judgement("contradicted", "located", "not defined", reason, action), ()


def _wish(name: str, value: str) -> Judgement:
    """Judge a switch that can be set: it does not show what runs."""
    reason = "a switch is a wish: which kernel runs, only a run on the GPU shows"
    action = fast_path(name, value).command
    if PATH in action:
        action = "profile a step with torch.profiler, then rocmlint verify trace TRACE.json"
    return Judgement("unproven", "located", "can be taken", reason, action)


def _dtype(claim: Claim, context: Context) -> Checked:
    del claim, context
    reason = "only the model itself can show it, and nothing tells here how to build it"
    action = "rocmlint verify dtype MODULE:FACTORY (a function that returns the model)"
    return Judgement("unproven", "declared", "not checked", reason, action), ()


_CHECKS: dict[str, Callable[[Claim, Context], Checked]] = {
    "patched-files": _patched_files,
    "patch-check": _patch_check,
    "replacement": _replacement,
    "origin": _origin,
    "fast-path": _fast_path,
    "kernel-package": _kernel_package,
    "dtype": _dtype,
}


def _as_evidence(name: str, values: Sequence[str]) -> tuple[Evidence, ...]:
    """Name the first of many, and how many there are."""
    found = tuple(Evidence(name, each) for each in values[:_SHOWN])
    more = len(values) - _SHOWN
    return (*found, Evidence(name, f"and {more:,} more")) if more > 0 else found
