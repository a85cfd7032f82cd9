"""Walking through syntax trees, and through the parts of an assignment."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes right below one, without what only says how a name is used.

    ``ast.iter_child_nodes`` takes four times as long, and packages have very many nodes.
    """
    for value in vars(node).values():
        if type(value) is list:
            for each in value:
                if isinstance(each, ast.AST):
                    yield each
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            yield value


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, as ``ast.walk`` does."""
    waiting = [node]
    for each in waiting:
        yield each
        waiting.extend(children(each))


def elements(node: ast.expr) -> list[ast.expr]:
    """Return what a loop over an expression goes through, one unknown thing if that is unknown."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return list(node.elts)
    if isinstance(node, ast.Dict):
        return [each for each in node.keys if each is not None]
    return [ast.Constant(...)]


def paired(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Yield each single target of an assignment with its value, None where that is unknown."""
    if isinstance(target, ast.Starred):
        yield from paired(target.value, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        values: Iterable[ast.expr | None] = [None] * len(target.elts)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            if not any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)):
                values = value.elts
        for each, given in zip(target.elts, values):  # noqa: B905 - Python 3.9
            yield from paired(each, given)
    else:
        yield target, value
