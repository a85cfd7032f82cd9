"""Which releases cannot be imported with which of another package: look-ups in shipped data.

The data are the names that each release asks of another package when it is imported, read from the
wheels by ``tools/build_imports.py``; whether the other package has them is in the index of names.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.disk.read import read_small
from rocmlint.published import requirements
from rocmlint.published.names import names_of
from rocmlint.published.tables import SHIPPED
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAME = "imports.json"


@dataclass(frozen=True)
class _Asking:
    """The releases of a package that were read, and the names that they ask for."""

    releases: tuple[Version, ...]
    asks: Mapping[str, Sequence[int]]
    """A name as ``module:name``, and where in the releases each run of those that ask begins and
    has ended."""

    def of(self, version: Version, other: str) -> Iterator[str]:
        """Yield the full names that a release asks of another package, by its import name."""
        place = self.releases.index(version)
        for asked, runs in self.asks.items():
            module, _, name = asked.partition(":")
            if module.partition(".")[0] == other and bisect_right(runs, place) % 2:
                yield f"{module}.{name}" if name else module


def lacking(package: str, version: Version, other: str, found: Version) -> tuple[str, ...]:
    """Return the names that a release asks for at import and a release of the other has not.

    Packages go by their normalized names. Nothing is returned where one of them is not known.
    """
    return () if other not in partners(package) else _lacking(package, version, other, found)


@lru_cache(maxsize=8192)  # a search asks again and again
def _lacking(package: str, version: Version, other: str, found: Version) -> tuple[str, ...]:
    asking, known = _data().get(package), names_of(other.replace("-", "_"))
    public = Version(version.public)
    if asking is None or known is None or public not in asking.releases:
        return ()
    return tuple(
        name
        for name in asking.of(public, known.package)
        if (history := known.history(name)) and history.at(found) is False
    )


@cache
def partners(package: str) -> frozenset[str]:
    """Return the packages that one asks for names that come and go, and those that ask it."""
    pairs = {
        (each, asked.partition(":")[0].partition(".")[0].replace("_", "-"))
        for each, asking in _data().items()
        for asked in asking.asks
    }
    return frozenset(other for pair in pairs if package in pair for other in pair) - {package}


def first_importing(package: str, after: Version, other: str, found: Version) -> Version | None:
    """Return the first release after another that can be imported with a release of the other.

    None where no such release is known.
    """
    asking = _data().get(package)
    later = [each for each in asking.releases if each > after] if asking else []
    fitting = (
        each
        for each in later
        if not lacking(package, each, other, found) and _takes(package, each, other, found)
    )
    return next(fitting, None)


def _takes(package: str, version: Version, other: str, found: Version) -> bool:
    """Return whether the metadata of a release take a release of another package."""
    asked = requirements.requirements(package, version) or ()
    named = (
        each for each in requirements.applicable(asked) if canonicalize_name(each.name) == other
    )
    return all(each.specifier.contains(found, prereleases=True) for each in named)


def having(other: str, found: Version, name: str) -> str:
    """Return the requirement of the nearest releases that have a name; empty if none is known."""
    known = names_of(other.replace("-", "_"))
    history = known.history(name) if known else None
    if history is None:
        return ""
    gone, comes = history.gone_since(found), history.there_after(found)
    if gone:  # only the last patch of each minor release was proven
        return f"{other}<{minor_release(gone)}"
    return f"{other}>={comes}" if comes else ""


def why_not(package: str, version: Version, other: str, found: Version) -> str:
    """Return why a release cannot be imported with a release of another package; or nothing."""
    names = lacking(package, version, other, found)
    if not names:
        return ""
    first = first_importing(package, version, other, found)
    but = f"; {package}>={first} can be imported with it" if first else ""
    return f"{package} {version} imports {names[0]}, which {other} {found} does not have{but}"


@cache
def _data() -> Mapping[str, _Asking]:
    tables = json.loads(read_small(os.path.join(SHIPPED, NAME)))["packages"]
    return {
        package: _Asking(tuple(map(Version, table["releases"].split())), table["asks"])
        for package, table in tables.items()
    }
