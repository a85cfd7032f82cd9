"""Conditions of GitHub's workflows: the repositories for which a job or a step runs."""

from __future__ import annotations

import re

_OR = re.compile(r"\|\|")
_AND = re.compile(r"&&")
_CLAUSE = re.compile(
    r"github\.repository(?:_owner)?\s*==\s*'(?P<right>[^']+)'"
    r"|'(?P<left>[^']+)'\s*==\s*github\.repository(?:_owner)?"
    r"|startsWith\(\s*github\.repository\s*,\s*'(?P<start>[^'/]+)/?'\s*\)"
)
_WRAPPED = re.compile(r"\s*\$\{\{(.*)\}\}\s*\Z", re.DOTALL)


def repositories(condition: str) -> frozenset[str]:
    """Return the owners, or owners with a name (``pytorch/vision``), for which a condition holds.

    In lower case, as GitHub compares; empty where it may hold for others, too.
    """
    wrapped = _WRAPPED.match(condition)
    condition = condition if wrapped is None else wrapped[1]
    found: set[str] = set()
    for alternative in _OR.split(condition):
        named = [each for part in _AND.split(alternative) if (each := _named(part))]
        if not named:
            return frozenset()
        found.add(named[0])
    return frozenset(found)


def _named(clause: str) -> str:
    match = _CLAUSE.fullmatch(clause.strip().strip("()").strip())
    if match is None:  # the bracket of a call is not one around the clause
        match = _CLAUSE.fullmatch(clause.strip())
    return "" if match is None else (match["right"] or match["left"] or match["start"]).lower()
