"""The parts of a page: causes with what to do, what is right, what was not answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.interpreter.choose import Chosen
    from rocmlint.verify.result import Evidence

Severity = Literal["error", "warning", "unknown"]
"""error: other code runs than written, or it fails; warning: it costs or breaks here; unknown: it
could not be determined, and matters.
"""
Area = Literal["interpreter", "versions", "stack", "files", "kernels", "variables", "job", "code"]

AREAS: tuple[Area, ...] = get_args(Area)
"""The areas in the order of repair: a file is of one version, and a toggle of one file."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_WRONG = frozenset({"error", "warning"})


class CausePlace(NamedTuple):
    """A file, ``FILE:LINE`` or a folder, and what is wrong with it where that needs a word."""

    path: str
    what: str = ""

    def __str__(self) -> str:
        """Write both."""
        return f"{self.path} {self.what}".rstrip()


@dataclass(frozen=True)
class Cause:
    """One thing that is wrong, however many checks it fails.

    ``id`` names its kind, for programs; ``problem`` is a sentence; ``where`` are the places to
    change or to delete, the first one decisive; ``do`` are commands or edits, in order; ``confirm``
    is the command that shows that it is repaired. ``rank`` orders the causes of one area.
    """

    id: str
    severity: Severity
    area: Area
    subject: str
    problem: str
    where: tuple[CausePlace, ...] = ()
    do: tuple[str, ...] = ()
    confirm: str = ""
    evidence: tuple[Evidence, ...] = ()
    rank: int = 0

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it comes on the page."""
        return AREAS.index(self.area), self.rank, SEVERITIES.index(self.severity)


@dataclass
class Findings:
    """The results of one look at a machine, an environment or a project."""

    causes: list[Cause] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    """A line for each thing that was compared and is right."""
    unanswered: list[str] = field(default_factory=list)
    """A line for each thing that could not be determined here."""

    def add(self, other: Findings) -> None:
        """Take what another look gave."""
        self.causes += other.causes
        self.right += other.right
        self.unanswered += other.unanswered


@dataclass(frozen=True)
class RanCode:
    """A job that was run: its command, how it ended, and what was watched in it."""

    command: tuple[str, ...]
    ended: str
    processes: int
    watched: tuple[str, ...] = ()
    """Names of what had to be live, a line each."""


@dataclass
class Page:
    """All that was found; ``facts`` are rows about the machine and the environment."""

    project: str
    chosen: Chosen
    facts: dict[str, str] = field(default_factory=dict)
    found: Findings = field(default_factory=Findings)
    prefix: str = ""
    """The folder of the environment, to shorten paths."""
    ran: RanCode | None = None

    @property
    def causes(self) -> list[Cause]:
        """The causes, what to do first on top."""
        return sorted(dict.fromkeys(self.found.causes), key=lambda each: each.place)

    @property
    def exit_code(self) -> int:
        """1 if something is wrong, 3 if something or all could not be determined, else 0."""
        if any(each.severity in _WRONG for each in self.found.causes):
            return 1
        is_open = self.found.unanswered or self.found.causes or not self.found.right
        return 3 if is_open else 0


def counts(causes: Iterable[Cause]) -> dict[Severity, int]:
    """Count the causes of each severity."""
    found = list(causes)
    return {each: sum(it.severity == each for it in found) for each in SEVERITIES}
