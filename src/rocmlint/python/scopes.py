"""Functions, and the nodes that run with a block and not with a function inside of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
"""Nodes with a scope of their own, comprehensions aside."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(body: Iterable[ast.AST], *, comprehensions: bool = True) -> Iterator[ast.AST]:
    """Yield the nodes of a block in the order of the source, without what is in inner scopes.

    The scope itself is yielded. Comprehensions count as scopes only if they are switched off.
    """
    inner = SCOPES if comprehensions else (*SCOPES, *_COMPREHENSIONS)
    waiting = [*body][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, inner):
            waiting += [*ast.iter_child_nodes(node)][::-1]
