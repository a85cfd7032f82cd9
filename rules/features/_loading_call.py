"""The statement, and the call that loads a model, to which a commented argument belongs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import File

    from ._toggles import Toggle

_LOADS = frozenset({"from_pretrained", "from_config", "_from_config", "from_single_file"})
_WITHOUT_SWITCH = frozenset({"diffusers", "timm"})
"""Packages whose classes take no argument for the attention."""


def takes_attention(toggle: Toggle, line: int, source: File) -> bool:
    """Check whether the call around a commented argument, if it loads a model, takes such a one."""
    from rocmlint.rule import Source  # noqa: PLC0415 - few scripts have any

    around = list(_around(toggle, line, source))
    calls = [each for each in around if isinstance(each, (ast.Call, ast.Dict))][-1:]
    for call in calls if isinstance(source, Source) else ():
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            owner = ast.unparse(call.func).partition(".")[0]
            bound = [each.dotted for each in source.names.in_module(owner) if each.dotted]
            packages = {each.partition(".")[0] for each in bound}
            return call.func.attr not in _LOADS or packages.isdisjoint(_WITHOUT_SWITCH)
    return True


def statement_around(toggle: Toggle, line: int, source: File) -> tuple[int, int] | None:
    """Return the first and the last line of the statement that a commented argument belongs to."""
    statements = [each for each in _around(toggle, line, source) if isinstance(each, ast.stmt)]
    return (statements[-1].lineno, statements[-1].end_lineno or 0) if statements else None


def _around(toggle: Toggle, line: int, source: File) -> Iterator[ast.AST]:
    """Yield the nodes around a line with a commented argument, the outermost first."""
    tree = getattr(source, "python_tree", None) if isinstance(toggle.node, ast.keyword) else None
    if tree is not None:
        yield from _nodes_around(tree, line)


def _nodes_around(tree: ast.AST, line: int) -> Iterator[ast.AST]:
    for each in ast.iter_child_nodes(tree):
        first, last = getattr(each, "lineno", None), getattr(each, "end_lineno", None)
        if first is None or last is None:
            yield from _nodes_around(each, line)
        elif first <= line <= last:
            yield each
            yield from _nodes_around(each, line)
