"""What a release demands of torch and Triton by its metadata, itself or through what it pins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published import rocm_wheels
from rocmlint.published.fitting import newest_accepting
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version


class Demand(NamedTuple):
    """What a release wants; ``through`` is the package that wants it where it is another."""

    package: str
    version: Version
    torch: SpecifierSet | None
    triton: bool = False
    through: str = ""

    @property
    def said(self) -> str:
        """The demand in words."""
        asks = "any torch" if self.torch is None or not len(self.torch) else f"torch{self.torch}"
        through = f"{self.through}, which requires " if self.through else ""
        return f"{self.package} {self.version} requires {through}{asks}"


def demand_of(requirement: Requirement) -> Demand | None:
    """Give what pip would install for a requirement demands; None where that is unknown."""
    name = canonicalize_name(requirement.name)
    version = published.pin(requirement.specifier) or published.newest(name, requirement.specifier)
    if version is None or requirement.url:
        return None
    return _demand(name, version, tuple(sorted(requirement.extras)))


@lru_cache(maxsize=256)
def _demand(name: str, version: Version, extras: tuple[str, ...]) -> Demand | None:
    try:
        torch = published.torch_requirement(name, version, extras)
    except KeyError:
        return None
    required = tuple(published.applicable(published.requirements(name, version) or (), extras))
    triton = any(each.name == "triton" for each in required)
    if torch is None or not is_narrow(torch):
        for each in required:
            inner = _newest(each)
            if inner is not None and is_narrow(inner.torch):
                through = f"{each.name} {inner.version}"
                return Demand(name, version, inner.torch, triton, through)
    return Demand(name, version, torch, triton)


def _newest(requirement: Requirement) -> Demand | None:
    """Give what the release demands that pip takes for a requirement of another package."""
    if requirement.name == "torch":
        return None
    name = canonicalize_name(requirement.name)
    version = published.newest(name, requirement.specifier)
    if version is None:
        return None
    try:
        torch = published.torch_requirement(name, version, tuple(sorted(requirement.extras)))
    except KeyError:
        return None
    return Demand(name, version, torch)


def is_narrow(specifier: SpecifierSet | None) -> bool:
    """Say whether a specifier pins torch, or excludes the newest that has wheels for ROCm."""
    if specifier is None:
        return False
    if published.pin(specifier) is not None:
        return True
    newest = newest_rocm_torch()
    return newest is not None and not specifier.contains(newest)


@lru_cache(maxsize=1)
def newest_rocm_torch() -> Version | None:
    """Give the newest release of torch that has wheels for ROCm."""
    minors = {each.torch for each in rocm_wheels.rows() if each.status != "nightly"}
    found = [each for each in published.releases("torch") if minor_release(each) in minors]
    return found[-1] if found else None


def fitting(name: str, extras: tuple[str, ...], torch: Version) -> Version | None:
    """Give the newest release of a package that goes with a torch."""
    return newest_accepting(
        name, [torch], lambda release: published.torch_requirement(name, release, extras)
    )
