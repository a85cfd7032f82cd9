"""When each part of a function runs, once the function does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors.conditions import below, both, makes_loss, of_statement
from rocmlint.python.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.models.tensors.dependence import Reach

    Placed = tuple[ast.AST, Reach]

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_DEFINES = (*FUNCTIONS, ast.ClassDef)


def placed_nodes(body: Iterable[ast.stmt]) -> Iterator[Placed]:
    """Yield the statements and expressions of a function, each with when it runs.

    Those of the functions and classes within are left out. Conditions come before what is in them.
    """
    yield from _block(body, "live")


def _block(body: Iterable[ast.stmt], reach: Reach) -> Iterator[Placed]:
    for node in body:
        if isinstance(node, _DEFINES):
            continue
        yield from _statement(node, both(reach, of_statement(node)))
        if isinstance(node, ast.If):
            reach = _after(node, reach)
        elif makes_loss(node):
            reach = both(reach, "labels")


def _after(node: ast.If, reach: Reach) -> Reach:
    """Return when that runs which follows an `if`, one side of which may leave the function."""
    sides = below(node.test)
    if isinstance(node.body[-1], _LEAVES):
        reach = both(reach, sides.otherwise)
    if node.orelse and isinstance(node.orelse[-1], _LEAVES):
        reach = both(reach, sides.then)
    return reach


def _statement(node: ast.AST, reach: Reach) -> Iterator[Placed]:
    yield node, reach
    if isinstance(node, ast.If):
        sides = below(node.test)
        yield from _expression(node.test, reach)
        yield from _block(node.body, both(reach, sides.then))
        yield from _block(node.orelse, both(reach, sides.otherwise))
        return
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield from _block(value, reach)
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr):
                yield from _expression(child, reach)
            elif isinstance(child, (ast.ExceptHandler, ast.match_case, ast.withitem)):
                yield from _statement(child, reach)


def _expression(node: ast.AST, reach: Reach) -> Iterator[Placed]:
    yield node, reach
    if isinstance(node, ast.BoolOp):
        is_and = isinstance(node.op, ast.And)
        for each in node.values:
            yield from _expression(each, reach)
            sides = below(each)
            reach = both(reach, sides.then if is_and else sides.otherwise)
    elif isinstance(node, ast.IfExp):
        sides = below(node.test)
        yield from _expression(node.test, reach)
        yield from _expression(node.body, both(reach, sides.then))
        yield from _expression(node.orelse, both(reach, sides.otherwise))
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.expr, ast.comprehension, ast.keyword)):
                yield from _expression(child, reach)
