"""The names in an expression."""

from __future__ import annotations

import ast


def last_name(node: ast.AST | None) -> str:
    """Return the last name of ``a.b.c``, or of the function that is called; else empty."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def root(node: ast.expr) -> ast.expr:
    """Return the expression that a chain of attributes begins with: ``a`` of ``a.b.c``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node
