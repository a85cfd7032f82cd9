"""AMD's SDK as packages: what of it stays, what comes along, and what loses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import amd_wheels
from rocmlint.stack.advice.jax_builds import major_of, why_none
from rocmlint.stack.checks.jax import plugins
from rocmlint.stack.installed.distributions import minor_of
from rocmlint.stack.upgrade.changes import PackageChange
from rocmlint.stack.upgrade.pins import Obstacle
from rocmlint.stack.versions import major_minor
from rocmlint.stack.wheels.amd_parts import CORE, FAMILY, is_of_amd
from rocmlint.stack.wheels.install import enumerated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.wheels.install import Wheels

DEVEL = "rocm-sdk-devel"
"""The compiler and its headers, which torch does not require."""
_EXTRAS = {DEVEL: "devel", "rocm-profiler": "profiler"}
"""The parts that torch does not require, and the extras of ``rocm`` that install them
(docs/packaging of ROCm/TheRock).
"""
_WHY = {
    DEVEL: "it has the compiler and the headers of this ROCm",
    "rocm-profiler": "it has the profilers of this ROCm",
}


def stays(part: Distribution, targets: Mapping[str, Version], wheels: Wheels) -> bool:
    """Return whether a package is a part of AMD's SDK, or code for a GPU, that the plan wants.

    Torch for all GPUs takes other libraries than those of a family.
    """
    if wheels.source != "amd" or not is_of_amd(part.name):
        return False
    if wheels.extras and FAMILY.fullmatch(part.name):
        return False
    return part.version in {wheels.rocm, *map(str, targets.values())}


def carried(removed: Collection[str], wheels: Wheels) -> tuple[PackageChange, ...]:
    """Return what must be asked for so that it comes back with the new torch."""
    if wheels.source != "amd":
        return ()
    names = (each for each in _EXTRAS if each in removed)
    return tuple(PackageChange("install", each, "", wheels.rocm, _WHY[each]) for each in names)


def requirements_of(changes: Sequence[PackageChange]) -> tuple[str, ...]:
    """Return the requirement that installs what is carried; none if nothing is."""
    found = {each.package: each.after for each in changes if _is_carried(each)}
    extras = ",".join(_EXTRAS[each] for each in found)
    return tuple(f"rocm[{extras}]=={each}" for each in dict.fromkeys(found.values()))


def lost(changes: Sequence[PackageChange]) -> list[str]:
    """Return the parts of the SDK that go and do not come back, though somebody asked for them."""
    comes = {each.package for each in changes if _is_carried(each)}
    goes = (each.package for each in changes if each.action == "remove")
    return [each for each in goes if each in _EXTRAS and each not in comes]


def _is_carried(change: PackageChange) -> bool:
    return change.action == "install" and change.package in _EXTRAS


def without_compiler(
    changes: Sequence[PackageChange], wheels: Wheels, python: str
) -> Iterator[Obstacle]:
    """Say that nothing is left to compile with, where no other ROCm is installed."""
    built = [each.package for each in changes if each.action == "rebuild"]
    if built and DEVEL in lost(changes):
        why = f"{', '.join(built)}: compiled with it, and {wheels.url} does not have it"
        do = f"install ROCm {wheels.rocm} first, or plan for AMD's wheels, whose index has it"
        yield Obstacle(f"package {DEVEL}", "", why, f"{do}{_of_amd(wheels, python)}")


def _of_amd(wheels: Wheels, python: str) -> str:
    """Return the flags that plan for AMD's newest build: for the same ROCm, or the newest."""
    builds = [
        each
        for each in amd_wheels.builds()
        if each.index.kind == "extra" and each.system == wheels.system and python in each.python
    ]
    same = [each for each in builds if major_minor(each.rocm) == major_minor(wheels.rocm)]
    by_age = sorted(same or builds, key=lambda each: (Version(each.rocm), Version(each.torch)))
    if not by_age:
        return ""
    newest = by_age[-1]
    return f": --to {newest.rocm} --torch {newest.version('torch')}"


def without_rocm(
    environment: Environment, removed: Collection[str], wheels: Wheels
) -> Iterator[Obstacle]:
    """Say that JAX loses the ROCm that it runs on, and what it runs on afterwards.

    The plan may remove that ROCm, or install another one: JAX takes that of the packages
    first.
    """
    core, found = environment.get(CORE), plugins(environment)
    others = [each for each in found if major_of(each.name) != wheels.rocm.partition(".")[0]]
    if core is not None and CORE in removed and found:
        why = f"JAX runs on ROCm {core.version}, which the plan removes"
    elif wheels.source == "amd" and others:
        found = others
        why = (
            f"it is for ROCm {major_of(found[0].name)}, and AMD's torch installs ROCm {wheels.rocm}"
        )
    else:
        return
    yield Obstacle(
        f"package {found[0].name}",
        ", ".join(map(str, found)),
        why,
        _of_jax([each.name for each in found], wheels, minor_of(environment.python)),
    )


def _of_jax(names: Sequence[str], wheels: Wheels, python: str) -> str:
    release = major_minor(wheels.rocm)
    rows = amd_wheels.elsewhere("jax", release)
    away = f"uninstall {' and '.join(names)}"
    other = f"{away}, or use another environment for torch"
    if not rows or wheels.source != "amd":
        known = ", ".join(
            dict.fromkeys(one for each in amd_wheels.elsewhere("jax") for one in each.rocm)
        )
        return f"{other}; JAX has plugins for ROCm {known}"
    none = why_none(release.partition(".")[0], python)
    if not none and python not in rows[0].python:
        none = f"JAX for ROCm {release} is built for Python {enumerated(rows[0].python)} only"
    if none:
        return f"{other}; {none}"
    family = wheels.url.rstrip("/").rpartition("/")[2]
    words = (each.format(gpu="", family=family) for each in rows[0].commands if "jax" in each)
    return f"{away}, and after the plan install those for ROCm {release}: {' and '.join(words)}"
