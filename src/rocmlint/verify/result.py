"""Results of checks: one record for each claim; data without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Verdict = Literal["proven", "contradicted", "unproven"]
Strength = Literal["declared", "located", "hashed", "mapped", "live", "executed"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
STRENGTHS: tuple[Strength, ...] = get_args(Strength)
"""How much evidence weighs, the lightest first.

declared: somebody says so (a version, a variable, a setting); located: it is at the place that is
used; hashed: its content is the right one; mapped: a process has loaded it; live: the objects of a
process are made of it; executed: it ran.
"""


CLAIMED_AT = "claimed at"
"""The evidence of where code makes a claim."""
WRAPPERS = ("wrapped", "ran behind a wrapper")
"""The evidence of wrappers of code that is proven: a reader should see it."""


@dataclass(frozen=True)
class Evidence:
    """One thing that was seen: a path, a hash, a place ``file:line``, a version."""

    name: str
    value: str


def interpreter_evidence(asked: Mapping[str, str]) -> Evidence:
    """Name the interpreter that answered, by its ``executable`` and ``version``."""
    return Evidence("interpreter", f"{asked['executable']} ({asked['version']})")


def evidence_of(name: str, values: Sequence[str], shown: int) -> tuple[Evidence, ...]:
    """Return the first of many values, and how many more there are."""
    found = tuple(Evidence(name, each) for each in values[:shown])
    more = len(values) - shown
    return (*found, Evidence(name, f"and {more:,} more")) if more > 0 else found


@dataclass(frozen=True)
class Result:
    """The result of checking one claim.

    ``check`` is the verb that made it, ``claim`` the statement, ``subject`` what it is about, and
    ``seen`` what was found, each in one line. A result that is not proven says why (``reason``) and
    what to do (``action``). ``strength`` is that of the evidence the verdict rests on.
    """

    check: str
    claim: str
    subject: str
    verdict: Verdict
    strength: Strength
    seen: str
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    action: str = ""

    def __post_init__(self) -> None:
        """Refuse a proof that only rests on a declaration, and a failure without a word of why.

        Raises ValueError.
        """
        if self.verdict == "proven" and (self.strength == "declared" or self.reason):
            message = f"{self.subject}: not a proof: {self.strength} {self.reason}"
            raise ValueError(message)
        if self.verdict != "proven" and not (self.reason and self.action):
            message = f"{self.subject}: {self.verdict} without a reason or an action"
            raise ValueError(message)


class Judgement(NamedTuple):
    """The judgement of a check on the facts: a result without its subject."""

    verdict: Verdict
    strength: Strength
    seen: str
    reason: str = ""
    action: str = ""

    def on(self, check: str, claim: str, subject: str, evidence: Iterable[Evidence] = ()) -> Result:
        """Return what it is about."""
        return Result(
            check,
            claim,
            subject,
            self.verdict,
            self.strength,
            self.seen,
            tuple(evidence),
            self.reason,
            self.action,
        )


def overall(results: Iterable[Result]) -> Verdict:
    """Return the verdict on all results together; nothing checked is nothing proven."""
    verdicts = {each.verdict for each in results}
    if "contradicted" in verdicts:
        return "contradicted"
    return "proven" if verdicts == {"proven"} else "unproven"


EXIT_CODES: dict[Verdict, int] = {"proven": 0, "contradicted": 1, "unproven": 3}
"""2 is wrong usage or an error, as everywhere."""
