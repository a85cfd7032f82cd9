"""Verdicts on two packages: one requirement, who makes it, and whether it is met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

Grade = Literal["declared", "built", "code guard", "observed", "documented", "variable"]
"""Who says so: the metadata, what torch was compiled for, the package's own code when it is
imported, an import that ran, what AMD's documentation lists, or a variable of the environment."""
Judgement = Literal["fits", "conflict", "note", "unknown"]
"""A note is worth knowing and breaks nothing by itself; unknown is what could not be judged."""

ORDER: tuple[Judgement, ...] = ("conflict", "unknown", "note", "fits")


@dataclass(frozen=True)
class Verdict:
    """One requirement of a package on another (``on``), as in "torch>=2.6", and how it turned out.

    ``version`` is that of the package, ``found`` that of the other: None if it is not installed.
    ``extra`` is the extra that makes the requirement; empty if it always holds. What does not fit
    says why (``reason``) and what to do (``action``). ``source`` is where the requirement was read.
    """

    package: str
    version: str
    on: str
    found: str | None
    requirement: str
    grade: Grade
    judgement: Judgement
    extra: str = ""
    reason: str = ""
    action: str = ""
    source: str = ""


def is_met(specifier: SpecifierSet, version: Version) -> bool:
    """Compare; a nightly or a local build (2.15.0.dev20261101+rocm7.14) is a version like others.

    A nightly of the version that is asked for counts as before it, as for pip (PEP 440).
    """
    return specifier.contains(version, prereleases=True)


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """Return 1 for a conflict, 3 where nothing fits or not all could be judged, else 0."""
    judgements = {each.judgement for each in verdicts}
    if "conflict" in judgements:
        return 1
    return 0 if judgements & {"fits", "note"} and "unknown" not in judgements else 3


def conflicts_first(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Sort by how much a verdict matters, and keep the order among equals."""
    return tuple(sorted(verdicts, key=lambda each: ORDER.index(each.judgement)))
