"""Packages that contradict the torch that was recorded, once it is back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published.closure import brings_other
from rocmlint.published.fitting import fit
from rocmlint.published.rocm_wheels import is_for_cuda
from rocmlint.stack.advice.rollback import words_of
from rocmlint.stack.installed.distributions import TORCH_FAMILY, is_of_torch, minor_of
from rocmlint.stack.verdicts import is_met
from rocmlint.text.written import holds, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.stack.advice.keeping import KeptBuilds
    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.recorded.state import State
    from rocmlint.stack.upgrade.steps import Steps


@dataclass(frozen=True)
class Contradiction:
    """A package that is incompatible with the old torch, and the command that fixes that."""

    package: str
    """Name and version."""
    why: str
    command: str


def contradictions(
    environment: Environment, frozen: State, steps: Steps, keep: KeptBuilds
) -> Iterator[Contradiction]:
    """Find what ``pip check`` will report when the old build is back, as it asks for another.

    A package goes back to what was written down, to its newest release that takes the old torch,
    or it goes; ``keep`` is the old torch.
    """
    before = {name: frozen.get(name) for name in TORCH_FAMILY}
    versions = {name: version_of(each.version) for name, each in before.items() if each}
    for package in environment.distributions:
        if is_of_torch(package.name):
            continue
        for each in package.requires:
            name = canonicalize_name(each.name)
            there = versions.get(name)
            if there is None or is_met(each.specifier, there):
                continue
            if holds(each.marker, {**environment.markers, "extra": ""}):
                why = f"it requires {name}{each.specifier}, but {name} is {there} again"
                python = minor_of(environment.python)
                yield Contradiction(str(package), why, _cure(package, frozen, steps, keep, python))
                break


def _cure(package: Distribution, frozen: State, steps: Steps, keep: KeptBuilds, python: str) -> str:
    old = frozen.get(package.name)
    if old is not None and old.version != package.version:
        return steps.install("--no-deps", *words_of(old.requirement))
    release = _fitting(package, keep, python)
    if release is None:
        return steps.uninstall([package.name])
    there = {each.name for each in frozen.distributions}
    if brings_other(package.name, release, python, there):
        return steps.install("--no-deps", f"{package.name}=={release}")
    return steps.install(f"{package.name}=={release}", *keep.words(uv=steps.uses_uv))


def _fitting(package: Distribution, keep: KeptBuilds, python: str) -> Version | None:
    """Return the newest release that takes the old torch, and is not for CUDA."""
    torch = version_of(keep.torch)
    if torch is None or not published.releases(package.name):
        return None
    found = fit([Requirement(package.name)], python, {"torch": torch})
    release = found[package.name] if found else None
    return None if release is None or is_for_cuda(package.name, release) else release
