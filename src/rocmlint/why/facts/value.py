"""Values of facts: a value with its source, or something that was not read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UnreadFact:
    """A fact that nobody could read here, and the command that reads it."""

    fact: str
    command: str = ""


@dataclass(frozen=True)
class FactEvidence:
    """A fact that an answer rests on, and where it was read."""

    fact: str
    value: str
    source: str = ""
