"""Results about the code: faked checks, fast paths that are off, and the findings of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.doctor.causes import Cause, CausePlace, Findings
from rocmlint.doctor.overlays import OF_FILES
from rocmlint.paths import shown
from rocmlint.text.words import counted, few
from rocmlint.verify.claims.check import check, without_place
from rocmlint.verify.claims.context import MISSING
from rocmlint.verify.claims.merged_results import together
from rocmlint.verify.result import CLAIMED_AT, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.doctor.causes import Area
    from rocmlint.findings import Claim, Finding
    from rocmlint.verify.claims.context import ClaimContext
    from rocmlint.verify.result import Result

_FAMILIES = {"ROC1": 0, "ROC2": 0, "ROC3": 2}
"""Files before toggles before everything else; what is faked comes first of the code."""
_FAKED, _CLAIM, _OTHER = 1, 2, 3
_PLACES = 3


def code_findings(findings: Sequence[Finding], confirm: str) -> Findings:
    """Return a cause for each rule that found something, errors and warnings, with its places."""
    found = Findings()
    of_rule: dict[str, list[Finding]] = {}
    for each in findings:
        if each.severity != "note":
            of_rule.setdefault(each.code, []).append(each)
    found.causes += [_of_rule(each, confirm) for each in of_rule.values()]
    return found


def _of_rule(findings: Sequence[Finding], confirm: str) -> Cause:
    first = min(findings, key=lambda each: each.severity)  # "error" comes before "warning"
    places = list(dict.fromkeys(f"{shown(each.path)}:{each.file_line}" for each in findings))
    more = len(places) - _PLACES
    where = [CausePlace(each) for each in places[:_PLACES]]
    where[-1:] = [where[-1]._replace(what=f"and {counted(more, 'more place')}" if more > 0 else "")]
    others = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return Cause(
        first.code,
        "error" if first.severity == "error" else "warning",
        "versions" if first.code.startswith("ROC2") else "code",
        f"{first.code} {first.name}",
        f"{first.message}{others}",
        tuple(where),
        (first.help,) if first.help else (),
        next(iter(first.commands), confirm),
        tuple(
            Evidence(f"{shown(each.path)}:{each.file_line}", each.message) for each in findings[:10]
        ),
        rank=2 if first.code.startswith("ROC2") else _FAMILIES.get(first.code[:4], _OTHER),
    )


def faked_checks(claims: Sequence[Claim], confirm: str) -> Findings:
    """Return a cause for each package whose check the code makes pass."""
    found = Findings()
    faked = [each for each in claims if each.faked]
    for subject in sorted({each.subject for each in faked}):
        places = dict.fromkeys(
            f"{shown(each.path)}:{each.line}" for each in faked if each.subject == subject
        )
        kinds = {each.kind for each in faked if each.subject == subject}
        what = "the patched files are there" if kinds & OF_FILES else f"{subject} loads"
        found.causes.append(
            Cause(
                "faked-check",
                "error",
                "code",
                subject,
                "the code makes the check pass whether or not " + what,
                tuple(map(CausePlace, list(places)[:_PLACES])),
                (f"delete {few(list(places), 2)} once {what}, so that the check can fail",),
                confirm,
                rank=_FAKED,
            )
        )
    return found


def claims_findings(
    claims: Sequence[Claim], findings: Iterable[Finding], context: ClaimContext, confirm: str
) -> Findings:
    """Check what the code claims besides patched files.

    What a reported finding is about is said there: a toggle in a comment is off, whatever is
    installed.
    """
    reported = {
        without_place(claim)
        for each in findings
        if each.severity != "note"
        for claim in each.claims
    }
    others = [each for each in claims if each.kind not in OF_FILES]
    results = check(others, context)
    kept = {claim: result for claim, result in results.items() if claim not in reported}
    return _of_results(together(kept), confirm)


def _of_results(results: Sequence[Result], confirm: str) -> Findings:
    found = Findings()
    proven = [each for each in results if each.verdict == "proven"]
    for each in results:
        if each.verdict == "contradicted":
            found.causes.append(of_result(each, "code", confirm))
    if proven:
        names = few([each.subject for each in proven], _PLACES)
        found.right.append(f"{counted(proven, 'claim')} of the code proven: {names}")
    unproven: dict[str, list[Result]] = {}
    for each in results:
        if each.verdict == "unproven":
            unproven.setdefault(each.seen, []).append(each)
    for seen, alike in unproven.items():
        names = few([each.subject for each in alike], _PLACES)
        found.unanswered.append(f"{names}: {seen}; {alike[0].reason}")
    return found


def of_result(result: Result, area: Area, confirm: str) -> Cause:
    """Return the cause for a result that is contradicted."""
    places = [each.value for each in result.evidence if each.name in {CLAIMED_AT, "needed by"}]
    return Cause(
        "missing-kernel-package" if result.seen in MISSING else f"{result.check}-contradicted",
        "error",
        area,
        result.subject,
        result.reason,
        tuple(map(CausePlace, places[:_PLACES])),
        (result.action,),
        confirm,
        result.evidence,
        rank=_CLAIM,
    )
