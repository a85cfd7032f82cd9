"""The question of ``stack compatible``: a torch and packages, read as people write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements as published
from rocmlint.published import rocm_wheels
from rocmlint.published.fitting import TORCH, SearchError, fit, for_python
from rocmlint.published.requirements import pin
from rocmlint.stack.versions import VersionError, read_torch_version
from rocmlint.stack.wheels.install import COMPANIONS, released_with
from rocmlint.text.written import minor_release, requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True)
class AskedTorch:
    """Which torch is meant."""

    requirement: Requirement
    fixed: Version | None = None
    """Where it is not a release: a nightly build."""


def read_torch(text: str) -> tuple[AskedTorch, tuple[str, ...]]:
    """Read a version of torch, and a note on it. Raises VersionError."""
    version = read_torch_version(text)
    known = published.releases(TORCH)
    public = version.public
    if version.is_prerelease:
        note = f"torch {public} is not a release, so its own requirements are unknown"
        return AskedTorch(Requirement(f"{TORCH}=={public}"), version), (note,)
    every = SpecifierSet(f"=={public}.*" if len(version.release) < 3 else f"=={public}")
    if any(map(every.contains, known)) or version > known[-1]:
        return AskedTorch(Requirement(f"{TORCH}{every}")), ()
    near = [str(each) for each in known if each.release[:2] == version.release[:2]]
    message = f"there is no torch {public}"
    message += f"; releases of {minor_release(version)}: {', '.join(near)}" if near else ""
    raise VersionError(message)


def read_packages(packages: Iterable[str]) -> dict[str, Requirement | None]:
    """Read the names, and give the extra ``torch`` to those that have it.

    What is said of one package in several places counts together, as for pip. What is not a
    package's name is kept as it was written, for None.
    """
    asked: dict[str, Requirement | None] = {}
    for text in packages:
        read = requirement_of(text)
        if read is None or read.url:
            asked[text] = None
            continue
        goal = Requirement(text)
        goal.name, goal.marker = canonicalize_name(goal.name), None
        before = asked.get(goal.name)
        if before is not None:
            goal.extras, goal.specifier = (
                before.extras | goal.extras,
                before.specifier & goal.specifier,
            )
        if _extra_counts(goal):
            goal.extras = goal.extras | {TORCH}
        asked[goal.name] = goal
    return asked


def _extra_counts(goal: Requirement) -> bool:
    """Return whether the extra ``torch`` of the newest release asks for a version of torch."""
    newest = published.newest(goal.name, goal.specifier)
    required = published.requirements(goal.name, newest) if newest else None
    return any(
        each.name == TORCH and each.specifier and f'extra == "{TORCH}"' in str(each.marker)
        for each in required or ()
    )


def chosen_patch(torch: AskedTorch, goals: Sequence[Requirement], python: str) -> AskedTorch:
    """Choose the patch release of a minor version that is compatible with the most packages.

    An index would give the newest before it looks at the libraries, and then no vllm, as each
    release of it pins one. Of patches with as many, the one for which all are compatible,
    then the one that the packages have newer releases for, then the newer. Raises VersionError
    where no patch release has wheels for this Python.
    """
    if torch.fixed is not None:
        return torch
    every = [
        each for each in published.releases(TORCH) if torch.requirement.specifier.contains(each)
    ]
    there = [each for each in every if has_wheels(each, python)]
    if every and not there:
        raise VersionError(no_wheels(every[-1], python))
    if not there:
        return torch
    known = [each for each in goals if published.releases(each.name)]
    best = there[-1] if len(there) == 1 else max(there, key=lambda p: _weight(p, known, python))
    return AskedTorch(Requirement(f"{TORCH}=={best}"))


def bounded(goal: Requirement, torch: AskedTorch) -> Requirement:
    """Ask for the torchvision or torchaudio that belongs to a torch, as ``install-command`` does.

    The metadata of torchaudio 2.11.0, the last one, does not say that it is not for an older torch.
    """
    version = pin(torch.requirement.specifier)
    if goal.name not in COMPANIONS or version is None or torch.fixed is not None:
        return goal
    release = released_with(goal.name, str(version))
    if not release:
        return goal
    found = Requirement(str(goal))
    found.specifier &= SpecifierSet(f"=={release}")
    return found


def has_wheels(torch: Version, python: str) -> bool:
    """Return whether a release of torch has wheels for a Python, as far as one knows."""
    asks = published.requires_python(TORCH, torch)
    if published.is_yanked(TORCH, torch) or (asks is not None and not for_python(asks, python)):
        return False
    tags = rocm_wheels.python_tags(str(torch))
    return not tags or _tag(python) in tags


def _tag(python: str) -> str:
    return f"cp{python.replace('.', '')}"


def no_wheels(torch: Version, python: str) -> str:
    """Return why a release of torch has no wheels for a Python."""
    asks = published.requires_python(TORCH, torch)
    if asks is not None and not for_python(asks, python):
        return f"torch {torch} requires Python{asks}"
    tags = rocm_wheels.python_tags(str(torch))
    pythons = [f"{each[2]}.{each[3:]}" for each in tags if each[3:].isdecimal()]
    has = f": it has them for {', '.join(pythons)}" if pythons else ""
    return f"torch {torch} has no wheels for Python {python}{has}"


_Weight = tuple[int, bool, tuple[Version, ...], Version]


def _weight(patch: Version, goals: Sequence[Requirement], python: str) -> _Weight:
    torch = Requirement(f"{TORCH}=={patch}")
    alone = [(each.name, guess((each, torch), python)) for each in goals]
    versions = tuple(found[name] if found else Version("0") for name, found in alone)
    together = guess((*goals, torch), python) is not None
    return sum(found is not None for _, found in alone), together, versions, patch


def guess(goals: Sequence[Requirement], python: str) -> Mapping[str, Version] | None:
    """Ask the shipped metadata, where another answers in the end; None where they do not know."""
    try:
        return fit(goals, python)
    except SearchError:
        return None
