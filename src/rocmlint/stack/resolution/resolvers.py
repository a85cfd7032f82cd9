"""Resolvers: which releases are compatible with a torch, by the shipped metadata or by uv."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from rocmlint.published import imports
from rocmlint.published import requirements as published
from rocmlint.published.fitting import TORCH, SearchError, fit, for_python, up_to_date
from rocmlint.published.requirements import pin
from rocmlint.stack.resolution.asked import guess
from rocmlint.stack.resolution.uv import UvRefusal, resolve
from rocmlint.stack.wheels.install import COMPANIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from packaging.version import Version

    from rocmlint.stack.resolution.asked import AskedTorch

Name = Literal["uv", "shipped data"]
_MOST_CLASHES = 4
"""Pairs that cannot be imported together which are undone, one after the other."""
_MOST_IN_PAIRS = 12
"""Packages that are tried in pairs, a few hundredths of a second each."""


class Shipped:
    """Answers from the metadata that are shipped."""

    source: Name = "shipped data"

    def __init__(self, torch: AskedTorch, python: str) -> None:
        """Begin with what all answers are for."""
        self.torch, self.python, self.as_of = torch, python, published.AS_OF

    def solve(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | UvRefusal:
        """Choose releases that fit together. Raises SearchError."""
        for each in goals:
            if not published.releases(each.name):
                reason = f"{each.name} is not among the packages that rocmlint knows"
                return UvRefusal(f"{reason}; uv knows all packages", each.name)
        try:
            found = self._fit(goals)
        except SearchError:
            if not self._has_a_pair_that_refuses(goals):
                raise
            found = None
        return found or UvRefusal("no compatible releases")

    def _fit(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | None:
        if self.torch.fixed is not None:
            return fit(goals, self.python, {TORCH: self.torch.fixed})
        return fit((*goals, self.torch.requirement), self.python)

    def _has_a_pair_that_refuses(self, goals: Sequence[Requirement]) -> bool:
        """Return whether two of the packages do not go together: where a search took too long."""
        pairs = combinations(goals, 2) if 2 < len(goals) <= _MOST_IN_PAIRS else ()
        return any(self._fit(each) is None for each in pairs)

    def newest(self, goals: Sequence[Requirement]) -> Mapping[str, Version]:
        """Return the newest releases, whatever they require."""
        found = ((each.name, published.newest(each.name, each.specifier)) for each in goals)
        return {name: version for name, version in found if version is not None}

    def brought(self, pins: Sequence[str], there: Collection[str]) -> Mapping[str, Version]:  # noqa: ARG002
        """Return nothing: the closure of the shipped metadata has all that they know."""
        return {}


class Uv:
    """Answers from uv and the index that it is configured for."""

    source: Name = "uv"

    def __init__(self, torch: AskedTorch, python: str, timeout: float) -> None:
        """Begin with what all answers are for."""
        self.torch, self.python, self.timeout = torch, python, timeout
        self.as_of = datetime.now(timezone.utc).date().isoformat()

    def solve(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | UvRefusal:
        """Choose releases that fit together. Raises ResolverError.

        First no older ones than the shipped metadata allow: what uv cannot read, as it has only
        an sdist, would send it back for years of releases. What cannot be imported together, which
        uv does not know, is not chosen.
        """
        return self._importable([self._up_to_date(each) for each in goals])

    def _importable(
        self, goals: Sequence[Requirement], tries: int = _MOST_CLASHES
    ) -> Mapping[str, Version] | UvRefusal:
        """Move one package of each pair that cannot be imported, the one that asks first."""
        found = self._chosen(goals)
        bounds = None if isinstance(found, UvRefusal) else next(clashes(found), None)
        for bound in bounds or () if tries else ():
            moved = self._importable([*goals, bound], tries - 1)
            if not isinstance(moved, UvRefusal):
                return moved
        return found if bounds is None else UvRefusal("no releases that can be imported together")

    def _chosen(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | UvRefusal:
        """Ask for no older releases than the shipped metadata allow, then for any."""
        known = [each for each in goals if published.releases(each.name)]
        floors = guess((*known, self.torch.requirement), self.python)
        if floors:
            found = self._resolve([_no_older(each, floors.get(each.name)) for each in goals])
            if not isinstance(found, UvRefusal):
                return found
        return self._resolve(goals)

    def newest(self, goals: Sequence[Requirement]) -> Mapping[str, Version]:
        """Return the newest releases, whatever they require. Raises ResolverError."""
        lines = [f"{each.name}{each.specifier}" for each in goals]
        found = resolve(lines, self.python, timeout=self.timeout, alone=True) if lines else {}
        return {} if isinstance(found, UvRefusal) else found

    def brought(self, pins: Sequence[str], there: Collection[str]) -> Mapping[str, Version]:
        """Return what releases require, but torch and what is ``there``. Raises ResolverError."""
        without = {TORCH, *COMPANIONS, *there}
        found = resolve(pins, self.python, timeout=self.timeout, without=without)
        return {} if isinstance(found, UvRefusal) else found

    def _resolve(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | UvRefusal:
        lines = [*map(str, goals), str(self.torch.requirement)]
        return resolve(lines, self.python, timeout=self.timeout)

    def _up_to_date(self, goal: Requirement) -> Requirement:
        """Leave out what came out long before the torch (see fitting.up_to_date).

        Also what is not for so new a Python: uv looks at the lower bound of Requires-Python only.
        """
        torch = pin(self.torch.requirement.specifier)
        known = published.releases(goal.name)
        if torch is None or goal.name == TORCH or not known:
            return goal
        extras = frozenset(goal.extras)
        meant = [*up_to_date(goal.name, torch, goal.specifier, extras, self.python)]
        bounded = goal if not meant or meant[-1] == known[0] else _no_older(goal, meant[-1])
        old = [each for each in meant if self._is_for_older_python(goal.name, each)]
        return _with(bounded, SpecifierSet(",".join(f"!={each}" for each in old)))

    def _is_for_older_python(self, name: str, version: Version) -> bool:
        asks = published.requires_python(name, version)
        return asks is not None and not for_python(asks, self.python) and _has_upper_bound(asks)


def clashes(found: Mapping[str, Version]) -> Iterator[tuple[Requirement, ...]]:
    """Yield for each pair that cannot be imported what would undo it, the better one first."""
    for (name, version), (other, chosen) in permutations(found.items(), 2):
        for lacking in imports.lacking(name, version, other, chosen)[:1]:
            first = imports.first_importing(name, version, other, chosen)
            undone = [f"{name}>={first}" if first else "", imports.having(other, chosen, lacking)]
            yield tuple(map(Requirement, filter(None, undone)))


def _has_upper_bound(asks: SpecifierSet) -> bool:
    return any(each.operator not in {">", ">=", "!="} for each in asks)


def _no_older(goal: Requirement, version: Version | None) -> Requirement:
    return goal if version is None else _with(goal, SpecifierSet(f">={version}"))


def _with(goal: Requirement, specifier: SpecifierSet) -> Requirement:
    bounded = Requirement(str(goal))
    bounded.specifier &= specifier
    return bounded
