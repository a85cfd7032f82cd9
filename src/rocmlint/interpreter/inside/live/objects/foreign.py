"""Names of an installed module that hold code of the program that uses it.

The source decides what a name is only where nothing but a definition can have set it. This finds
replacements of what it assigns (``scaled_dot_product_attention = _add_docstr(...)`` in torch), and
of what a later ``from x import *`` may have set again (most functions of torch.cuda): no import
leads an installed package to a file of the project.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from .imported_names import is_around
from .reachable import attributes, functions_of, methods

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

    from .on_disk import OnDisk

_STANDARD_LIBRARY = os.path.dirname(os.__file__)
_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]")


def foreign(space: object, disk: OnDisk) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield the names that the source has a word for, and where their code was defined."""
    if not _INSTALLED.search(disk.source.path):
        return
    for name, value in attributes(space).items():
        codes = [each for each in _codes(value) if _is_of_the_project(each.co_filename)]
        if codes and _is_around_import(name, value, disk):
            continue  # what it is around is told with the names that are imported
        if codes and re.search(rb"\b%s\b" % re.escape(name.encode()), disk.source.data):
            yield name, (codes[0].co_filename, codes[0].co_firstlineno)


def _is_around_import(name: str, value: Any, disk: OnDisk) -> bool:
    events = disk.bindings.scopes[()].get(name, ())
    return any(each.imported and is_around(disk.module, each.imported, value) for each in events)


def _codes(value: Any) -> list[CodeType]:
    """Return the code of the methods of a class, or of what runs first of anything else."""
    if issubclass(type(value), type):
        return [each.__code__ for each in methods(value)]
    return [each.__code__ for each in islice(functions_of(value), 1)]


def _is_of_the_project(file: str) -> bool:
    """Return whether a file is neither Python's nor installed, and was not made up at run time."""
    return (
        os.path.isabs(file)
        and not file.startswith(_STANDARD_LIBRARY)
        and not _INSTALLED.search(file)
        and os.path.exists(file)
    )
