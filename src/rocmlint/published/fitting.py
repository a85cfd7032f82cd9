"""Choosing releases that fit together from the shipped data, and saying why others do not.

They fit by their metadata, and each has the names that the others ask for when they are imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.errors import RocmlintError
from rocmlint.published import imports
from rocmlint.published import requirements as published

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from packaging.requirements import Requirement

TORCH = "torch"
_UPPER = frozenset({"==", "===", "~=", "<", "<="})
"""What keeps newer releases out."""
_MOST_TRIES = 100_000
"""Releases that a search tries, a few seconds' work; what people ask takes up to ten thousand."""


_LONG = timedelta(days=30)
"""Between a release and a torch: the last one for an older torch is not that far back."""


class SearchError(RocmlintError):
    """A search took too long, so that it is not known whether releases fit together."""


def shown(specifier: SpecifierSet) -> str:
    """Write a specifier as people do, the lower bound first: ``>=2.4,<3``."""
    return ",".join(sorted(map(str, specifier), key=lambda each: (each.startswith("<"), each)))


def fit(
    goals: Sequence[Requirement], python: str, fixed: Mapping[str, Version] | None = None
) -> Mapping[str, Version] | None:
    """Choose the newest releases that fit together, the first goal's first; None: there are none.

    What the goals require is chosen too, as far as the shipped metadata know it. Releases that have
    no wheel, were yanked or are for another Python are not chosen. ``fixed`` are versions that stay
    as they are, known or not. ``python`` is major.minor. Raises SearchError.
    """
    state = _State(python)
    state.chosen = dict(fixed or {})
    for each in goals:
        state = state.demanding(each, by="")
    asked = TORCH in state.demands
    state.torch = tuple(state.candidates(TORCH)) if asked else published.releases(TORCH)
    found = _search(state, iter(range(_MOST_TRIES)))
    return found if isinstance(found, dict) else None


def newest_accepting(
    package: str,
    others: Collection[Version],
    demand: Callable[[Version], SpecifierSet | None],
    python: str = "3.11",
) -> Version | None:
    """Return the newest release of a package that takes one of these versions of another.

    ``demand`` gives what a release demands of the other, None for nothing; a KeyError passes over
    the release. Where the newest pins the other, a release that does not is too old to be of use.
    """
    pins: bool | None = None
    for release in reversed(published.releases(package)):
        asks = published.requires_python(package, release)
        if published.is_yanked(package, release) or not (asks is None or for_python(asks, python)):
            continue
        try:
            asked = demand(release)
        except KeyError:
            continue
        exact = asked is not None and published.pin(asked) is not None
        pins = exact if pins is None else pins
        if asked is None or any(_meets(each, asked) for each in others):
            return release if exact or not pins else None
    return None


def up_to_date(
    package: str,
    torch: Version,
    specifier: SpecifierSet,
    extras: frozenset[str] = frozenset(),
    python: str = "3.11",
) -> Iterator[Version]:
    """Yield the releases of a package in a specifier that can be meant for a torch, newest first.

    Where a release takes only older torches, the ones before it that came out long before this
    torch take it for want of an upper bound: vllm 0.2.5 of 2023 requires torch>=2.1.1.
    """
    came, bounded = _came_out(torch), False
    for version in _in(specifier, package):
        if bounded and came is not None:
            day = published.published_on(package, version)
            if day is not None and came - day > _LONG:
                return
        bounded = bounded or _is_for_older(package, version, torch, extras, python)
        yield version


@lru_cache(maxsize=64)
def _came_out(torch: Version) -> date | None:
    """Return when a torch came out; of one that is newer than all that are known, the last day."""
    known = published.releases(TORCH)
    if known and torch > known[-1]:
        return date.fromisoformat(published.AS_OF)
    return published.published_on(TORCH, torch)


@lru_cache(maxsize=8192)
def _is_for_older(
    package: str, version: Version, torch: Version, extras: frozenset[str], python: str
) -> bool:
    """Return whether a release takes only torches that are older than this one."""
    try:
        asked = published.torch_requirement(package, version, extras, python)
    except KeyError:
        return False
    return any(
        each.operator in _UPPER
        and not each.contains(torch, prereleases=True)
        and Version(each.version.removesuffix(".*")) <= torch
        for each in asked or ()
    )


def why_not(
    package: str,
    version: Version,
    beside: Mapping[str, Version],
    extras: Mapping[str, frozenset[str]],
    python: str,
) -> str:
    """Return why a release does not fit beside others; empty where the metadata do not tell.

    ``extras`` are those of each package that are installed with it.
    """
    asks = published.requires_python(package, version)
    if asks is None:
        return f"{package} {version} has no wheel with metadata"
    if not for_python(asks, python):
        return f"{package} {version} requires Python{shown(asks)}"
    required = _required(package, version, extras.get(package, frozenset()), python)
    for each in sorted(required, key=lambda each: each.name != TORCH):
        wanted = canonicalize_name(each.name)
        if wanted in beside and not _meets(beside[wanted], each.specifier):
            return f"{package} {version} requires {wanted}{shown(each.specifier)}"
    for name, chosen in beside.items():
        for each in _required(name, chosen, extras.get(name, frozenset()), python):
            if canonicalize_name(each.name) == package and not _meets(version, each.specifier):
                return f"{name} {chosen} requires {package}{shown(each.specifier)}"
    for name, chosen in beside.items():
        pairs = ((package, version, name, chosen), (name, chosen, package, version))
        reason = next(filter(None, (imports.why_not(*pair) for pair in pairs)), "")
        if reason:
            return reason
    return ""


def cannot_be_imported(package: str, version: Version, other: str, found: Version) -> bool:
    """Return whether one of two releases asks the other for a name that it does not have."""
    return bool(
        imports.lacking(package, version, other, found)
        or imports.lacking(other, found, package, version)
    )


def for_python(asks: SpecifierSet, python: str) -> bool:
    """Return whether a minor version of Python, its newest release, meets Requires-Python."""
    return asks.contains(f"{python}.99")


@lru_cache(maxsize=4096)
def _required(
    package: str, version: Version, extras: frozenset[str], python: str
) -> tuple[Requirement, ...]:
    required = published.requirements(package, version) or ()
    return tuple(published.applicable(required, extras, python))


def _meets(version: Version, specifier: SpecifierSet) -> bool:
    """Return whether a version is in a set; a nightly build of torch counts as it compares."""
    return specifier.contains(version, prereleases=True)


@lru_cache(maxsize=8192)  # a search asks again and again
def _in(specifier: SpecifierSet, package: str) -> tuple[Version, ...]:
    """Return the releases of a package in a set, newest first."""
    return tuple(each for each in reversed(published.releases(package)) if _meets(each, specifier))


@dataclass(frozen=True)
class _Demand:
    specifier: SpecifierSet
    extras: frozenset[str]
    by: frozenset[str]
    """The packages that demand it; the empty name is who asked."""


class _State:
    """What is chosen so far, and what that demands of the rest, in the order of its coming."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.chosen: dict[str, Version] = {}
        self.demands: dict[str, _Demand] = {}
        self.torch: tuple[Version, ...] = ()
        """The releases that were asked for; all where none were."""

    def demanding(self, requirement: Requirement, by: str) -> _State:
        """Add a demand."""
        name = canonicalize_name(requirement.name)
        old = self.demands.get(name, _Demand(SpecifierSet(), frozenset(), frozenset()))
        new = _State(self.python)
        new.chosen, new.torch = self.chosen, self.torch
        new.demands = {
            **self.demands,
            name: _Demand(
                old.specifier & requirement.specifier,
                old.extras | requirement.extras,
                old.by | {by},
            ),
        }
        return new

    def candidates(self, package: str) -> Iterator[Version]:
        """Yield the releases that meet what is demanded so far, newest first."""
        for version in self._considered(package, self.demands[package]):
            asks = published.requires_python(package, version)
            if (
                asks is not None
                and for_python(asks, self.python)
                and not published.is_yanked(package, version)
            ):
                yield version

    def _considered(self, package: str, demand: _Demand) -> Iterator[Version]:
        """Yield the releases in what is demanded, newest first."""
        torch = self.chosen.get(TORCH) or (self.torch[0] if len(self.torch) == 1 else None)
        if torch is not None and package != TORCH:
            yield from up_to_date(package, torch, demand.specifier, demand.extras, self.python)
            return
        yield from _in(demand.specifier, package)

    def choosing(self, package: str, version: Version) -> _State | frozenset[str]:
        """Choose a release; gives the earlier choices that stand against it."""
        for name in imports.partners(package) & self.chosen.keys():
            if cannot_be_imported(package, version, name, self.chosen[name]):
                return frozenset({name})
        new = _State(self.python)
        new.chosen, new.demands = {**self.chosen, package: version}, self.demands
        new.torch = self.torch
        pending = [(package, self.demands[package].extras)]
        while pending:
            name, extras = pending.pop()
            for each in _required(name, new.chosen[name], extras, self.python):
                wanted = canonicalize_name(each.name)
                chosen = new.chosen.get(wanted)
                if chosen is not None and not _meets(chosen, each.specifier):
                    return frozenset({name, wanted} - {package})
                if not published.releases(wanted):
                    continue
                known = new.demands[wanted].extras if wanted in new.demands else frozenset()
                new = new.demanding(each, by=package)
                if wanted == TORCH and chosen is None:  # where most releases fail
                    if not any(_meets(one, each.specifier) for one in self.torch):
                        return frozenset({name} - {package})
                    if not any(_meets(one, new.demands[TORCH].specifier) for one in self.torch):
                        return new.demands[TORCH].by - {package}
                if chosen is not None and each.extras - known:
                    pending.append((wanted, new.demands[wanted].extras))
        return new


def _search(state: _State, tries: Iterator[int]) -> dict[str, Version] | frozenset[str]:
    """Choose what is left to choose, or give the choices that are to blame.

    Conflict-directed backjumping (Prosser 1993): a choice that is not to blame for a dead end is
    not tried anew.
    """
    package = next((each for each in state.demands if each not in state.chosen), None)
    if package is None:
        return state.chosen
    # Where there is one torch to choose, another choice of who demands it leaves no other one.
    is_fixed = package == TORCH and len(state.torch) == 1
    blamed = {""} if is_fixed else set(state.demands[package].by)
    if TORCH in state.chosen and len(state.torch) > 1:
        blamed.add(TORCH)  # of what is considered, another torch may leave more
    for version in state.candidates(package):
        if next(tries, None) is None:
            message = f"no answer was found in {_MOST_TRIES:,} tries for so many packages at once"
            raise SearchError(f"{message}: ask for fewer packages, or install uv")
        after = state.choosing(package, version)
        if isinstance(after, frozenset):
            blamed |= after
            continue
        found = _search(after, tries)
        if isinstance(found, dict) or package not in found:
            return found
        blamed |= found - {package}
    return frozenset(blamed - {package})
