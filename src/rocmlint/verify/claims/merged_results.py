"""Results of one cause become one: a package that is missing, names of a module that fare alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.rule.claims import package_of_attention
from rocmlint.text.words import counted, few
from rocmlint.verify.claims.context import MISSING
from rocmlint.verify.claims.proposals import ENTRY
from rocmlint.verify.result import CLAIMED_AT, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.findings import Claim
    from rocmlint.verify.result import Result

_SHOWN = 5
"""How many names are given with their places."""


def together(results: Mapping[Claim, Result]) -> list[Result]:
    """Return the results, those of one cause as one.

    A package that is missing is reported once, whatever the claims on it: the worst of their
    verdicts is that of all. Code that moves a package to another device replaces a hundred
    functions at once, so claims of replacements in one module that fare alike are one too.
    """
    alike: dict[object, list[Claim]] = {}
    for claim, result in results.items():
        alike.setdefault(_cause(claim, result), []).append(claim)
    return list(dict.fromkeys(_folded(claims, results) for claims in alike.values()))


def _cause(claim: Claim, result: Result) -> object:
    if result.seen in MISSING:
        return _package(claim)
    if claim.kind == "replacement" and claim.given:
        return (claim.subject, result.verdict, result.seen, result.reason, result.action)
    return claim


def _package(claim: Claim) -> str:
    """Return the package that a claim needs."""
    if claim.kind == "fast-path":
        name, _, value = claim.subject.partition("=")
        return package_of_attention(value or name) or claim.subject
    return claim.subject.replace("/", ".").partition(".")[0]


def _folded(claims: Sequence[Claim], results: Mapping[Claim, Result]) -> Result:
    first = results[claims[0]]
    if len(claims) == 1:
        return first
    if first.seen in MISSING:
        return _missing(claims, results)
    statement = f"{few([f'`{each.given}`' for each in claims], 2)} are replaced at run time"
    return replace(first, claim=statement, evidence=tuple(_evidence(claims, results)))


def _missing(claims: Sequence[Claim], results: Mapping[Claim, Result]) -> Result:
    """Return one result on a missing package, with each claim that needs it and its places."""
    worst = min((results[each] for each in claims), key=lambda each: each.verdict)
    package = _package(claims[0])
    statement = f"`{package}` can be imported ({counted(claims, 'claim')} depend on it)"
    made = [f"{results[claim].claim} ({_places(results[claim])})" for claim in claims]
    others = (each for each in worst.evidence if each.name != CLAIMED_AT)
    evidence = (*(Evidence("needed by", each) for each in made), *others)
    return replace(worst, claim=statement, subject=package, evidence=evidence)


def _places(result: Result) -> str:
    return ", ".join(each.value for each in result.evidence if each.name == CLAIMED_AT)


def _evidence(claims: Sequence[Claim], results: Mapping[Claim, Result]) -> Iterator[Evidence]:
    for claim in claims[:_SHOWN]:
        for each in results[claim].evidence:
            is_entry = each.name == ENTRY  # to be copied as it is
            yield each if is_entry else Evidence(each.name, f"{each.value} ({claim.given})")
    if len(claims) > _SHOWN:
        yield Evidence("also", ", ".join(claim.given for claim in claims[_SHOWN:]))
