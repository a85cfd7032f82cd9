"""Which release of a package may be installed next to what is installed, by shipped metadata.

pip replaces torch, or leaves other packages broken, where a release asks for that: it is one to
advise only if nothing that is installed has to go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.published import imports
from rocmlint.published import requirements as published
from rocmlint.published.closure import closure
from rocmlint.published.fitting import TORCH, for_python, shown
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.published.rocm_wheels import is_for_cuda
from rocmlint.text.written import minor_release, version_of
from rocmlint.why.facts.packages.installed import python_version
from rocmlint.why.facts.packages.requirements import required_by
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from packaging.version import Version

    from rocmlint.why.facts.context import Context

_LOWER = frozenset({">=", ">"})
_PINS = frozenset({"==", "==="})
_EXTRAS = {"transformers": ("torch",)}
"""The extra that says which torch a package runs with."""
_FOR_WORK = re.compile(r"[\"'][\w-]*(?:dev|test|quality|docs)")
_MOST = 60
"""Releases that are tried."""
_MOST_FAR = 12
"""Of these, whose requirements are followed to those of what comes with them."""


class Fitting(NamedTuple):
    """The packages to install, or why no release fits."""

    wanted: str = ""
    """A requirement that pip meets with the release that fits; empty where none does."""
    also: tuple[str, ...] = ()
    """Requirements for the same command, as pip would choose other releases."""
    first: tuple[str, ...] = ()
    """Packages of torch's family that pip would install with another torch."""
    obstacle: str = ""
    """Why the release that is nearest does not fit, where none does."""


def knows_packages(context: Context) -> bool:
    """Return whether the packages that were read are the job's: not those of rocmlint alone."""
    return context.is_of_job and bool(context.packages.folders) and not context.is_elsewhere


def fitting(context: Context, asked: Requirement) -> Fitting | None:
    """Return the release in a range that fits what is installed; None where that is not known.

    Of releases newer than the installed one it is the newest that there was when what calls it came
    out, else the nearest minor release, so that as little as possible changes; else it is the
    newest. Of a package that is not installed, it is one that leaves all others as they are, if
    there is one.
    """
    name = canonicalize_name(asked.name)
    operators = {each.operator for each in asked.specifier}
    if not knows_packages(context) or operators & _PINS:
        return None
    known = [*published.offered(name, asked.specifier)][::-1]
    if not known:
        return None
    is_lower = operators <= _LOWER and bool(operators) and context.packages.get(name) is not None
    order = _nearest_first(context, name, known) if is_lower else known[::-1]
    newest: dict[str, Version] = {}
    for each in order:
        newest.setdefault(minor_release(each) if is_lower else "", each)
    first, far = "", 0
    may_change = (True,) if context.packages.get(name) is not None else (False, True)
    for others_change in may_change:
        for each in order[:_MOST]:
            obstacle, also = _next_to(context, name, each, others_change=others_change)
            if not obstacle:
                obstacle, far = _against_torch(context, name, each, _python(context)), far + 1
            if not obstacle:
                is_first = newest.get(minor_release(each) if is_lower else "") == each
                wanted = _written(asked, each, is_lower=is_lower, is_first=is_first)
                return Fitting(wanted, also, _of_family(context, name, each))
            first = first or obstacle
            if far == _MOST_FAR:
                return Fitting(obstacle=first)
    return Fitting(obstacle=first)


def _nearest_first(context: Context, name: str, known: list[Version]) -> list[Version]:
    """Return releases, the newest from before what calls the package came out first."""
    day = _last_caller(context, name, known[0])
    early = [each for each in known if _came_by(name, each, day)] if day is not None else []
    return [*early[::-1], *sorted((each for each in known if each not in early), key=_nearest)]


def _last_caller(context: Context, name: str, version: Version) -> date | None:
    """Return the day on which the newest of the installed packages that call one came out."""
    required = published.requirements(name, version) or ()
    called: set[str] = {canonicalize_name(each.name) for each in published.applicable(required)}
    called |= {TORCH, name}
    partners = imports.partners(name)
    found = [
        each
        for each in map(context.packages.get, context.packages.names)
        if each is not None
        and (other := canonicalize_name(each.name)) not in called
        and (other in partners or _names(published.requirements(other, each.version), name))
    ]
    days = (published.published_on(canonicalize_name(each.name), each.version) for each in found)
    return max((each for each in days if each is not None), default=None)


def _names(required: Iterable[Requirement] | None, name: str) -> bool:
    """Return whether some requirements name a package, in extras but those for development."""
    return any(
        canonicalize_name(each.name) == name and not _FOR_WORK.search(str(each.marker or ""))
        for each in required or ()
    )


def _came_by(name: str, version: Version, day: date) -> bool:
    came = published.published_on(name, version)
    return came is not None and came <= day


def _nearest(release: Version) -> tuple[int, int, int]:
    return release.major, release.minor, -release.micro


def _written(asked: Requirement, chosen: Version, *, is_lower: bool, is_first: bool) -> str:
    """Write a requirement that pip meets with a release."""
    if not is_first:
        return f"{asked.name}=={chosen}"
    if not is_lower:
        return f"{asked.name}{shown(asked.specifier)}"
    end = f"<{chosen.major}.{chosen.minor + 1}"
    lower = shown(asked.specifier) if asked.specifier.contains(chosen) else ""
    bounds = [version_of(each.version) for each in asked.specifier if each.operator in _LOWER]
    if not any(
        each is not None and minor_release(each) == minor_release(chosen) for each in bounds
    ):
        lower = f">={minor_release(chosen)}"
    return f"{asked.name}{shown(SpecifierSet(f'{lower},{end}'))}"


def _next_to(
    context: Context, name: str, version: Version, *, others_change: bool
) -> tuple[str, tuple[str, ...]]:
    """Return why a release does not fit what is installed, and what it needs in the command."""
    python = _python(context)
    required = published.requirements(name, version)
    if required is None:
        return f"what {name} {version} requires is not known", ()
    runs = published.requires_python(name, version)
    if runs is not None and not for_python(runs, python):
        return f"{name} {version} requires Python{shown(runs)}", ()
    also: list[str] = []
    for each in published.applicable(required, (), python):
        other = canonicalize_name(each.name)
        found = context.packages.get(other)
        if other in FAMILY or found is None or not published.releases(other):
            continue
        if each.specifier.contains(found.version, prereleases=True):
            missing = imports.lacking(name, version, other, found.version)
            if missing:
                return f"{name} {version} imports {missing[0]}, which {found} lacks", ()
            continue
        wanted = f"{other}{shown(each.specifier)}"
        chosen = _companion(context, Requirement(wanted), python, name) if others_change else None
        if chosen is None:
            return f"{name} {version} requires {wanted}", ()
        also += [chosen] if chosen else []
    obstacle = _refused(context, name, version) or _own_torch(context, name, version, python)
    return obstacle, () if obstacle else tuple(also)


def _python(context: Context) -> str:
    found = python_version(context)
    return "3.11" if isinstance(found, UnreadFact) or found is None else str(found)


def _own_torch(context: Context, name: str, version: Version, python: str) -> str:
    """Return what a release itself requires of another torch; or nothing."""
    torch = context.packages.get(TORCH)
    if torch is None or name == TORCH:
        return ""
    if "rocm" in (torch.version.local or "") and is_for_cuda(name, version):
        return f"the wheel of {name} {version} on PyPI has code for CUDA only"
    try:
        own = published.torch_requirement(name, version, _EXTRAS.get(name, ()), python)
    except KeyError:
        own = None
    if own is not None and not own.contains(torch.version, prereleases=True):
        return f"{name} {version} requires torch{shown(own)}"
    return ""


def _against_torch(context: Context, name: str, version: Version, python: str) -> str:
    """Return what a release, or what comes with it, requires of another torch; or nothing."""
    torch = context.packages.get(TORCH)
    if torch is None or name == TORCH:
        return ""
    there = frozenset(map(canonicalize_name, context.packages.names)) - {name}
    for each in closure(name, version, (), python, there=there):
        if each.name in FAMILY:
            continue  # there is one for each torch
        if each.torch is not None and not each.torch.contains(torch.version, prereleases=True):
            return f"{each.name} {each.version} requires torch{shown(each.torch)}"
    return ""


def _of_family(context: Context, name: str, version: Version) -> tuple[str, ...]:
    """Return what a release needs of torch's family that is not installed, with a torch."""
    if context.packages.get(TORCH) is None or name in FAMILY:
        return ()
    there = frozenset(map(canonicalize_name, context.packages.names)) - {name}
    found = {each.name for each in closure(name, version, (), _python(context), there=there)}
    return tuple(each for each in FAMILY if each in found and each not in there)


def _refused(context: Context, name: str, version: Version, replaced: str = "") -> str:
    """Return which installed package does not work with a release of another; or nothing.

    What already does not work with the installed one is no reason, nor is what is ``replaced``.
    """
    present = context.packages.get(name)
    for other, specifier in _demands(context, name, replaced):
        is_met = present is None or specifier.contains(present.version, prereleases=True)
        if is_met and not specifier.contains(version):
            refusing = [each for each in specifier if not each.contains(version)]
            return f"{other} requires {name}{refusing[0]} (change it as well)"
    for partner in imports.partners(name):
        found = context.packages.get(partner)
        if found is None or partner == replaced:
            continue
        lacks = imports.lacking(partner, found.version, name, version)
        lacked = (
            imports.lacking(partner, found.version, name, present.version)
            if present is not None
            else ()
        )
        lost = next((each for each in lacks if each not in lacked), "")
        if lost:
            return f"{partner} {found.version} imports {lost}, which {name} {version} lacks"
    return ""


def _demands(context: Context, name: str, replaced: str) -> Iterator[tuple[str, SpecifierSet]]:
    """Yield what the installed packages require of one: by their metadata, else the shipped."""
    for each in context.packages.names:
        installed = context.packages.get(each)
        if installed is None or canonicalize_name(each) == replaced:
            continue
        asked = [*required_by(installed, name)]
        if not asked:
            own = published.requirements(canonicalize_name(each), installed.version) or ()
            asked = [*published.applicable(own)]
        for one in asked:
            if canonicalize_name(one.name) == name:
                yield f"{installed.name} {installed.version}", one.specifier


def _companion(context: Context, asked: Requirement, python: str, replaced: str) -> str | None:
    """Return what to add so that pip takes a fitting release of what another one requires.

    That is nothing where the newest one fits; None where no release does.
    """
    name, is_first = asked.name, True
    for each in published.offered(name, asked.specifier):
        runs = published.requires_python(name, each)
        if runs is None or not for_python(runs, python):
            continue
        refused = _refused(context, name, each, replaced)
        if not refused and not _own_torch(context, name, each, python):
            return "" if is_first else f"{name}=={each}"
        is_first = False
    return None
