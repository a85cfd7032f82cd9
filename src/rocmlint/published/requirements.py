"""What published releases require of each other: look-ups in shipped data, never the network.

The data are the METADATA of the releases (Requires-Dist, Requires-Python) and the days on which
they came out, read by ``tools/build_requirements.py``. A package goes by its normalized name, as in
"huggingface-hub".
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import tables
from rocmlint.published.requirement_lines import NAME, releases_of, unpacked
from rocmlint.text.written import holds, requirement_of, version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EPOCH = date(1970, 1, 1).toordinal()

_LINUX = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "sys_platform": "linux",
}
"""Where ROCm runs."""


AS_OF: str
"""The day of the newest release in the data; it is in them."""


def __getattr__(name: str) -> str:
    """Read AS_OF when it is asked for. Raises AttributeError for any other name."""
    if name != "AS_OF":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return _data()[0]


def packages() -> tuple[str, ...]:
    """Return the known packages."""
    return tuple(_data()[1])


def lines() -> dict[str, str]:
    """Return the line of each package, as :mod:`requirement_lines` has it."""
    return dict(_data()[1])


def releases(package: str) -> tuple[Version, ...]:
    """Return the known final releases, ascending; () if the package is unknown."""
    found = _package(package)
    return found.releases if found else ()


def is_yanked(package: str, version: Version) -> bool:
    """Return whether the release was yanked: an index offers it only if it is pinned."""
    found = _package(package)
    return found is not None and _public(version) in found.yanked


def requirements(package: str, version: Version) -> tuple[Requirement, ...] | None:
    """Return what a release requires of known packages, with extras and markers.

    None if the release is unknown, or has no wheel whose metadata could be read.
    """
    try:
        return _requirements(package, _public(version))
    except LookupError:
        return None


def requires_python(package: str, version: Version) -> SpecifierSet | None:
    """Return the Python versions that a release requires; None if unknown."""
    try:
        return _requires_python(package, _public(version))
    except LookupError:
        return None


def published_on(package: str, version: Version) -> date | None:
    """Return the day on which a release came out; None if unknown."""
    found, public = _package(package), _public(version)
    if found is None or not found.published:
        return None
    at = bisect_left(found.releases, public)
    if at == len(found.releases) or found.releases[at] != public:
        return None
    return date.fromordinal(_EPOCH + sum(found.published[: at + 1]))


def newest(package: str, specifier: SpecifierSet) -> Version | None:
    """Return the newest release in the specifier that was not yanked."""
    return next(offered(package, specifier), None)


def offered(package: str, specifier: SpecifierSet) -> Iterator[Version]:
    """Yield the releases in the specifier that were not yanked, the newest first."""
    found = _package(package)
    if found is None:
        return
    for each in reversed(found.releases):
        if each not in found.yanked and specifier.contains(each):
            yield each


def applicable(
    required: Iterable[Requirement], extras: Iterable[str] = (), python: str = "3.11"
) -> Iterator[Requirement]:
    """Return the requirements that hold on Linux on x86_64, with these extras and this Python."""
    here = {**_LINUX, "python_version": python, "python_full_version": f"{python}.0"}
    chosen = ("", *extras)
    for each in required:
        if any(holds(each.marker, {**here, "extra": extra}) for extra in chosen):
            yield each


@lru_cache(maxsize=1024)
def asked_of(package: str, by: str, allowed: str) -> tuple[SpecifierSet, ...]:
    """Return what the releases of a package in a specifier ask of another one, each set once.

    An empty set is any release; nothing is given where no release is known, or none asks.
    """
    if package not in _data()[1].get(by, ""):
        return ()  # most ask nothing, and need not be read
    found, specifier = _known(by), SpecifierSet(allowed)
    named = [
        (each, runs)
        for line, runs in found.requires.items()
        if line.startswith(package)
        for each in applicable([Requirement(line)])
        if each.name == package
    ]
    sets: dict[str, SpecifierSet] = {}
    for at, release in enumerate(found.releases):
        if release not in found.yanked and specifier.contains(release):
            asked = SpecifierSet()
            for each, runs in named:
                asked = asked & each.specifier if _covers(runs, at) else asked
            sets[str(asked)] = asked
    return tuple(sets.values())


def torch_requirement(
    package: str, version: Version, extras: Iterable[str] = (), python: str = "3.11"
) -> SpecifierSet | None:
    """Return what a release requires of torch on Linux; None if it does not require torch.

    Also what it demands through another package that it pins to one release (vllm pins xformers,
    which pins torch). An empty set is any torch. Raises KeyError for a release that is unknown.
    """
    return _torch_requirement(package, version, tuple(sorted(extras)), python)


@lru_cache(maxsize=4096)
def _torch_requirement(
    package: str, version: Version, extras: tuple[str, ...], python: str
) -> SpecifierSet | None:
    required = requirements(package, version)
    if required is None:
        message = f"{package} {version}"
        raise KeyError(message)
    total: SpecifierSet | None = None
    for each in sorted(applicable(required, extras, python), key=lambda each: each.name != "torch"):
        demanded = each.specifier if each.name == "torch" else _through(each, python)
        if demanded is not None and not _is_said(demanded, total):
            total = demanded if total is None else total & demanded
    return total


def _is_said(demanded: SpecifierSet, total: SpecifierSet | None) -> bool:
    """Return whether a set adds nothing to one that pins a release."""
    pinned = pin(total) if total is not None else None
    return pinned is not None and demanded.contains(pinned)


def _through(requirement: Requirement, python: str) -> SpecifierSet | None:
    pinned = pin(requirement.specifier)
    if pinned is None:
        return None
    try:
        return _torch_requirement(
            canonicalize_name(requirement.name),
            pinned,
            tuple(sorted(requirement.extras)),
            python,
        )
    except (KeyError, RecursionError):
        return None


def pin(specifier: SpecifierSet) -> Version | None:
    """Return the one release that ``==`` pins; None if there is none, or more than one."""
    pinned = set()
    for each in specifier:
        version = version_of(each.version) if each.operator in {"==", "==="} else None
        if version is not None:  # as `2.4.*` is none
            pinned.add(version)
    return pinned.pop() if len(pinned) == 1 else None


Runs = Sequence[int]
"""Places in the list of releases: first, last, first, last ..."""


@dataclass(frozen=True)
class _Package:
    releases: tuple[Version, ...]
    yanked: frozenset[Version]
    unknown: Runs
    python: Mapping[str, Runs]
    """Each Requires-Python, and the releases that have it."""
    requires: Mapping[str, Runs]
    """Each Requires-Dist, and the releases that have it."""
    published: Sequence[int] = ()
    """The day of the first release since 1970, and of each other since the one before it."""

    def at(self, version: Version) -> int:
        """Find a release. Raises LookupError where it or its metadata is not known."""
        at = bisect_left(self.releases, version)
        if at == len(self.releases) or self.releases[at] != version or _covers(self.unknown, at):
            raise LookupError(version)
        return at


def _covers(runs: Runs, at: int) -> bool:
    """Check whether a place is in a run: its end, or a first that is itself, is to the right."""
    after = bisect_right(runs, at)
    return after % 2 == 1 or (after > 0 and runs[after - 1] == at)


@lru_cache(maxsize=1024)
def _requirements(package: str, version: Version) -> tuple[Requirement, ...]:
    found = _known(package)
    at = found.at(version)
    lines = (line for line, runs in found.requires.items() if _covers(runs, at))
    return tuple(filter(None, map(requirement_of, lines)))


@lru_cache(maxsize=1024)
def _requires_python(package: str, version: Version) -> SpecifierSet:
    found = _known(package)
    at = found.at(version)
    asked = next((line for line, runs in found.python.items() if _covers(runs, at)), "")
    try:
        return SpecifierSet(asked)
    except InvalidSpecifier:  # ">=3.6.*" of an old release, which pip ignores
        return SpecifierSet()


def _known(package: str) -> _Package:
    found = _package(package)
    if found is None:
        raise LookupError(package)
    return found


def _public(version: Version) -> Version:
    """Leave away what a build adds: 2.4.1+rocm6.1 is the release 2.4.1."""
    return Version(version.public) if version.local else version


@cache
def _data() -> _Table:
    """Return the day, and each package as text still: one is asked for, not all."""
    return tables.read(NAME, unpacked, lambda found: found[0], _check)


_Table = tuple[str, Mapping[str, str]]


def _check(found: _Table, shipped: _Table) -> None:
    """Read all that a fetched table has. Raises what :func:`releases_of` raises.

    Also UnfitTableError where it lacks packages, as one from before this version of rocmlint does.
    """
    has_releases = {name for name, line in found[1].items() if releases_of(line)}
    lacking = sorted(shipped[1].keys() - has_releases)
    if lacking:
        message = f"it does not have {lacking[0]}, which this version of rocmlint knows"
        raise tables.UnfitTableError(message)
    for line in found[1].values():
        _parsed(line)


@cache
def _package(name: str) -> _Package | None:
    line = _data()[1].get(name)
    if line is None:
        return None
    return _parsed(line)


def _parsed(line: str) -> _Package:
    facts = json.loads(line)
    listed = tuple(map(Version, facts["releases"].split()))
    yanked = (each for at, each in enumerate(listed) if _covers(facts["yanked"], at))
    return _Package(
        listed,
        frozenset(yanked),
        facts["unknown"],
        facts["python"],
        facts["requires"],
        facts.get("published", ()),
    )
