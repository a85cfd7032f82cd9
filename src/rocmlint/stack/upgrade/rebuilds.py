"""Packages with compiled code: whether a source or a wheel for the new ROCm is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.version import Version

from rocmlint.published import amd_wheels, requirements
from rocmlint.published.fitting import fit
from rocmlint.stack.advice.origins import gone
from rocmlint.stack.advice.rocm_builds import places
from rocmlint.stack.advice.rollback import built_from, source_of
from rocmlint.stack.installed.bitsandbytes import NAME as BITSANDBYTES
from rocmlint.stack.installed.distributions import NOT_ON_PYPI, minor_of
from rocmlint.stack.upgrade.changes import PackageChange, without_library
from rocmlint.stack.upgrade.pins import Obstacle
from rocmlint.stack.versions import major_minor
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.stack.installed.distributions import Distribution, Environment


def has_source(package: Distribution, after: str) -> bool:
    """Return whether pip can build a package anew, as far as that is known.

    In doubt a release has a source distribution. A version in development that is no release has
    none, nor has the wheel of an address, nor what PyPI has another project of. A directory may
    have been deleted since.
    """
    source = built_from(package)
    if after == package.version and source:
        return not gone(source)
    version = version_of(after)
    if version is None or package.name in NOT_ON_PYPI:
        return False
    public = Version(version.public)
    if public in requirements.releases(package.name):
        return True
    return not public.is_prerelease and f"{package.name}==" in source_of(package)


def without_source(package: Distribution, rocm: str) -> Obstacle:
    """Say that a package cannot be built anew, and where a build of it is known."""
    path = gone(built_from(package))
    why = "no source distribution of it is known"
    if path:
        why = f"{path}, which it was installed from, no longer exists"
    return Obstacle(
        f"package {package.name}",
        package.version,
        f"its code is compiled for one torch version, and {why}",
        _instead(package, rocm),
    )


def bitsandbytes(
    environment: Environment, rocm: str, planned: Mapping[str, Version]
) -> PackageChange | Obstacle | None:
    """Return the move to the release whose wheel has a library for the ROCm, or what blocks it.

    PyPI has one wheel for several versions of ROCm, and no source distribution of new releases.
    None where the installed one serves, or is built from source.
    """
    installed = environment.get(BITSANDBYTES)
    why = without_library(installed, rocm) if installed else ""
    if installed is None or not why or built_from(installed):
        return None
    found = fit([Requirement(BITSANDBYTES)], minor_of(environment.python), planned)
    newest = found[BITSANDBYTES] if found else None
    is_there = newest is not None and bool(amd_wheels.elsewhere(BITSANDBYTES, rocm))
    if is_there and (installed.parsed is None or str(newest) != installed.parsed.public):
        return PackageChange("upgrade", BITSANDBYTES, installed.version, str(newest), why)
    do = _instead(installed, rocm)
    if is_there:
        exact = f"{BITSANDBYTES}=={newest}"
        do = f"install PyPI's wheel again: pip install --force-reinstall --no-deps {exact}"
    return Obstacle(f"package {BITSANDBYTES}", installed.version, why, do)


def _instead(package: Distribution, rocm: str) -> str:
    """Return what to do in place of a build: take one that is there, or build it."""
    release = major_minor(rocm)
    where = "; ".join(places(package.name, rocm=release))
    if amd_wheels.elsewhere(package.name, release):
        return f"install a build of it afterwards, {where}"
    known = f" ({where})" if where else ""
    return (
        f"uninstall {package.name}, or build it yourself: no build for ROCm {release} is known"
        f"{known}"
    )
