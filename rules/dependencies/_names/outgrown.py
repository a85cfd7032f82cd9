"""Pins that the code around has outgrown: one finding says so, not one for each name."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import whole_word

from .judgement import minor
from .published_names import has, history
from .uses import imports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.version import Version

    from rocmlint.disk.disk import Disk
    from rocmlint.rule import Source

    from .judgement import MissingUse

_FEW_NAMES = 8
_FEW_RELEASES = 2


class Outgrown(NamedTuple):
    """A package of the project, how many names it imports, and the release that has them all."""

    package: str
    names: int
    release: str


def outgrown(uses: Sequence[MissingUse], source: Source) -> Outgrown | None:
    """Return what a pin lacks beside what is used here, if that is much and comes with later ones.

    Names that came with many releases are no slips: the code runs with another version than that
    of the pin, or nobody has installed it since.
    """
    candidate = uses[0].judgement.candidate
    pinned = candidate.certain and candidate.lowest == candidate.version
    if not pinned or any(_comes_with(each.dotted, candidate.version) is None for each in uses):
        return None
    folder = _package_around(os.path.abspath(source.path), source)
    package = uses[0].dotted.partition(".")[0]
    modules = source.modules_with(folder, (whole_word(package),))
    later = _later(package, candidate.version, modules, source.disk)
    releases = {minor(each) for _, each in later}
    if len(later) <= _FEW_NAMES or len(releases) <= _FEW_RELEASES:
        return None
    return Outgrown(os.path.basename(folder), len(later), minor(max(each for _, each in later)))


def _package_around(path: str, source: Source) -> str:
    """Return the folder of the outermost package around a module, else its own."""
    folder = os.path.dirname(path)
    while source.exists(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


@lru_cache(maxsize=16)
def _later(
    package: str, version: Version, modules: tuple[str, ...], disk: Disk
) -> frozenset[tuple[str, Version]]:
    """Return the names that modules import at the top, and what they come with; once a run."""
    found = set()
    for path in modules:
        text = (disk.data_of(path) or b"").decode("utf-8", "replace")
        for each in imports(text, lambda imported: imported == package):
            at_top = text[: each.match.start()].endswith("\n") or not each.match.start()
            release = _comes_with(each.asked, version) if at_top else None
            if release is not None:
                found.add((each.asked, release))
    return frozenset(found)


def _comes_with(dotted: str, version: Version) -> Version | None:
    """Return the first release after a version that has a name; None where that is not known."""
    known = history(dotted)
    if known is None or has(dotted, version) is not False:
        return None
    return known.there_after(version)
