"""Code that copies files into packages: what it claims about them."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import folders_above
from rocmlint.rule import argument, string_value
from rocmlint.rule.claims import patched_files

from ._paths import UNKNOWN, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Source


COPY_FUNCTIONS = ("copy", "copy2", "copyfile", "copytree", "move")
"""Functions of ``shutil`` that make a file or folder at their second argument."""


def is_copy(call: cst.Call, source: Source) -> bool:
    """Return whether a function of ``shutil`` that copies is called, under whatever name."""
    return source.resolve(call.func) in {f"shutil.{name}" for name in COPY_FUNCTIONS}


def claims_of_copy(call: cst.Call, source: Source) -> Iterator[Claim]:
    """Yield what a copy into an installed package is meant to make true.

    One that climbs a folder too high is meant for the package all the same.
    """
    target = argument(call, 1, "dst")
    path = None if target is None else path_of(target, source)
    if path is None or not path.module or source.is_first_party(path.module.partition(".")[0]):
        return
    folders = folders_above(path.module, source.project)
    if folders is None or not 1 <= path.up <= folders + 1:
        return
    names = list(takewhile(lambda name: name != UNKNOWN, path.names))
    inner = path.module.split(".")[: max(1, folders - path.up + 1)]
    is_outside = path.up > folders
    if is_outside and names[:1] == inner:
        is_outside, inner = False, []  # it climbed out and named the package again
    claim = patched_files("/".join([*inner, *names]), _origin(call, source))
    yield replace(claim, too_high=is_outside)


def _origin(call: cst.Call, source: Source) -> str:
    """Return the path that is copied from, relative to the working folder; empty if not known.

    Where the entries of a folder are copied one by one, it is the folder.
    """
    copied = argument(call, 0, "src")
    start = None if copied is None else _listed_folder(copied, source) or copied
    if start is None:
        return ""
    text = string_value(start) or string_value(source.value_of(start))
    if text is not None:
        return text
    path = path_of(start, source)
    if path is None or path.module or UNKNOWN in path.names:
        return ""
    return os.path.normpath(os.path.join(source.path, *[".."] * path.up, *path.names))


def _listed_folder(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """Return ``folder`` for ``entry`` in ``for entry in folder.iterdir()``."""
    bound = source.bindings(node.value, node) if isinstance(node, cst.Name) else []
    loop = bound[0].node if len(bound) == 1 else None
    listing = loop.iter if isinstance(loop, cst.For) else None
    method = listing.func if isinstance(listing, cst.Call) else None
    is_folder = isinstance(method, cst.Attribute) and method.attr.value == "iterdir"
    return method.value if isinstance(method, cst.Attribute) and is_folder else None
