"""The statement, and the call, to which a commented argument belongs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import File

    from ._toggles import Toggle


def is_in_brackets(toggle: Toggle, line: int, source: File) -> bool:
    """Check whether a commented argument stands between the brackets of a call, or of a dict."""
    if not isinstance(toggle.node, ast.keyword) or getattr(source, "python_tree", None) is None:
        return True
    return any(isinstance(each, (ast.Call, ast.Dict)) for each in _around(toggle, line, source))


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
