"""Checking claims: each once, wherever it is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError
from rocmlint.text.words import few
from rocmlint.verify.claims.context import as_evidence
from rocmlint.verify.claims.kernels import fast_path, kernel_package
from rocmlint.verify.claims.patched_files import patch_check, patched_files
from rocmlint.verify.claims.runtime_claims import dtype, origin, replacement
from rocmlint.verify.result import CLAIMED_AT, Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.findings import Claim, ClaimKind
    from rocmlint.verify.claims.context import Checked, ClaimContext

CHECK = "claims"

_CHECKS: dict[ClaimKind, Callable[[Claim, ClaimContext], Checked]] = {
    "patched-files": patched_files,
    "patch-check": patch_check,
    "replacement": replacement,
    "origin": origin,
    "fast-path": fast_path,
    "kernel-package": kernel_package,
    "dtype": dtype,
}


def check(claims: Iterable[Claim], context: ClaimContext) -> dict[Claim, Result]:
    """Check each claim once, wherever it is made: the result by the claim without its place.

    What cannot be asked is unproven, and hides none of the others.
    """
    places: dict[Claim, list[str]] = {}
    made: dict[Claim, Claim] = {}
    for each in claims:
        claim = without_place(each)
        places.setdefault(claim, []).append(f"{each.path}:{each.line}")
        if each.by or claim not in made:
            made[claim] = each
    looked_up = (each for each in places if each.kind in {"replacement", "origin"})
    targets = dict.fromkeys((each.subject, each.given) for each in looked_up)
    context = replace(context, targets=tuple(targets), places=places)
    return {each: _result(made[each], where, context) for each, where in places.items()}


def without_place(claim: Claim) -> Claim:
    """Return what is the same of a claim wherever it is made."""
    return replace(claim, path="", line=0, command="", by="", too_high=False)


def _result(claim: Claim, places: list[str], context: ClaimContext) -> Result:
    try:
        judgement, evidence = _CHECKS[claim.kind](claim, context)
    except RocmlintError as error:
        reason, _, details = str(error).partition("\n")
        action = "fix this (--python and --timeout may help), then run this again"
        judgement = Judgement("unproven", "declared", "not checked", reason, action)
        evidence = (Evidence("details", details),) if details else ()
    if claim.faked and judgement.verdict == "proven":
        judgement = _still_faked(claim, places, judgement)
    claimed = as_evidence(CLAIMED_AT, list(dict.fromkeys(places)))
    return judgement.on(CHECK, _statement(claim, places), claim.subject, (*claimed, *evidence))


def _still_faked(claim: Claim, places: list[str], judgement: Judgement) -> Judgement:
    """Return that what a check is for is right, and the code still makes that check pass."""
    where = few(list(dict.fromkeys(places)), 2)
    right = "the files are right now" if claim.kind == "patch-check" else f"{claim.subject} loads"
    return Judgement(
        "contradicted",
        judgement.strength,
        f"{judgement.seen}, and the check is faked",
        f"{right}, so the check of {claim.subject} needs no fake: with the one at {where} it would "
        "also pass where they are not"
        if claim.kind == "patch-check"
        else f"{right}, so the check needs no fake: with the one at {where} it would also pass "
        f"where {claim.subject} is missing",
        f"remove the fake at {where}",
    )


def _statement(claim: Claim, places: list[str]) -> str:
    """Return what a claim says, where it says "here" with the place."""
    if claim.kind == "patch-check":
        verb = "assumes" if len(places) == 1 else "assume"
        return f"`{claim.subject}` is patched, as {few(places, 2)} {verb}"
    return claim.statement
