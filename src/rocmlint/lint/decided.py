"""By which versions of packages a file or a project was judged, and where these are said."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.project.versions import Candidate
    from rocmlint.source.file import File


class Decided(NamedTuple):
    """A version that a package is judged by, and where that is said (``path:line``, if anywhere).

    ``version`` is empty where it cannot be told.
    """

    package: str
    version: str
    said: str
    place: str
    declared: bool


def decided(package: str, candidates: Sequence[Candidate]) -> list[Decided]:
    """Return what decides the version of a package."""
    if not candidates:
        return [Decided(package, "", "not known", "", declared=True)]
    return [
        Decided(package, str(each.version), each.said, each.place, each.declared)
        for each in candidates
    ]


def decided_in(file: File) -> list[Decided]:
    """Return what decides the versions that rules asked for in a file."""
    return [each for asked in file.asked_versions.items() for each in decided(*asked)]
