"""An answer: how sure it is, the cause, what it rests on, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from rocmlint.why.facts.value import FactEvidence
    from rocmlint.why.log.log_data import Log, Raised

Verdict = Literal["known", "likely", "unknown"]
"""Known: the message and each fact of the entry were read and fit. Likely: a fact was not read.
Unknown: nothing fits, or too much does."""

CHECK = UnreadFact("what the command under confirm prints")
OTHER_CAUSES = UnreadFact("what rules out other causes: no file or setting here decides it")
"""Why an explanation is likely at most, where no one fact is missing."""

EXIT_CODES: dict[Verdict, int] = {"known": 0, "likely": 0, "unknown": 3}


@dataclass(frozen=True)
class Action:
    """A command to run, or an edit in words. ``safe`` ones change nothing that cannot be undone."""

    text: str
    is_command: bool = False
    safe: bool = False


@dataclass(frozen=True)
class Explanation:
    """An explanation of one exception or line of the log, by an entry or a generic reader."""

    entry: str
    verdict: Verdict
    cause: str
    where: str = ""
    """The file to change, and whose it is."""
    actions: tuple[Action, ...] = ()
    confirm: str = ""
    evidence: tuple[FactEvidence, ...] = ()
    missing: tuple[UnreadFact, ...] = ()
    rules: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    table: str = ""
    """The table of published data that it rests on, and its date."""
    weight: int = 0
    """How much of the message fits: the number of characters of the template."""
    message: str = ""
    """The line that it explains."""
    is_generic: bool = False
    """Whether a generic reader says it, not an entry."""


def with_reason(explanation: Explanation) -> Explanation:
    """Return it with at least one reason in ``missing``, if it is only likely."""
    if explanation.verdict != "likely" or explanation.missing:
        return explanation
    return replace(explanation, missing=(CHECK if explanation.confirm else OTHER_CAUSES,))


@dataclass(frozen=True)
class Answer:
    """The verdict on a log, with the other explanations that fit too."""

    verdict: Verdict
    log: Log
    raised: Raised | None = None
    """The exception that is explained; None where a line of the log is, or nothing."""
    explanation: Explanation | None = None
    alternatives: tuple[Explanation, ...] = ()
    gathered: tuple[FactEvidence, ...] = ()
    """The facts that were read although nothing fits."""
    tracker: str = ""
    """Where to report it, where nothing fits."""

    @property
    def exit_code(self) -> int:
        """0 for an answer, 3 for none."""
        return EXIT_CODES[self.verdict]
