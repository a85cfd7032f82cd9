"""Which tests for a variable only guard what is done with its value, or set it."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.verify.variables.program import Program
    from rocmlint.verify.variables.reading import Reading

_EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def as_guard(file: Program, reading: Reading, readings: list[Reading]) -> Reading:
    """Return the reading, and say whether it is a guard of another one."""
    sink = reading.sink
    others = [
        each
        for each in readings
        if each is not reading and each.sink and each.sink.node is not (sink and sink.node)
    ]
    if sink is None or not sink.is_condition or sink.frame.file is not file or not others:
        return reading
    guarded = set(guarded_by(file, sink.node))
    named = {each.id for each in ast.walk(sink.node) if isinstance(each, ast.Name)}
    is_guard = any(each in guarded for o in others for each in (o.sink.node, o.lookup.node))  # type: ignore[union-attr]
    is_guard |= any(isinstance(each, ast.Name) and each.id in named - {"os"} for each in guarded)
    if not is_guard and isinstance(sink.node, ast.Compare) and is_presence(sink.node):
        function = file.function_around(sink.node)
        is_guard = any(file.function_around(o.sink.node) is function for o in others if o.sink)
    if not is_guard:
        return reading
    return replace(reading, is_guard=True)


def guarded_by(file: Program, test: ast.expr) -> Iterator[ast.AST]:
    """Yield all nodes that run or not by a condition."""
    node: ast.AST = test
    while isinstance(node, ast.expr):
        parent = file.parents[node]
        if isinstance(parent, (ast.BoolOp, ast.IfExp)):
            yield from (each for each in ast.walk(parent) if each is not test)
        node = parent
    if not isinstance(node, (ast.If, ast.While)):
        return
    for each in (*node.body, *node.orelse):
        yield from ast.walk(each)
    if isinstance(node.body[-1], _EXITS):
        around = file.parents[node]
        block = next(
            (b for b in (getattr(around, "body", []), getattr(around, "orelse", [])) if node in b),
            [],
        )
        for each in block[block.index(node) + 1 :] if node in block else []:
            yield from ast.walk(each)


def is_check(file: Program, test: ast.expr) -> bool:
    """Return whether the code raises an exception where a condition is true, and nothing else."""
    parent = file.parents.get(test)
    return (
        isinstance(parent, ast.If)
        and parent.test is test
        and isinstance(parent.body[-1], ast.Raise)
        and not parent.orelse
    )


def is_presence(node: ast.Compare) -> bool:
    """Return whether a comparison asks whether there is a value at all."""
    is_none = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
    return is_none or isinstance(node.ops[0], (ast.In, ast.NotIn))


def as_chained(file: Program, reading: Reading, readings: list[Reading]) -> Reading:
    """Return the reading, and say whether other conditions decide together with it."""
    sink = reading.sink
    if sink is None or not sink.is_condition or sink.frame.file is not file or reading.is_guard:
        return reading
    function = file.function_around(sink.node)
    others = [
        each
        for each in readings
        if each.lookup is reading.lookup and each.sink and each.sink.node is not sink.node
    ]
    is_chained = any(
        each.sink
        and each.sink.is_condition
        and each.sink.frame.file is file
        and file.function_around(each.sink.node) is function
        and not is_check(file, each.sink.node)
        for each in others
    )
    return replace(reading, is_chained=is_chained)
