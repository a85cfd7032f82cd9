"""How a library calls one of its own functions: with how many arguments by position."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from rocmlint.models.patches.library import Found


def most_by_position(original: Found) -> int:
    """Return the most arguments that the module of a function or method gives it by position.

    Calls of a ``forward`` are those of what the class is assigned to.
    """
    if original.module is None or original.node is None:
        return 0
    name = getattr(original.node, "name", "")
    tree = original.module.tree
    called = {name}
    if name == "forward" and original.owner is not None:
        called = _instances(tree, getattr(original.owner.node, "name", ""))
    calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call))
    return max((len(each.args) for each in calls if last_name(each.func) in called), default=0)


def _instances(tree: ast.Module, name: str) -> set[str]:
    """Return the names that instances of a class are assigned to, and those of loops over them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _makes(node.value, name):
            found |= {last_name(each) for each in node.targets}
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and found & {last_name(each) for each in ast.walk(node.iter)}:
            found |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
    return found - {""}


def _makes(value: ast.expr, name: str) -> bool:
    return any(
        isinstance(each, ast.Call) and last_name(each.func) == name for each in ast.walk(value)
    )
