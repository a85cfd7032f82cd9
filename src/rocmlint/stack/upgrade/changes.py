"""Changes of installed packages by another torch: removed, rebuilt, upgraded."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from rocmlint.published import requirements
from rocmlint.published.fitting import fit
from rocmlint.stack.advice.rollback import built_from
from rocmlint.stack.checks.declared import declared
from rocmlint.stack.installed.bitsandbytes import NAME as BITSANDBYTES
from rocmlint.stack.installed.bitsandbytes import libraries_for_rocm, wanted
from rocmlint.stack.installed.contents import always_required, libraries
from rocmlint.stack.installed.distributions import (
    BUILT_AGAINST_TORCH,
    Distribution,
    is_of_torch,
    minor_of,
)
from rocmlint.stack.verdicts import is_met
from rocmlint.stack.versions import major_minor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from packaging.version import Version

    from rocmlint.stack.installed.distributions import Environment

Action = Literal["remove", "install", "upgrade", "downgrade", "rebuild"]

_OF_CUDA = re.compile(r"nvidia-|cuda-(?:bindings|pathfinder|toolkit)$")
_HIP = {"10.0": "7.15"}
"""The HIP of releases of ROCm that have another number."""
_NOTHING: Mapping[str, SpecifierSet] = {}
_MOST_ROUNDS = 12


@dataclass(frozen=True)
class PackageChange:
    """The change of one package. ``before`` or ``after`` is empty if it is not installed then."""

    action: Action
    package: str
    before: str
    after: str
    why: str


@dataclass(frozen=True)
class Misfit:
    """A requirement of an installed package that the new torch does not meet, for good."""

    package: str
    requirement: str
    why: str


def is_triton(name: str) -> bool:
    """Return whether a package is triton under one of its names: torch requires the right one."""
    return name == "triton" or name.endswith(("triton-rocm", "pytorch-triton"))


def compiled(environment: Environment, rocm: str) -> dict[str, str]:
    """Return the packages with code that was compiled for the present torch, and how one knows."""
    found: dict[str, str] = {}
    for each in environment.distributions:
        if is_of_torch(each.name):
            continue
        files = libraries(each)
        if each.name in BUILT_AGAINST_TORCH:
            found[each.name] = "its code is compiled for one torch version"
        elif each.name == BITSANDBYTES:
            why = without_library(each, rocm) if built_from(each) else ""
            found |= {each.name: why} if why else {}
        elif files and any(name == "torch" for name in always_required(each, environment)):
            found[each.name] = f"it requires torch and has compiled code ({files[0]})"
    return found


def without_library(bitsandbytes: Distribution, rocm: str) -> str:
    """Return how one knows that bitsandbytes has no library for a ROCm; empty if it has one.

    From 0.50 on it may do with the library of another minor version, but a plan is for its own.
    """
    files = libraries(bitsandbytes)
    own = libraries_for_rocm(files)
    release = major_minor(rocm)
    if not files or wanted(bitsandbytes, _HIP.get(release, release)) in own:
        return ""
    names = ", ".join(f"libbitsandbytes_rocm{each}.so" for each in own)
    return f"it has {f'{names} and none' if own else 'no library'} for ROCm {rocm}"


def orphans(environment: Environment, removed: Collection[str]) -> list[Distribution]:
    """Return CUDA's libraries that nothing but the removed packages requires."""
    of_cuda = [each for each in environment.distributions if _OF_CUDA.match(each.name)]
    required = {
        name
        for each in environment.distributions
        if each.name not in removed and each not in of_cuda
        for name in always_required(each, environment)
    }
    return [each for each in of_cuda if removed and each.name not in required]


def upgrades(
    environment: Environment,
    planned: Mapping[str, Version],
    stay: Collection[str] = (),
    wishes: Mapping[str, SpecifierSet] | None = None,
) -> tuple[list[PackageChange], list[Misfit]]:
    """Find what must have another version for all requirements to hold with the planned ones.

    Gives the changes, and the requirements that no known release mends; for the packages of
    ``stay`` an older release is no mending. ``wishes`` are met where they can be. A requirement
    between packages that stay as they are is none of this plan's: ``rocmlint stack show`` judges
    those.
    """
    why: dict[str, str] = {}
    moved: dict[str, Version] = {}
    hopeless: dict[str, Misfit] = {}
    for _ in range(_MOST_ROUNDS):
        targets = {**planned, **moved}
        unmet = [each for each in _misfits(environment, targets) if each.package not in hopeless]
        for each in unmet:
            if each.package in why or not _can_be_mended(environment, planned, each.package, stay):
                hopeless[each.package] = each
            else:
                why[each.package] = each.why
        goals = [each for each in why if each not in hopeless]
        found = _solved(environment, planned, goals, stay, wishes or _NOTHING)
        if found is None:
            hopeless |= {each.package: each for each in unmet}
            break
        moved = _needed(environment, found, goals)
        if not unmet:
            break
    changes = [_change(environment, name, moved, why.get(name, "")) for name in moved]
    return changes, list(hopeless.values())


def _misfits(environment: Environment, targets: Mapping[str, Version]) -> Iterator[Misfit]:
    """Find the requirements that do not hold with other versions, and that those are a part of."""
    imagined = _imagined(environment, targets)
    judged = set()
    for each in declared(imagined):
        judged.add(each.package)
        involved = each.package in targets or each.on in targets
        if each.judgement == "conflict" and involved and each.found and not is_triton(each.on):
            why = f"{each.package} {each.version} requires {each.requirement}"
            yield Misfit(each.package, each.requirement, why)
    for distribution in imagined.distributions:
        if distribution.name in judged:
            continue
        for name, required in always_required(distribution, imagined).items():
            if name in targets and not is_met(required.specifier, targets[name]):
                text = f"{name}{required.specifier}"
                yield Misfit(distribution.name, text, f"{distribution} requires {text}")


def _imagined(environment: Environment, targets: Mapping[str, Version]) -> Environment:
    """Return the environment as it would be with other versions.

    What torch itself requires is left out: its wheels for ROCm name other packages than the wheel
    whose metadata is known, and the installer adds them.
    """
    distributions = {each.name: each for each in environment.distributions}
    for name, version in targets.items():
        required = () if is_of_torch(name) else requirements.requirements(name, version) or ()
        distributions[name] = Distribution(name, str(version), tuple(required))
    return replace(environment, distributions=tuple(distributions.values()))


def _can_be_mended(
    environment: Environment, planned: Mapping[str, Version], name: str, stay: Collection[str]
) -> bool:
    floor = _floor(environment, name) if name in stay else SpecifierSet()
    return fit([_goal(name, floor)], minor_of(environment.python), planned) is not None


def _solved(
    environment: Environment,
    planned: Mapping[str, Version],
    goals: Collection[str],
    stay: Collection[str],
    wishes: Mapping[str, SpecifierSet],
) -> Mapping[str, Version] | None:
    """Choose releases that fit together, giving up one thing after the other if need be.

    First that all others stay as they are, then what is wished for, at last that no package gets
    older; those of ``stay`` never do.
    """
    beside = {
        each.name: each.parsed
        for each in environment.distributions
        if each.parsed is not None and each.name not in goals and not is_of_torch(each.name)
    }
    python = minor_of(environment.python)
    possible = {
        each: wishes[each]
        for each in goals
        if each in wishes and fit([_goal(each, wishes[each])], python, planned) is not None
    }
    for kept, wished, fixed in product(
        (goals, stay), (possible, _NOTHING), ({**beside, **planned}, planned)
    ):
        floors = {each: _floor(environment, each) for each in goals if each in kept}
        wanted = [
            _goal(each, floors.get(each, SpecifierSet()) & wished.get(each, SpecifierSet()))
            for each in goals
        ]
        found = fit(wanted, python, fixed)
        if found is not None:
            return found
    return None


def _floor(environment: Environment, name: str) -> SpecifierSet:
    """Demand what is installed, or newer."""
    installed = environment.get(name)
    before = installed.parsed if installed else None
    return SpecifierSet(f">={before.public}" if before else "")


def _goal(name: str, specifier: SpecifierSet) -> Requirement:
    """Ask for a package as torch's users have it: transformers says what it needs in an extra."""
    return Requirement(f"{name}[torch]{specifier}")


def _needed(
    environment: Environment, found: Mapping[str, Version], goals: Collection[str]
) -> dict[str, Version]:
    """Leave out what was chosen anew although what is installed would do, too."""
    installed = {each.name: each.parsed for each in environment.distributions}
    return {
        name: version
        for name, version in found.items()
        if not is_of_torch(name)
        and installed.get(name) not in {None, version}
        and (name in goals or _asked_by(name, installed[name], found))
    }


def _asked_by(name: str, before: Version | None, found: Mapping[str, Version]) -> str:
    """Return which new release requires another version of a package than the present one."""
    for other, version in found.items():
        for each in requirements.applicable(requirements.requirements(other, version) or ()):
            if each.name == name and before and not is_met(each.specifier, before):
                return f"{other} {version} requires {name}{each.specifier}"
    return ""


def _change(
    environment: Environment, name: str, moved: Mapping[str, Version], why: str
) -> PackageChange:
    installed = environment.get(name)
    before = installed.parsed if installed else None
    action: Action = "downgrade" if before and moved[name] < before else "upgrade"
    reason = why or _asked_by(name, before, moved)
    return PackageChange(action, name, str(before or ""), str(moved[name]), reason)
