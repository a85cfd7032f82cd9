"""Lists of requirements that record what a machine held, which nothing in the project installs."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from rocmlint.formats import Role, has_role
from rocmlint.lazy import compile_lazily
from rocmlint.project.inclusions import parts_of
from rocmlint.project.texts import texts_with

if TYPE_CHECKING:
    from collections.abc import Collection

    from rocmlint.disk.disk import DiskView

_FEWEST = 30
"""Packages that a list of somebody's own choice seldom pins without a word about any."""
_FROZEN = compile_lazily(
    r"(?P<name>[A-Za-z\d][\w.-]*)(?:===?[^\s;*]+| @ \S+)|-e \S+(?:#egg=(?P<egg>[\w.-]+))?\Z"
)
"""A line as pip writes it: no range, marker, hash or option."""
_BY_TOOLS = compile_lazily(
    r"# (?:Editable |This file may be used|\$ conda |platform: |created-by: )"
)
_INSTALLED_BY_NAME = compile_lazily(
    r"requirements\.(?:txt|in)\Z|.*(?:lock|constraint)", re.IGNORECASE
)
"""Names of lists that people install without being told to."""
_PART = compile_lazily(r"[-_.]")


def is_machine_record(path: str, root: str, view: DiskView) -> bool:
    """Check whether a list is what `pip freeze` wrote, beside others, and named nowhere below root.

    A list that is the only one of its folder, or that a document, a script or a program of the
    project names, declares what is installed.
    """
    if not has_role(path, Role.LIST):
        return False
    if _INSTALLED_BY_NAME.match(os.path.basename(path)) or not _is_frozen(view.read(path)):
        return False
    return _has_declarations_beside(path, view) and not is_named(path, root, view)


def _is_frozen(text: str) -> bool:
    """Return whether each line is as pip freezes it, in the order in which it does."""
    names = []
    for line in filter(None, map(str.strip, text.splitlines())):
        frozen = _FROZEN.fullmatch(line)
        if frozen is None and not _BY_TOOLS.match(line):
            return False
        if frozen is not None and frozen["name"]:
            names.append(frozen["name"].lower().replace("_", "-"))
    misplaced = sum(one > other for one, other in pairwise(names))
    return len(names) >= _FEWEST and misplaced * 10 <= len(names)


def _has_declarations_beside(path: str, view: DiskView) -> bool:
    folder = os.path.dirname(path)
    if os.path.basename(folder) == "requirements":
        folder = os.path.dirname(folder)
    paths = (os.path.join(folder, name) for name in view.names_in(folder))
    others = (each for each in paths if each != path and has_role(each, Role.DECLARES))
    return any(_declares(each, view.read(each)) for each in others)


def _declares(path: str, text: str) -> bool:
    if "install_requires" in text:
        return True  # which a program may fill
    if _is_frozen(text) and not _INSTALLED_BY_NAME.match(os.path.basename(path)):
        return False
    return bool(parts_of(path, text).declared)


def is_named(path: str, root: str, view: DiskView, besides: Collection[str] = ()) -> bool:
    """Check whether a file names a list, if only by what it begins with and a variable.

    What the list itself says does not count, nor what the files ``besides`` do.
    """
    name = os.path.basename(path)
    beginnings = [name[: each.end()] for each in _PART.finditer(name)]
    ways = [rf"(?<![\w-]){re.escape(name)}\b"]
    ways += [rf"(?<![\w-]){re.escape(each)}[*$<{{%]" for each in beginnings]
    folder = os.path.basename(os.path.dirname(path))
    ways += [rf"\b{re.escape(folder)}/[*$<{{%]"] if folder == "requirements" else []
    naming = "|".join(ways)
    return any(
        each != path and each not in besides
        for each in (*view.modules_with(root, (naming,)), *texts_with(root, naming, view))
    )
