"""Walking LibCST trees without LibCST's visitors, which rebuild every node they pass."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED_WORDS = ("whitespace", "lines", "header", "footer", "indent", "newline")
_SKIPPED = frozenset({"lpar", "rpar", "comma", "semicolon", "equal", "dot", "lbracket", "rbracket"})
_fields_of: dict[type[cst.CSTNode], tuple[str, ...]] = {}


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the direct children that mean something, in the order of LibCST's fields."""
    fields = _fields_of.get(type(node))
    if fields is None:
        fields = _fields_of[type(node)] = _fields(type(node))
    found: list[cst.CSTNode] = []
    for field in fields:
        value = getattr(node, field)
        kind = value.__class__
        if _is_node(kind):
            found.append(value)
        elif kind is tuple or kind is list:  # every node of a file comes here
            found += value
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the node and all below it, parents first, however deeply they nest."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        below = children(current)
        below.reverse()
        stack += below


def parents(root: cst.CSTNode) -> dict[cst.CSTNode, cst.CSTNode]:
    """Map every node below the root to its parent."""
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    stack = [root]
    while stack:
        current = stack.pop()
        below = children(current)
        found.update(dict.fromkeys(below, current))
        stack += below
    return found


@cache
def _is_node(kind: type) -> bool:
    # Nodes are of abstract classes, for which isinstance() takes longer than all else here.
    return issubclass(kind, cst.CSTNode)


def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(
        field.name
        for field in dataclasses.fields(kind)
        if field.name not in _SKIPPED and not any(word in field.name for word in _SKIPPED_WORDS)
    )
