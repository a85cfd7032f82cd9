"""A judgement on facts, before it is known what the facts were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocmlint.verify.result import Strength, Verdict


class Judgement(NamedTuple):
    """The fields of a :class:`~rocmlint.verify.result.Result` that follow from the facts."""

    verdict: Verdict
    strength: Strength
    seen: str
    reason: str = ""
    action: str = ""

    def result(self, check: str, claim: str, subject: str, evidence: Iterable[Evidence]) -> Result:
        """Make the record of it."""
        return Result(check, claim, subject, evidence=tuple(evidence), **self._asdict())


def interpreter_evidence(asked: Mapping[str, str]) -> Evidence:
    """Name the interpreter that gave the facts, by its ``executable`` and ``version``."""
    return Evidence("interpreter", f"{asked['executable']} ({asked['version']})")
