"""What to take in place of requirements that exclude each other: what goes with the rest too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet

from rocmlint.published import requirements as published
from rocmlint.published.fitting import newest_accepting

from .conflicts import candidates, demanded, releases_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.version import Version

    from .conflicts import Conflict
    from .installed_together import Part

_NONE = SpecifierSet("<0")


def cure(conflict: Conflict, listed: Sequence[Part], python: str) -> str:
    """Return which releases to take, as a sentence; ``listed`` is all that is installed together.

    A release of the owner is named only if it is compatible with the rest.
    """
    owner, other = conflict.owner, conflict.other
    rest = [
        each
        for each in listed
        if each.name not in {owner.name, other.name}
        and any(published.applicable((each.requirement,), (), python))
    ]
    newest = _newest_fit(conflict, rest, python)
    wanted = f"{other.name}{conflict.demanded}"
    if newest is None:
        return f"Use {wanted}."
    fits = f"{owner.name} {newest}, the newest release that is compatible with"
    may_move = any(
        all(_go_together(other, version, each, python) for each in rest)
        for version in reversed(releases_in(other.name, SpecifierSet(conflict.demanded)))
    )
    return f"Use {wanted}, or {fits} it." if may_move else f"Use {fits} the rest."


def _newest_fit(conflict: Conflict, rest: Sequence[Part], python: str) -> Version | None:
    """Return the newest release of the owner that goes with the other, and with the rest.

    Where the one that is asked for pins its torch, those before it did are too old to be of use,
    and later ones that pin none do not say which they need.
    """
    owner, other = conflict.owner, conflict.other
    asked, too_old = candidates(owner)[-1], None
    pins = _pins_torch(owner, asked, python)
    if pins:
        before = (each for each in reversed(published.releases(owner.name)) if each < asked)
        too_old = next((each for each in before if _pins_torch(owner, each, python) is False), None)

    def demand(release: Version) -> SpecifierSet | None:
        found = demanded(owner.name, release, _extras(owner), other.name, python)
        if found is None:
            raise KeyError(release)
        together = (_go_together(owner, release, each, python) for each in (other, *rest))
        is_of_use = not pins or _pins_torch(owner, release, python)
        if not is_of_use or (too_old is not None and release <= too_old) or not all(together):
            return _NONE if found[0] is None else found[0] & _NONE
        return found[0]

    return newest_accepting(owner.name, candidates(other), demand, python)


def _pins_torch(part: Part, version: Version, python: str) -> bool | None:
    """Return whether a release requires one torch; None if that is unknown."""
    try:
        asked = published.torch_requirement(part.name, version, _extras(part), python)
    except KeyError:
        return None
    return asked is not None and published.pin(asked) is not None


def _go_together(part: Part, version: Version, other: Part, python: str) -> bool:
    """Return whether a release goes with one that another requirement allows, or none can tell."""
    if not other.requirement.specifier or not candidates(other):
        return True
    asked = demanded(part.name, version, _extras(part), other.name, python)
    if other.constraint:
        is_required = asked is not None and not asked[1]
        return not is_required or any(_takes(asked, each) for each in candidates(other))
    return any(
        _takes(asked, each)
        and _takes(demanded(other.name, each, _extras(other), part.name, python), version)
        for each in reversed(candidates(other))
    )


def _takes(asked: tuple[SpecifierSet | None, bool] | None, version: Version) -> bool:
    return asked is None or asked[0] is None or asked[0].contains(version, prereleases=True)


def _extras(part: Part) -> tuple[str, ...]:
    return tuple(sorted(part.requirement.extras))
