"""Which release of a package goes with what else a project asks for, and with its Python."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.project.python_version import newest_python_of, python_version
from rocmlint.published import requirements as published
from rocmlint.published.names import names_of
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.formats.model import Declared
    from rocmlint.project.declarations import Declarations

    Demands = Sequence[tuple[SpecifierSet, ...]]
    """What each of several packages asks of one: any of its sets will do."""


@dataclass(frozen=True)
class Companions:
    """What is always asked of the packages whose releases are known, and the Python, if named."""

    asked: Mapping[str, SpecifierSet] = field(default_factory=dict)
    python: Version | None = None

    def __hash__(self) -> int:
        """Let answers be kept: the many folders of a project ask the same."""
        return hash((frozenset(self.asked.items()), self.python))

    @property
    def runs_on(self) -> Version | None:
        """The Python that is named, else the newest that the newest allowed torch has wheels for.

        None where both leave any Python.
        """
        asked = self.asked.get("torch")
        if self.python is not None or asked is None or not has_upper_bound(asked):
            return self.python
        torch = published.pin(asked) or published.newest("torch", asked)
        return None if torch is None else newest_python_of(torch)

    def newest(
        self, package: str, specifier: SpecifierSet, *, as_of_today: bool = False
    ) -> Version | None:
        """Return the newest release in a specifier that goes with what else is asked for.

        Of a companion with an upper bound the newest release that it allows counts, as pip takes
        that; of an open one any may be installed some day, unless it is asked for `as_of_today`.
        """
        return _newest(self, package, specifier, as_of_today=as_of_today)

    def find_newest(
        self, package: str, specifier: SpecifierSet, *, as_of_today: bool
    ) -> Version | None:
        """Work out what :meth:`newest` returns."""
        pinned = published.pin(specifier)
        if pinned is not None:
            return pinned
        fitting = _fitting(package, specifier)
        of_any = self._demands(package)
        for demands in (self._demands_of_newest(package, as_of_today=as_of_today), of_any):
            for each in fitting:
                if _meets(each, demands) and self._allows(package, each):
                    return each
        return None

    def why(self, package: str, specifier: SpecifierSet, newest: Version) -> str:
        """Return what else than the specifier makes a release the newest, "" where nothing does."""
        if Companions().newest(package, specifier) == newest:
            return ""
        for name, asked in self.asked.items():
            if Companions({name: asked}).newest(package, specifier, as_of_today=True) == newest:
                return f" with `{name}{asked}`"
        on_python = Companions({}, self.python).newest(package, specifier) == newest
        return f" on Python {self.python}" if on_python else ""

    def bringing(self, package: str) -> tuple[str, SpecifierSet] | None:
        """Return the first companion that requires a package, and what its newest release asks."""
        for name, asked in self.asked.items():
            newest = published.pin(asked) or published.newest(name, asked)
            required = published.requirements(name, newest) if newest is not None else None
            for each in published.applicable(required or ()):
                if each.name == package:
                    return name, each.specifier
        return None

    def _demands(self, package: str) -> Demands:
        others = ((name, asked) for name, asked in self.asked.items() if name != package)
        return [published.asked_of(package, name, str(asked)) for name, asked in others]

    def _demands_of_newest(self, package: str, *, as_of_today: bool) -> Demands:
        found = []
        for name, asked in self.asked.items():
            of_any = published.asked_of(package, name, str(asked)) if name != package else ()
            if not of_any:
                continue
            demands = self._demands(name)
            bounded = has_upper_bound(asked) or any(
                sets and all(map(has_upper_bound, sets)) for sets in demands
            )
            newest = self._newest_meeting(name, asked, demands) if bounded or as_of_today else None
            exact = "" if newest is None else f"=={newest}"
            found.append(published.asked_of(package, name, exact) if exact else of_any)
        return found

    def _newest_meeting(
        self, package: str, specifier: SpecifierSet, demands: Demands
    ) -> Version | None:
        """Return the newest release that pip takes of a companion."""
        return next(
            (
                each
                for each in reversed(published.releases(package))
                if specifier.contains(each)
                and not published.is_yanked(package, each)
                and _meets(each, demands)
                and _runs_on(package, each, self.runs_on)
            ),
            None,
        )

    def _allows(self, package: str, version: Version) -> bool:
        """Return whether the other requirements leave a release installable."""
        if not _runs_on(package, version, self.runs_on):
            return False
        required = published.requirements(package, version) or ()
        limited = self.asked.keys() | self._brought.keys()
        shared = [each for each in required if each.name in limited and each.name != package]
        return all(self._leaves_any(each, package) for each in published.applicable(shared))

    def _leaves_any(self, required: Requirement, by: str) -> bool:
        """Return whether a release is left of what a package requires, if any is known."""
        name = required.name
        if not published.releases(name):
            return True
        asked = self.asked.get(name, SpecifierSet())
        pinned = published.pin(asked)
        if pinned is not None:
            return required.specifier.contains(pinned, prereleases=True)
        for other, brought in self._brought.get(name, ()):
            asked = asked & brought if other != by else asked
        return published.newest(name, asked & required.specifier) is not None

    @cached_property
    def _brought(self) -> Mapping[str, Sequence[tuple[str, SpecifierSet]]]:
        """What pinned packages require of others: `datasets==2.8.0` a huggingface-hub below 1."""
        found: dict[str, list[tuple[str, SpecifierSet]]] = defaultdict(list)
        for name, asked in self.asked.items():
            pinned = published.pin(asked)
            required = None if pinned is None else published.requirements(name, pinned)
            for each in published.applicable(required or ()):
                found[each.name].append((name, each.specifier))
        return found


@lru_cache(maxsize=1024)
def _newest(
    asking: Companions, package: str, specifier: SpecifierSet, *, as_of_today: bool
) -> Version | None:
    return asking.find_newest(package, specifier, as_of_today=as_of_today)


@lru_cache(maxsize=1024)
def _fitting(package: str, specifier: SpecifierSet) -> tuple[Version, ...]:
    """Return the releases in a specifier that an index offers, the newest first."""
    names = names_of(package.replace("-", "_"))
    known = {*published.releases(package), *(names.versions if names is not None else ())}
    fitting = sorted((each for each in known if specifier.contains(each)), reverse=True)
    return tuple(each for each in fitting if not published.is_yanked(package, each))


def companions(
    project: Declarations, beside: Iterable[Declared] = (), stated: Iterable[Declared] = ()
) -> Companions:
    """Return what a project, and what stands beside a requirement, always asks of packages.

    What a file states itself counts in place of what the project asks of the same package.
    """
    found: dict[str, SpecifierSet] = {}
    for folder in project.folders:
        _add((each.declared for each in project.declared_in(folder)), found)
        if found:
            break
    _add(beside, found)
    own: dict[str, SpecifierSet] = {}
    _add(stated, own)
    return Companions({**found, **own}, python_version(project))


def companions_of(requirements: Iterable[Requirement]) -> Companions:
    """Return what requirements ask together."""
    found: dict[str, SpecifierSet] = {}
    for each in requirements:
        name = canonicalize_name(each.name)
        found[name] = found.get(name, SpecifierSet()) & each.specifier
    return Companions(found)


def has_upper_bound(specifier: SpecifierSet) -> bool:
    """Check whether a specifier rules newer releases out."""
    return any(each.operator in {"<", "<=", "==", "~=", "==="} for each in specifier)


def _add(declared: Iterable[Declared], found: dict[str, SpecifierSet]) -> None:
    known = published.packages()
    for each in declared:
        parsed = requirement_of(each.text) if each.name in known and not each.group else None
        if parsed is not None and not parsed.marker and not parsed.url:
            found[each.name] = found.get(each.name, SpecifierSet()) & parsed.specifier


def _meets(version: Version, demands: Demands) -> bool:
    return all(any(version in one for one in sets) for sets in demands if sets)


def _runs_on(package: str, version: Version, python: Version | None) -> bool:
    """Return whether the last patch release of a Python meets what a release requires."""
    runs_on = published.requires_python(package, version) if python is not None else None
    return runs_on is None or runs_on.contains(f"{python}.99")
