"""Which library a file belongs to, if it is as the library was published."""

from __future__ import annotations

import os
import sys
from functools import cache

from ..packages.records import in_folder, is_as_recorded, known_record_of


@cache
def library_of(path: str) -> str:
    """Return name and version of the distribution whose RECORD has this file as it is now.

    Empty for a file of a checkout, an editable install, and one that was changed after the install.
    """
    path = os.path.abspath(path)
    for entry in sys.path:
        root = os.path.join(os.path.abspath(entry), "")
        if not path.startswith(root):
            continue
        name = path[len(root) :].replace(os.sep, "/")
        for each in in_folder(root):
            recorded = known_record_of(each).get(name)
            if recorded:
                return f"{each.name} {each.version}" if _is_as(path, recorded) else ""
    return ""


def _is_as(path: str, recorded: str) -> bool:
    try:
        return bool(is_as_recorded(path, recorded))
    except OSError:
        return False


def library_of_class(kind: type) -> str:
    """Return the library that defines a class of modules; empty for torch's own classes."""
    place = getattr(sys.modules.get(kind.__module__), "__file__", None)
    library = library_of(place) if place else ""
    return "" if library.startswith("torch ") else library
