"""Whether two requirements can be met together, by the metadata of all releases they allow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet

from rocmlint.published import requirements as published

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement
    from packaging.version import Version

    from .installed_together import Part

_PYTHONS = ("3.11", "3.12", "3.10", "3.13", "3.9")
"""Those that torch has wheels for; what the first says is told."""
_FLOORS = frozenset({">=", ">"})
_CHECK_TORCH = frozenset({"transformers"})
"""Packages that take a torch below their extra's bound for none."""


@dataclass(frozen=True)
class Conflict:
    """A requirement that no release of another allows, with a Python.

    ``demanded`` is what the newest release of ``owner`` demands, "" where both are of one package;
    ``implied`` if only its extra torch does, which nobody asked for.
    """

    owner: Part
    other: Part
    python: str
    demanded: str = ""
    implied: bool = False


def conflicts(one: Part, two: Part) -> Iterator[tuple[Conflict, ...]]:
    """Yield why two requirements cannot be met together, for each Python for which both hold.

    It is proven that they cannot where there is a reason for each of these.
    """
    if one.name == two.name:
        yield _of_one_package(one, two)
        return
    for python in _pythons(one):
        if python not in _pythons(two):
            continue
        answers = [_forbids(one, two, python), _forbids(two, one, python)]
        if "absent" not in answers:
            yield tuple(each for each in answers if isinstance(each, Conflict))


def _of_one_package(one: Part, two: Part) -> tuple[Conflict, ...]:
    """Look whether two specifiers of one package exclude each other."""
    first, second = candidates(one), candidates(two)
    pythons = [each for each in _pythons(one) if each in _pythons(two)]
    if not pythons or not first or not second:
        return ()
    meets = any(
        two.requirement.specifier.contains(each, prereleases=True) for each in first
    ) or any(one.requirement.specifier.contains(each, prereleases=True) for each in second)
    return () if meets else (Conflict(one, two, pythons[0]),)


def _forbids(owner: Part, other: Part, python: str) -> Conflict | str:
    """Return whether every release that the owner allows demands other versions than the other's.

    "absent": the owner allows no release for this Python; "": they go together, or none can tell.
    """
    if owner.constraint or not owner.requirement.specifier or not other.requirement.specifier:
        return ""
    owned = [each for each in candidates(owner) if _runs_on(owner.name, each, python)]
    if not owned:
        return "absent" if candidates(owner) else ""
    others = candidates(other)
    if not others:
        return ""
    conflict = None
    extras = tuple(sorted(owner.requirement.extras))
    for version in reversed(owned):
        demand = demanded(owner.name, version, extras, other.name, python)
        if demand is None:
            return ""
        asked, implied = demand
        if other.constraint and implied:
            return ""
        if asked is None or any(asked.contains(each, prereleases=True) for each in others):
            return ""
        conflict = conflict or (str(asked), implied)
    return "" if conflict is None else Conflict(owner, other, python, *conflict)


@lru_cache(maxsize=8192)
def demanded(
    name: str, version: Version, extras: tuple[str, ...], other: str, python: str
) -> tuple[SpecifierSet | None, bool] | None:
    """Return what a release demands of another package, and whether only by its extra torch.

    None where the release is unknown. The extra of that name counts where the package itself looks
    at the version of an installed torch.
    """
    required = published.requirements(name, version)
    if required is None:
        return None
    if other == "torch":
        try:
            asked = published.torch_requirement(name, version, extras, python)
        except KeyError:
            return None
        if asked is None or not len(asked):
            by_extra = published.applicable(required, ("torch",), python)
            floor = _floor(by_extra) if name in _CHECK_TORCH else None
            return (floor, True) if floor is not None else (asked, False)
        return _without_builds(asked), False
    total: SpecifierSet | None = None
    named = (each for each in required if each.name.lower().replace("_", "-") == other)
    for each in published.applicable(named, extras, python):
        total = each.specifier if total is None else total & each.specifier
    return total, False


def _without_builds(specifier: SpecifierSet) -> SpecifierSet:
    """Leave away builds: 0.15.0 of torchvision asks for 2.0.0+cu117, which is a torch 2.0.0."""
    return SpecifierSet(",".join(str(each).partition("+")[0] for each in specifier))


def _floor(required: Iterator[Requirement]) -> SpecifierSet | None:
    found = [
        str(part)
        for each in required
        if each.name == "torch"
        for part in each.specifier
        if part.operator in _FLOORS
    ]
    return SpecifierSet(",".join(found)) if found else None


@lru_cache(maxsize=1024)
def releases_in(name: str, specifier: SpecifierSet) -> tuple[Version, ...]:
    """Return the releases in a specifier, ascending; a pin is one, known or not."""
    pinned = published.pin(specifier)
    if pinned is not None:
        return (pinned,)
    return tuple(each for each in published.releases(name) if specifier.contains(each))


def candidates(part: Part) -> tuple[Version, ...]:
    """Return the releases that a requirement allows."""
    return releases_in(part.name, part.requirement.specifier)


@lru_cache(maxsize=8192)
def _runs_on(name: str, version: Version, python: str) -> bool:
    asked = published.requires_python(name, version)
    return asked is None or asked.contains(f"{python}.0")


def _pythons(part: Part) -> tuple[str, ...]:
    """Return the Pythons for which a requirement holds, on Linux on x86_64."""
    return _PYTHONS if part.requirement.marker is None else _marked(part.requirement)


@lru_cache(maxsize=1024)
def _marked(each: Requirement) -> tuple[str, ...]:
    return tuple(python for python in _PYTHONS if any(published.applicable((each,), (), python)))
