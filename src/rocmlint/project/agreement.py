"""Whether two requirements of one package agree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.published import requirements as published
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from rocmlint.project.declarations import Requirement

_OF_PACKAGES = frozenset({"pyproject.toml", "setup.cfg", "setup.py"})


def is_of_package(requirement: Requirement) -> bool:
    """Check whether a requirement is installed with the package of its folder, whatever else is."""
    declared = requirement.declared
    return os.path.basename(requirement.path) in _OF_PACKAGES and not declared.group


def contradict(one: Requirement, other: Requirement) -> bool:
    """Check whether no release of the package that both are about meets both of them.

    Those that hold on some machines only, or ask for a build or a URL, contradict nothing.
    """
    first, second = (requirement_of(one.declared.text), requirement_of(other.declared.text))
    if first is None or second is None or first.marker or second.marker:
        return False
    if first.url or second.url or "+" in f"{first.specifier}{second.specifier}":
        return False
    both = first.specifier & second.specifier
    for mine, theirs in ((first, second), (second, first)):
        pinned = published.pin(mine.specifier)
        if pinned is not None:
            return not theirs.specifier.contains(pinned, prereleases=True)
    return bool(both) and published.newest(one.declared.name, both) is None
