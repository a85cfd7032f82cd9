"""What an installer brings with a release by the metadata, and how that comes to code for CUDA."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published.fitting import TORCH, for_python
from rocmlint.published.rocm_wheels import is_for_cuda

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from packaging.version import Version

_ANY_PYTHON = "3.11"
"""What markers are judged by where the Python is not known."""
_MOST = 50
"""Releases of a package that are tried."""
_ROUNDS = 4
"""How often what pip would choose is looked at anew, as later requirements narrow earlier ones."""


class Brought(NamedTuple):
    """A release that comes with one that is asked for, or that one itself."""

    name: str
    version: Version
    extras: frozenset[str] = frozenset()
    through: tuple[str, ...] = ()
    """The packages on the way to it, itself last; () for the one that is asked for."""
    python: str | None = None

    def __str__(self) -> str:
        """Return it as a pin."""
        return f"{self.name}=={self.version}"

    @property
    def torch(self) -> SpecifierSet | None:
        """What it requires of torch, itself or through what it pins; None for nothing."""
        try:
            return published.torch_requirement(
                self.name, self.version, sorted(self.extras), self.python or _ANY_PYTHON
            )
        except KeyError:
            return None


def closure(
    name: str,
    version: Version,
    extras: Iterable[str] = (),
    python: str | None = None,
    *,
    there: Collection[str] = (),
) -> tuple[Brought, ...]:
    """Return what pip installs with a release on Linux, that one first, then the nearest first.

    That is the newest release of each package that all of these allow and that goes with one
    torch, but for packages that are ``there`` already, and for torch itself. Only packages whose
    metadata are shipped are known. Without ``python`` (major.minor) releases for any count. Empty
    where the release is unknown.
    """
    return _closure(name, version, frozenset(extras), python, frozenset(there))


def newest_torch(found: Iterable[Brought]) -> Version | None:
    """Return the newest torch that all of these releases allow; None where there is none."""
    demanded, python = SpecifierSet(), None
    for each in found:
        demanded, python = demanded & (each.torch or SpecifierSet()), each.python
    known = reversed(published.releases(TORCH))
    fitting = (each for each in known if demanded.contains(each) and _runs(TORCH, each, python))
    return next(fitting, None)


def ways_to_cuda(
    found: Sequence[Brought], torch: Version | None = None, also: Collection[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """Return the ways from a release to a torch of PyPI's, or to what PyPI has for CUDA only.

    Each is a list of pins, as ("unsloth==2026.10.9", "xformers==0.0.35", "torch==2.14.1"): that
    torch comes in where one of the ``found`` (see :func:`closure`) does not take the ``torch``
    that is to stay. ``also`` are packages that must not come from PyPI either, as triton beside
    the one that torch's wheels for ROCm bring under another name.
    """
    pins = {each.name: str(each) for each in found}
    ways = []
    for each in found:
        way = (pins[found[0].name], *(pins[one] for one in each.through))
        if torch is not None and not _goes_with(each, torch):
            newest = newest_torch(found) or newest_torch([each])
            ways.append((*way, f"{TORCH}=={newest}" if newest else TORCH))
        elif each.name in also or is_for_cuda(each.name, each.version):
            ways.append(way)
    return tuple(_longest(ways))


def brings_other(name: str, version: Version, python: str, there: Collection[str]) -> bool:
    """Return whether pip installs PyPI's triton, or what PyPI has for CUDA only, with a release.

    ``there`` are packages that are installed; ``python`` is major.minor.
    """
    beside = frozenset(there) - {name}
    return bool(ways_to_cuda(closure(name, version, (), python, there=beside), also=("triton",)))


def _goes_with(release: Brought, torch: Version) -> bool:
    return release.torch is None or release.torch.contains(torch, prereleases=True)


def _runs(name: str, version: Version, python: str | None) -> bool:
    """Return whether a release that was not yanked has a wheel, and for this Python."""
    asks = published.requires_python(name, version)
    if asks is None or published.is_yanked(name, version):
        return False
    return python is None or for_python(asks, python)


def _longest(ways: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Leave out a way that is only the beginning of another one."""
    return [
        way
        for way in dict.fromkeys(ways)
        if not any(other != way and other[: len(way)] == way for other in ways)
    ]


@lru_cache(maxsize=256)
def _closure(
    name: str, version: Version, extras: frozenset[str], python: str | None, there: frozenset[str]
) -> tuple[Brought, ...]:
    if published.requirements(name, version) is None:
        return ()
    root = Brought(name, version, extras, (), python)
    wanted: dict[str, SpecifierSet] = {}
    found: list[Brought] = []
    for _ in range(_ROUNDS):
        before = wanted
        found, wanted = _walk(root, there, before)
        if wanted == before:
            break
    return tuple(found)


def _walk(
    root: Brought, there: frozenset[str], wanted: dict[str, SpecifierSet]
) -> tuple[list[Brought], dict[str, SpecifierSet]]:
    """Return the releases that come with one, and all that is demanded of each package."""
    found = [root]
    demanded: dict[str, SpecifierSet] = {}
    torch = root.torch or SpecifierSet()
    seen = {root.name, TORCH, *there}
    for each in found:  # it grows
        required = published.requirements(each.name, each.version) or ()
        for one in published.applicable(required, sorted(each.extras), root.python or _ANY_PYTHON):
            name = canonicalize_name(one.name)
            demanded[name] = demanded[name] & one.specifier if name in demanded else one.specifier
            if name in seen:
                continue
            seen.add(name)
            specifier = wanted.get(name, one.specifier)
            release = _newest(name, specifier, frozenset(one.extras), root.python, torch)
            if release is not None:
                found.append(release._replace(through=(*each.through, name)))
                torch &= release.torch or SpecifierSet()
    return found, demanded


@lru_cache(maxsize=1024)
def _newest(
    name: str,
    specifier: SpecifierSet,
    extras: frozenset[str],
    python: str | None,
    torch: SpecifierSet,
) -> Brought | None:
    """Return the newest release that goes with one of these torches: pip goes back to it."""
    for version in islice(published.offered(name, specifier), _MOST):
        if python is not None and not _runs(name, version, python):
            continue
        release = Brought(name, version, extras, (), python)
        both = torch & (release.torch or SpecifierSet())
        if any(both.contains(each) for each in published.releases(TORCH)):
            return release
    return None
