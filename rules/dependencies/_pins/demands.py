"""What a release demands of torch and Triton by its metadata, itself or through what it pins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements as published
from rocmlint.published import rocm_wheels
from rocmlint.published.closure import closure
from rocmlint.published.fitting import newest_accepting
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import Specifier, SpecifierSet


class Demand(NamedTuple):
    """What a release wants, one that is asked for or one that it brings ``through`` others."""

    package: str
    version: Version
    torch: SpecifierSet | None
    triton: bool = False
    through: tuple[str, ...] = ()
    """The packages on the way from the one that was asked for to the one that wants it."""
    last: Version | None = None
    """The version of the last of them."""

    @property
    def said(self) -> str:
        """The demand in words."""
        asks = (
            "any torch"
            if self.torch is None or not len(self.torch)
            else f"torch{shown(self.torch)}"
        )
        if not self.through:
            return f"{self.package} {self.version} requires {asks}"
        chain = " requires ".join((self.package, *self.through))
        return f"{chain}, whose release {self.last} requires {asks}"


def shown(specifier: SpecifierSet) -> str:
    """Write a specifier without the bounds that others exceed: ``>=2.4,<2.15``."""
    pinned = published.pin(specifier)
    if pinned is not None:
        return f"=={pinned}"
    bounds = {sign: [each for each in specifier if each.operator[0] == sign] for sign in "><"}
    others = [str(each) for each in specifier if each.operator[0] not in bounds]
    lower = max(bounds[">"], key=_version, default=None)
    upper = min(bounds["<"], key=_version, default=None)
    return ",".join([*(str(each) for each in (lower, upper) if each is not None), *sorted(others)])


def _version(bound: Specifier) -> Version:
    return Version(bound.version)


def demand_of(requirement: Requirement) -> Demand | None:
    """Return what pip would install for a requirement demands; None where that is unknown."""
    return next(iter(demands_of(requirement)), None)


def demands_of(requirement: Requirement, there: frozenset[str] = frozenset()) -> tuple[Demand, ...]:
    """Return what pip would install for a requirement demands and brings, the nearest first.

    That is the newest release of each package that all of these allow, but for those that are
    ``there`` already. Empty where the release of the requirement itself is unknown.
    """
    name = canonicalize_name(requirement.name)
    version = published.pin(requirement.specifier) or published.newest(name, requirement.specifier)
    if version is None or requirement.url:
        return ()
    return _demands(name, version, frozenset(requirement.extras), there)


@lru_cache(maxsize=256)
def _demands(
    name: str, version: Version, extras: frozenset[str], there: frozenset[str]
) -> tuple[Demand, ...]:
    found = closure(name, version, extras, there=there)
    if not found:
        return ()
    root, *brought = found
    required = published.applicable(published.requirements(name, version) or (), sorted(extras))
    has_triton = any(each.name == "triton" for each in required)
    own = Demand(name, version, root.torch, triton=has_triton)
    return (
        own,
        *(
            Demand(name, version, each.torch, through=each.through, last=each.version)
            for each in brought
        ),
    )


def is_narrow(specifier: SpecifierSet | None) -> bool:
    """Return whether a specifier pins torch, or excludes the newest that has wheels for ROCm."""
    if specifier is None:
        return False
    if published.pin(specifier) is not None:
        return True
    newest = newest_rocm_torch()
    return newest is not None and not specifier.contains(newest)


@lru_cache(maxsize=1)
def newest_rocm_torch() -> Version | None:
    """Return the newest release of torch that has wheels for ROCm."""
    minors = {each.torch for each in rocm_wheels.rows() if each.status != "nightly"}
    found = [each for each in published.releases("torch") if minor_release(each) in minors]
    return found[-1] if found else None


def fitting(name: str, extras: tuple[str, ...], torch: Version) -> Version | None:
    """Return the newest release of a package that goes with a torch."""
    return newest_accepting(
        name, [torch], lambda release: published.torch_requirement(name, release, extras)
    )
