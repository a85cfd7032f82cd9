"""Walking LibCST trees without LibCST's visitors, which rebuild every node they pass."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED_WORDS = ("whitespace", "lines", "header", "footer", "indent", "newline")
_SKIPPED = frozenset({"lpar", "rpar", "comma", "semicolon", "equal", "dot", "lbracket", "rbracket"})
_fields_of: dict[type[cst.CSTNode], tuple[str, ...]] = {}
_is_node: dict[type, bool] = {tuple: False, list: False, str: False, type(None): False}
"""Whether the value of a field is a node, by its type: faster than isinstance()."""


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the direct children that mean something, in the order of LibCST's fields."""
    fields = _fields_of.get(node.__class__)
    if fields is None:
        fields = _fields_of[node.__class__] = _fields(node.__class__)
    found: list[cst.CSTNode] = []
    for field in fields:  # every node of a file comes here
        value = getattr(node, field)
        kind = value.__class__
        try:
            is_node = _is_node[kind]
        except KeyError:
            is_node = _is_node[kind] = issubclass(kind, cst.CSTNode)
        if is_node:
            found.append(value)
        elif value and (kind is tuple or kind is list):
            found += value
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the node and all below it, parents first, however deeply they nest."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if below := children(current):
            below.reverse()
            stack += below


def with_parents(root: cst.CSTNode) -> dict[cst.CSTNode, cst.CSTNode]:
    """Map every node below the root to its parent, in the order of ``walk``."""
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    stack = [(root, root)]
    while stack:
        current, above = stack.pop()
        found[current] = above
        if below := children(current):
            below.reverse()
            stack += [(each, current) for each in below]
    del found[root]
    return found


def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(
        field.name
        for field in dataclasses.fields(kind)
        if field.name not in _SKIPPED
        and field.type is not str
        and not any(word in field.name for word in _SKIPPED_WORDS)
    )
