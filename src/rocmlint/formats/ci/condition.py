"""Conditions of GitHub's workflows: the repositories for which a job or a step runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.readers import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

_OR = re.compile(r"\|\|")
_AND = re.compile(r"&&")
_CLAUSE = re.compile(
    r"github\.repository(?:_owner)?\s*==\s*'(?P<right>[^']+)'"
    r"|'(?P<left>[^']+)'\s*==\s*github\.repository(?:_owner)?"
    r"|startsWith\(\s*github\.repository\s*,\s*'(?P<start>[^'/]+)/?'\s*\)"
)
_WHATEVER_FAILED = re.compile(r"\b(?:always|cancelled|failure)\(")
"""Conditions of jobs that run even if one that they need did not."""
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


def of_job(job: yaml.Mapping, document: yaml.Value) -> frozenset[str]:
    """Return the owners for which a job or step runs: a job does not where one it needs did not."""
    jobs = document.get("jobs") if isinstance(document, yaml.Mapping) else None
    waiting, seen = [job], set[str]()
    for each in waiting:  # it grows
        condition = each.text("if")
        found = repositories(condition)
        if found:
            return found
        if not isinstance(jobs, yaml.Mapping) or _WHATEVER_FAILED.search(condition):
            continue
        names = [name for name in _needs(each) if name not in seen]
        seen.update(names)
        waiting += [one for one in map(jobs.get, names) if isinstance(one, yaml.Mapping)]
    return frozenset()


def _needs(job: yaml.Mapping) -> Iterator[str]:
    """Yield the names of the jobs that one waits for: a string, or a list of them."""
    needs = job.get("needs")
    for each in needs.values if isinstance(needs, yaml.Sequence) else (needs,):
        if isinstance(each, yaml.Scalar):
            yield each.text.text


def _named(clause: str) -> str:
    match = _CLAUSE.fullmatch(clause.strip().strip("()").strip())
    if match is None:  # the bracket of a call is not one around the clause
        match = _CLAUSE.fullmatch(clause.strip())
    return "" if match is None else (match["right"] or match["left"] or match["start"]).lower()
