"""Commands for a requirement that is not met, which keep the build of torch."""

from __future__ import annotations

import shlex
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rocmlint.published import imports, requirements, rocm_wheels
from rocmlint.published.closure import brings_other
from rocmlint.published.fitting import newest_accepting
from rocmlint.stack.advice import jax_builds
from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds
from rocmlint.stack.advice.rocm_builds import COMPILE_ANEW, rocm_build
from rocmlint.stack.advice.torch_command import NOWHERE, Surroundings, meeting, one_index
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH, TORCH_FAMILY, minor_of
from rocmlint.stack.verdicts import is_met
from rocmlint.stack.wheels.amd_parts import install, is_of_amd

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.stack.installed.distributions import Distribution

_JAX = ("jax", "jaxlib")


def remedy(  # noqa: PLR0913 - a requirement, who makes it, and where
    package: Distribution,
    requirement: Requirement,
    other: Distribution | None,
    extra: str,
    python: str,
    *,
    kept: KeptBuilds = NOTHING,
    here: Surroundings = NOWHERE,
) -> str:
    """Return what makes the requirement of a package true.

    For another torch the package moves first: torch is what the ROCm here was chosen with, and
    what is ``kept``. ``python`` is the version of the interpreter, ``here`` what a torch is for.
    """
    name = canonicalize_name(requirement.name)
    if name in rocm_wheels.BUILT_FOR_CUDA:
        return rocm_build(
            _text(requirement),
            kept,
            python=minor_of(python),
            replaces=name if other else "",
        )
    if jax_builds.PART.fullmatch(name):
        return _of_jax(package, requirement, kept, here)
    if name in _JAX and f" {name}==" in _other_jax(here):
        return ""  # the command for the parts that are for another ROCm brings it
    if is_of_amd(name):
        wanted = next((each.version for each in requirement.specifier), package.version)
        return install(wanted, _text(requirement))
    if name not in TORCH_FAMILY:
        if _replaces_torch(requirement, kept, python):
            return shlex.join(("pip", "install", "--no-deps", _text(requirement)))
        return kept.pip_install(_text(requirement))
    if package.name in TORCH_FAMILY or other is None or other.parsed is None:
        return one_index(here, requirement, package)
    torch = other if name == "torch" else here.get("torch")
    flag = f"--torch {torch.parsed.public} " if torch and torch.parsed else ""
    compatible = f"rocmlint stack compatible {flag}{package.name}"
    if name == "triton" != other.name:  # under its name for ROCm it belongs to torch, and stays
        return compatible
    fitting = newest_taking(package.name, name, other.parsed, extra, minor_of(python))
    move = meeting(here, requirement, other.parsed) if name == "torch" else ""
    if fitting is None or fitting == package.parsed:
        return move or compatible
    wanted = f"{package.name}=={fitting}"
    keep = f"{kept.pip_install(wanted)} (keeps {other})"
    if package.name in rocm_wheels.BUILT_FOR_CUDA:
        built = rocm_build(wanted, kept, python=minor_of(python), replaces=package.name)
        keep = f"{built}; it keeps {other}"
    return f"{keep}; or {move}" if move else keep


def _of_jax(
    package: Distribution, requirement: Requirement, kept: KeptBuilds, here: Surroundings
) -> str:
    """Return how a part of JAX gets its other half: for another ROCm both are replaced."""
    major = here.rocm.partition(".")[0]
    if major and jax_builds.major_of(package.name) not in {"", major}:
        return _other_jax(here)
    exact = next((each.version for each in requirement.specifier if each.operator == "=="), "")
    name = canonicalize_name(requirement.name)
    action = jax_builds.part(name, exact, here) if exact else f"pip install {_text(requirement)}"
    return kept.added_to(action)


def _other_jax(here: Surroundings) -> str:
    """Return how JAX is replaced where parts of it are for another ROCm; empty where none is."""
    major = here.rocm.partition(".")[0]
    parts = [each for each in here.packages if jax_builds.PART.fullmatch(each.name)]
    others = [each for each in parts if jax_builds.major_of(each.name) != major]
    return jax_builds.for_rocm(here, others) if major and others else ""


def importing(
    package: Distribution,
    other: Distribution,
    name: str,
    kept: KeptBuilds = NOTHING,
    installed: Iterable[Distribution] = (),
) -> str:
    """Return which release to install where a package asks another for a name that it has not.

    The first release of the package that can be imported with the other, else one of the other that
    has the name and that all take which are ``installed``: torch stays.
    """
    version, found = package.parsed, other.parsed
    if version is None or found is None:
        return ""
    first = imports.first_importing(package.name, version, other.name, found)
    if first is not None:
        return kept.pip_install(f"{package.name}>={first}")
    other_release = "" if other.name in TORCH_FAMILY else imports.having(other.name, found, name)
    if other_release and _is_taken(Requirement(other_release), found, installed):
        return kept.pip_install(other_release)
    return kept.pip_install("--upgrade", package.name)


def _is_taken(release: Requirement, present: Version, installed: Iterable[Distribution]) -> bool:
    """Return whether some release of a package is taken by all that take the present one."""
    name = canonicalize_name(release.name)
    specifiers = [
        each.specifier
        for package in installed
        for each in requirements.applicable(package.requires)
        if canonicalize_name(each.name) == name and is_met(each.specifier, present)
    ]
    return requirements.newest(name, reduce(and_, specifiers, release.specifier)) is not None


def reinstall(package: Distribution, here: Surroundings = NOWHERE) -> str:
    """Return how the release that is installed is installed anew."""
    exact = shlex.quote(f"{package.name}=={package.version}")
    if package.name in TORCH_FAMILY:
        return f"pip uninstall -y {package.name}, then {one_index(here)}"
    if package.name in rocm_wheels.BUILT_FOR_CUDA:
        return rocm_build(
            f"{package.name}=={package.version}", python=here.python, replaces=package.name
        )
    how = COMPILE_ANEW if package.name in BUILT_AGAINST_TORCH else ("--no-deps",)
    return f"pip install --force-reinstall {' '.join(how)} {exact}"


def newest_taking(
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


def _replaces_torch(requirement: Requirement, kept: KeptBuilds, python: str) -> bool:
    """Return whether what pip would take for a requirement pins torch, or excludes newer ones.

    Also whether it installs what overwrites the triton that is kept with torch, or is for CUDA
    only.
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
