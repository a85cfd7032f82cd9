"""Results that say the same of several names of a module become one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.text.words import few
from rocmlint.verify.claims.functions import ENTRY
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.findings import Claim
    from rocmlint.verify.result import Result

_SHOWN = 5
"""How many names are given with their places."""


def together(results: Mapping[Claim, Result]) -> dict[Claim, Result]:
    """Give claims of replacements in one module that fare alike the same result.

    Code that moves a package to another device replaces a hundred functions at once.
    """
    alike: dict[object, list[Claim]] = {}
    for claim, result in results.items():
        if claim.kind == "replacement" and claim.given:
            said = (claim.subject, result.verdict, result.seen, result.reason, result.action)
            alike.setdefault(said, []).append(claim)
    folded = {
        claim: _folded(claims, results)
        for claims in alike.values()
        if len(claims) > 1
        for claim in claims
    }
    return {claim: folded.get(claim, result) for claim, result in results.items()}


def _folded(claims: Sequence[Claim], results: Mapping[Claim, Result]) -> Result:
    statement = f"{few([f'`{each.given}`' for each in claims], 2)} are replaced at run time"
    evidence = tuple(_evidence(claims, results))
    return replace(results[claims[0]], claim=statement, evidence=evidence)


def _evidence(claims: Sequence[Claim], results: Mapping[Claim, Result]) -> Iterator[Evidence]:
    for claim in claims[:_SHOWN]:
        for each in results[claim].evidence:
            is_entry = each.name == ENTRY  # to be copied as it is
            yield each if is_entry else Evidence(each.name, f"{each.value} ({claim.given})")
    if len(claims) > _SHOWN:
        yield Evidence("also", ", ".join(claim.given for claim in claims[_SHOWN:]))
