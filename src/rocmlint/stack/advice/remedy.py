"""What to type when a requirement is not met, so that torch stays the build it is."""

from __future__ import annotations

import shlex
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements, rocm_wheels
from rocmlint.published.closure import brings_other
from rocmlint.published.fitting import newest_accepting
from rocmlint.stack.advice.keeping import NOTHING, Kept
from rocmlint.stack.advice.rocm_builds import rocm_build
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH, TORCH_FAMILY, minor_of
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.amd_parts import install, is_of_amd

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    from rocmlint.stack.installed.distributions import Distribution

COMPILE_ANEW = ("--no-deps", "--no-build-isolation", "--no-cache-dir")
"""With these pip compiles a package against the torch that is installed."""
ONE_INDEX = "install torch and its companions from one index: rocmlint stack install-command"


def remedy(  # noqa: PLR0913 - a requirement, who makes it, and where
    package: Distribution,
    requirement: Requirement,
    other: Distribution | None,
    extra: str,
    python: str,
    *,
    kept: Kept = NOTHING,
) -> str:
    """Return what makes the requirement of a package true.

    For another torch the package moves first: torch is what the ROCm here was chosen with, and
    what is ``kept``. ``python`` is the version of the interpreter.
    """
    name = canonicalize_name(requirement.name)
    if name in rocm_wheels.BUILT_FOR_CUDA:
        return rocm_build(_text(requirement), kept)
    if is_of_amd(name):
        wanted = next((each.version for each in requirement.specifier), package.version)
        return install(wanted, _text(requirement))
    if name not in TORCH_FAMILY:
        if _replaces_torch(requirement, kept, python):
            return shlex.join(("pip", "install", "--no-deps", _text(requirement)))
        return kept.pip_install(_text(requirement))
    if package.name in TORCH_FAMILY or other is None or other.parsed is None:
        return ONE_INDEX
    fitting = _newest_taking(package.name, name, other.parsed, extra, minor_of(python))
    move = _other_torch(requirement, other.parsed) if name == "torch" else ""
    if fitting is None or fitting == package.parsed:
        return move or f"rocmlint stack compatible --torch {other.parsed.public} {package.name}"
    wanted = f"{package.name}=={fitting}"
    keep = f"{kept.pip_install(wanted)} (keeps {other})"
    if package.name in rocm_wheels.BUILT_FOR_CUDA:
        keep = f"{rocm_build(wanted, kept)}; it keeps {other}"
    return f"{keep}; or {move}" if move else keep


def reinstall(package: Distribution) -> str:
    """Return how the release that is installed is installed anew."""
    exact = shlex.quote(f"{package.name}=={package.version}")
    if package.name in TORCH_FAMILY:
        return f"uninstall {package.name}, then {ONE_INDEX}"
    if package.name in rocm_wheels.BUILT_FOR_CUDA:
        return rocm_build(f"{package.name}=={package.version}")
    how = COMPILE_ANEW if package.name in BUILT_AGAINST_TORCH else ("--no-deps",)
    return f"pip install --force-reinstall {' '.join(how)} {exact}"


def _newest_taking(
    package: str, other: str, version: Version, extra: str, python: str
) -> Version | None:
    """Return the newest release of a package that takes a version of another, its extra counted."""
    extras = (extra,) if extra else ()

    def demand(release: Version) -> SpecifierSet | None:
        if other == "torch":
            return requirements.torch_requirement(package, release, extras, python)
        required = requirements.requirements(package, release)
        if required is None:
            raise KeyError(release)
        found = [
            each.specifier
            for each in requirements.applicable(required, extras, python)
            if canonicalize_name(each.name) == other
        ]
        return reduce(and_, found) if found else None

    return newest_accepting(package, [version], demand, python)


def _other_torch(requirement: Requirement, present: Version) -> str:
    """Return the command for the newest released torch that the requirement allows.

    Best is one whose wheels are for the ROCm of the present torch or the newest before it, as the
    driver that is here was chosen for that; else for the oldest of its ROCm versions.
    """
    rows = [each for each in rocm_wheels.rows() if each.status == "release"]
    fitting = [each for each in rows if requirement.specifier.contains(f"{each.torch}.0")]
    here = labelled_rocm(str(present))
    if not fitting:
        return ""
    for row in reversed(fitting):
        older = [each for each in row.rocm if here and Version(each) <= Version(here)]
        if older:
            return f"rocmlint stack install-command --rocm {older[-1]} --torch {row.torch}"
    newest = fitting[-1]
    return f"rocmlint stack install-command --rocm {newest.rocm[0]} --torch {newest.torch}"


def _replaces_torch(requirement: Requirement, kept: Kept, python: str) -> bool:
    """Return whether what pip would take for a requirement pins torch, or excludes newer ones.

    Also whether it brings what overwrites the triton that is kept with torch, or is for CUDA only.
    """
    name = canonicalize_name(requirement.name)
    newest = requirements.newest(name, requirement.specifier)
    if newest is None:
        return False
    try:
        demanded = requirements.torch_requirement(name, newest)
    except KeyError:
        return False
    if demanded is not None and any(each.operator in {"==", "<", "<="} for each in demanded):
        return True
    there = {pin.partition("==")[0] for pin in kept.pins}
    return bool(there) and brings_other(name, newest, minor_of(python), there)


def _text(requirement: Requirement) -> str:
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"
