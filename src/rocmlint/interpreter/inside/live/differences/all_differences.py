"""All differences between a process and the source of a module, other than definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .assigned import assigned
from .class_shapes import shapes
from .decorated import decorated
from .defaults import kept
from .extra_names import added
from .members import members
from .operators import operators
from .outside_references import used
from .registered import registered
from .registries import registries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..objects.on_disk import OnDisk
    from .difference import Alteration


def altered(
    module: object, space: object, disk: OnDisk, known: Collection[str]
) -> Iterator[Alteration]:
    """Yield each alteration once; ``known`` are names of which something was reported before."""
    seen = set(known)
    for found in (
        added(space, disk),
        assigned(space, disk),
        registries(space, disk),
        registered(space, disk),
        members(space, disk),
        kept(space, disk),
        decorated(space, disk),
        shapes(module, space, disk),
        operators(space, disk),
        used(space, disk),
    ):
        for each in found:
            if each.name not in seen:
                seen.add(each.name)
                yield each
