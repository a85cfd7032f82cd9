"""What a name that is imported from the project stands for, in the modules of the project."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.syntax.unparsable import UnparsableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.source.python import Source

HOPS = 3
"""How many functions and re-exports are followed."""


class Elsewhere(NamedTuple):
    """Where a name is defined, and how many hops may still be taken from there."""

    name: str
    source: Source
    hops: int


def defined_elsewhere(dotted: str, source: Source, hops: int = HOPS) -> Elsewhere | None:
    """Return where the function or class of a dotted name is defined in the project."""
    from rocmlint.source.python import Source  # noqa: PLC0415 - loads LibCST

    name = dotted.rpartition(".")[2]
    path = _module_path(dotted.removesuffix(name), source) if name and hops else None
    if path is None:
        return None
    other = Source(path, source.project.read(path), project=source.project)
    try:
        if other.declaration(name) is not None:
            return Elsewhere(name, other, hops)
        origins = {each.dotted for each in other.names.in_module(name)}
    except UnparsableError:
        return None
    origin = origins.pop() if len(origins) == 1 else None
    return None if origin is None else defined_elsewhere(origin, other, hops - 1)


def _module_path(module: str, source: Source) -> str | None:
    """Return the file of a module of the project, as the imports of a file name it.

    What is asked of the disk is noted with the project: modules lead from one to the next.
    """
    name = module.lstrip(".")
    above = len(module) - len(name)
    parts = name.rstrip(".").split(".") if name else []
    for folder in _folders(above, source):
        base = os.path.join(folder, *parts)
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            if source.project.exists(path):
                return path
    return None


def _folders(above: int, source: Source) -> Iterator[str]:
    """Yield the folders that a module may lie in: for a relative import one, else all above."""
    folder = os.path.dirname(os.path.abspath(source.path))
    if above:
        yield os.path.normpath(os.path.join(folder, *[os.pardir] * (above - 1)))
        return
    yield folder
    while folder != source.root and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        yield folder
