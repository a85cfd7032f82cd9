"""Whether two requirements can be met together, by the metadata of all releases they admit."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from packaging.specifiers import SpecifierSet

from rocmlint.published import requirements as published
from rocmlint.published.fitting import newest_accepting
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement
    from packaging.version import Version

    from .together import Part

_PYTHONS = ("3.11", "3.12", "3.10", "3.13", "3.9")
"""Those that torch has wheels for; what the first says is told."""
_FLOORS = frozenset({">=", ">"})
_OF_PYTORCH = compile_lazily(r"(?:cpu|cu\d+|rocm\d+(?:\.\d+)+)$")
"""The labels of the builds at download.pytorch.org, which require what PyPI's releases do."""


class Conflict(NamedTuple):
    """A requirement that no release of another admits.

    ``demanded`` is what the newest release of ``owner`` demands; ``implied`` if only its extra
    torch does, which nobody asked for; ``fits`` is the newest release of the owner that goes.
    """

    owner: Part
    other: Part
    demanded: str = ""
    implied: bool = False
    fits: Version | None = None


def conflict_between(one: Part, two: Part) -> Conflict | None:
    """Prove that two requirements cannot be met together; None where they can, or none can tell.

    Every Python for which both hold must say so.
    """
    if one.name == two.name:
        return _of_one_package(one, two)
    found = None
    for python in _pythons(one):
        if python not in _pythons(two):
            continue
        answers = [_forbids(one, two, python), _forbids(two, one, python)]
        if "absent" in answers:
            continue
        conflict = next((each for each in answers if isinstance(each, Conflict)), None)
        if conflict is None:
            return None
        found = found or conflict
    return found


def _of_one_package(one: Part, two: Part) -> Conflict | None:
    """Say whether two specifiers of one package exclude each other."""
    first, second = candidates(one), candidates(two)
    if not {*_pythons(one)} & {*_pythons(two)} or not first or not second:
        return None
    meets = any(
        two.requirement.specifier.contains(each, prereleases=True) for each in first
    ) or any(one.requirement.specifier.contains(each, prereleases=True) for each in second)
    return None if meets else Conflict(one, two)


def _forbids(owner: Part, other: Part, python: str) -> Conflict | str:
    """Say whether every release that the owner admits demands other versions than the other's.

    "absent": the owner admits no release for this Python; "": they go together, or none can tell.
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
        demand = _demanded(owner.name, version, extras, other.name, python)
        if demand is None or _is_own_build(owner.name, version, other.name):
            return ""
        asked, implied = demand
        if other.constraint and implied:
            return ""
        if asked is None or any(asked.contains(each, prereleases=True) for each in others):
            return ""
        conflict = conflict or (str(asked), implied)
    if conflict is None:
        return ""
    fits = _newest_fit(owner.name, extras, other.name, others, python)
    return Conflict(owner, other, *conflict, fits)


def _is_own_build(name: str, version: Version, other: str) -> bool:
    """Say whether a build may require another version than PyPI's release does.

    `torch==2.12.0+git6bbd260` was built by somebody, with what he had; the wheels of torch for ROCm
    require their own Triton, under another name.
    """
    if version.local is None:
        return False
    return name not in FAMILY or other == "triton" or not _OF_PYTORCH.match(version.local)


def _newest_fit(
    name: str, extras: tuple[str, ...], other: str, versions: tuple[Version, ...], python: str
) -> Version | None:
    """Give the newest release of a package that demands what one of these versions is."""

    def demand(release: Version) -> SpecifierSet | None:
        found = _demanded(name, release, extras, other, python)
        if found is None:
            raise KeyError(release)
        return found[0]

    return newest_accepting(name, versions, demand, python)


@lru_cache(maxsize=8192)
def _demanded(
    name: str, version: Version, extras: tuple[str, ...], other: str, python: str
) -> tuple[SpecifierSet | None, bool] | None:
    """Give what a release demands of another package, and whether only by its extra torch.

    None where the release is unknown. The extra of that name counts where torch is installed too:
    what it asks at least, the code relies on.
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
            floor = _floor(published.applicable(required, ("torch",), python))
            return (floor, True) if floor is not None else (asked, False)
        return _without_builds(asked), False
    total: SpecifierSet | None = None
    for each in published.applicable(required, extras, python):
        if each.name.lower().replace("_", "-") == other:
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
def _admitted(name: str, specifier: SpecifierSet) -> tuple[Version, ...]:
    pinned = published.pin(specifier)
    if pinned is not None:
        return (pinned,)
    return tuple(each for each in published.releases(name) if specifier.contains(each))


def candidates(part: Part) -> tuple[Version, ...]:
    """Give the releases that a requirement admits, ascending; a pin is one, known or not."""
    return _admitted(part.name, part.requirement.specifier)


@lru_cache(maxsize=8192)
def _runs_on(name: str, version: Version, python: str) -> bool:
    asked = published.requires_python(name, version)
    return asked is None or asked.contains(f"{python}.0")


def _pythons(part: Part) -> tuple[str, ...]:
    """Give the Pythons for which a requirement holds, on Linux on x86_64."""
    return _PYTHONS if part.requirement.marker is None else _marked(part.requirement)


@lru_cache(maxsize=1024)
def _marked(each: Requirement) -> tuple[str, ...]:
    return tuple(python for python in _PYTHONS if any(published.applicable((each,), (), python)))
