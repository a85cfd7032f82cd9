"""Versions, requirements and markers as people write them: what is not valid is None."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packaging.markers import Marker

_DEEPEST = 50
"""Parentheses in parentheses: packaging calls itself for each, nobody writes that many."""
_TOO_LONG = re.compile(r"[0-9]{1000}")
"""Python refuses numbers of more than 4,300 digits, and packaging asks for them only later."""


def version_of(text: str) -> Version | None:
    """Return a version (PEP 440), None where a text is not a valid one."""
    try:
        return Version(text)
    except ValueError:  # as packaging says, or int of more digits than Python takes
        return None


def minor_release(version: Version) -> str:
    """Return a version to major.minor: "2.10"."""
    return f"{version.major}.{version.minor}"


def requirement_of(text: str) -> Requirement | None:
    """Return a requirement (PEP 508), None where a text is not a valid one.

    It is read once, for all who ask: none of them may change it.
    """
    found = _read(text)
    return found if isinstance(found, Requirement) else None


def fault_of(text: str) -> str:
    """Return why a text is not a valid requirement, in one line; empty where it is one."""
    found = _read(text)
    return "" if isinstance(found, Requirement) else found


def holds(marker: Marker | None, environment: Mapping[str, str]) -> bool:
    """Check whether a marker holds; one that compares what cannot be compared does not."""
    if marker is None:
        return True
    try:
        return marker.evaluate(dict(environment))
    except (ValueError, LookupError, RecursionError):
        return False


@lru_cache(maxsize=4096)
def _read(text: str) -> Requirement | str:
    """Return a requirement, or why it is none: each folder of a project asks for the same ones."""
    if _depth(text) > _DEEPEST:
        return "its parentheses nest too deep"
    if _TOO_LONG.search(text):
        return "a number in it is too long"
    try:
        return Requirement(text)
    except (ValueError, RecursionError) as error:
        return str(error).split("\n", 1)[0].strip()


def _depth(text: str) -> int:
    """Return how deep parentheses nest, counted only where there are many."""
    deepest = depth = 0
    for sign in text if text.count("(") > _DEEPEST else "":
        depth += (sign == "(") - (sign == ")")
        deepest = max(deepest, depth)
    return deepest
