"""Requirements as they are advised: one that an index offers, and what conflicts with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import once_per_file

if TYPE_CHECKING:
    from rocmlint.project.requirement_conflicts import Obstacles
    from rocmlint.rule import Source

    from .judgement import MissingName


def to_require(bound: str, judgement: MissingName, source: Source) -> str:
    """Return a requirement as it is advised, and what else has to change for it."""
    return f"`{_offered(bound)}`{_obstacles(bound, judgement, source).clause}"


def is_excluded(bound: str, judgement: MissingName, source: Source) -> bool:
    """Return whether something else in the project leaves no release that a requirement allows."""
    return bool(_obstacles(bound, judgement, source))


def _offered(bound: str) -> str:
    """Return a requirement with a floor that an index offers: not a release that was taken back."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.project.requirement_conflicts import first_offered  # noqa: PLC0415
    from rocmlint.published.requirements import is_yanked  # noqa: PLC0415

    package, sign, rest = bound.partition(">=")
    floor = rest.partition(",")[0]
    distribution = package.replace("_", "-")
    if not sign or not is_yanked(distribution, Version(floor)):
        return bound
    first = first_offered(distribution, Requirement(bound).specifier)
    return bound if first is None else bound.replace(f">={floor}", f">={first}", 1)


@once_per_file
def _obstacles(bound: str, judgement: MissingName, source: Source) -> Obstacles:
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it

    from rocmlint.project.companions import Companions, companions  # noqa: PLC0415
    from rocmlint.project.requirement_conflicts import obstacles  # noqa: PLC0415

    wanted = Requirement(bound)
    is_own = "this file" in judgement.candidate.said  # which installs what it needs itself
    others = Companions() if is_own else companions(source.project)
    return obstacles(wanted.name.replace("_", "-"), wanted.specifier, others)
