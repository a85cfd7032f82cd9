"""Whether the installed versions are those that the project pins, locks or allows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.doctor.causes import Cause, CausePlace, Findings
from rocmlint.text.words import counted
from rocmlint.verify.patches.copy_version import install_command
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.project.versions import Candidate
    from rocmlint.stack.installed.distributions import Distribution, Environment

_OF_GPU = frozenset({"torch", "torchvision", "torchaudio", "triton", "jax", "jaxlib"})
"""Packages whose CUDA builds pip takes from PyPI: stack install-command names the index."""


def versions(
    declared: Mapping[str, Sequence[Candidate]], environment: Environment, confirm: str
) -> Findings:
    """Compare each package that the project declares with what is installed."""
    found, right = Findings(), []
    for package, candidates in declared.items():
        wanted = [each for each in candidates if each.declared and not each.in_readme]
        if not wanted:
            continue
        installed = environment.get(package)
        if installed is None:
            found.causes.append(_missing(package, wanted[0], environment, confirm))
        elif any(_is_met(each, installed) for each in wanted):
            right.append(package)
        else:
            found.causes.append(_wrong(installed, wanted[0], environment, confirm))
    if right:
        verb = "is" if len(right) == 1 else "are"
        found.right.append(f"{counted(right, 'package')} {verb} of the version that is declared")
    return found


def _is_met(candidate: Candidate, installed: Distribution) -> bool:
    """Compare; a local build (2.9.1+rocm6.4) is of the version that it is a build of."""
    version = installed.parsed
    if version is None:
        return True  # not a version (PEP 440): nothing can be said of it
    if candidate.allowed is not None:
        return candidate.allowed.contains(version, prereleases=True)
    if not candidate.certain:
        return True
    is_local = candidate.version.local is not None
    return version == candidate.version if is_local else _public(version) == candidate.version


def _public(version: Version) -> Version:
    return Version(version.public)


def _wanted(candidate: Candidate) -> str:
    """Return the versions that a candidate stands for, as a specifier."""
    is_one = candidate.allowed is None
    return f"=={candidate.version}" if is_one else str(candidate.allowed)


def _only(candidate: Candidate) -> str:
    """Return the one version that a candidate allows, "" where it leaves a choice."""
    if candidate.allowed is None:
        return str(candidate.version)
    each = list(candidate.allowed)
    is_one = len(each) == 1 and each[0].operator in {"==", "==="} and "*" not in each[0].version
    return each[0].version if is_one else ""


def _wrong(
    installed: Distribution, wanted: Candidate, environment: Environment, confirm: str
) -> Cause:
    name, only = installed.name, _only(wanted)
    wants = f"pins {only}" if only else f"allows {_wanted(wanted)}"
    how = "its lock file" if wanted.said.startswith("lock") else "the project"
    problem = f"{installed.version} is installed, and {how} {wants}"
    return Cause(
        "wrong-version",
        "error",
        "versions",
        name,
        problem,
        (CausePlace(wanted.place),) if wanted.place else (),
        (_install(name, wanted, environment, installed.installer),),
        confirm,
        (Evidence("distribution", installed.place), Evidence("declared", wanted.said)),
    )


def _missing(package: str, wanted: Candidate, environment: Environment, confirm: str) -> Cause:
    return Cause(
        "missing-package",
        "error",
        "versions",
        package,
        f"not installed, and the project requires it ({wanted.requirement or wanted.said})",
        (CausePlace(wanted.place),) if wanted.place else (),
        (_install(package, wanted, environment, ""),),
        confirm,
        (Evidence("declared", wanted.said),),
        rank=1,
    )


def _install(name: str, wanted: Candidate, environment: Environment, installer: str) -> str:
    if name in _OF_GPU:
        exact = f" --torch {only}" if name == "torch" and (only := _only(wanted)) else ""
        with_it = f" --{name}" if name in {"torchvision", "torchaudio"} else ""
        return f"rocmlint stack install-command{exact}{with_it}"
    is_free = wanted.allowed is not None and not wanted.allowed
    requirement = name if is_free else f"{name}{_wanted(wanted)}"
    python = os.path.normpath(environment.executable)
    return install_command(python, requirement, installer)
