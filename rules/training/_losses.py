"""Losses: what a backward pass starts from, and what a sum or a list of losses takes in."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import argument, calls_in, compile_lazily, last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_PASSES = frozenset({"backward", "manual_backward"})
_PASS = compile_lazily(r"backward(?=[\s\\)]*[(#])")
_SAME_GRAPH = frozenset(
    [
        *("mean", "sum", "clone", "contiguous", "reshape", "view", "squeeze", "unsqueeze"),
        *("to", "cpu", "cuda", "float", "double", "half", "bfloat16"),
    ]
)
"""Methods of a tensor whose result has its graph too."""
_LOSSES = compile_lazily(r"(?i)loss|err|cost|objective|nll|elbo")


def goes_back(text: str) -> bool:
    """Return whether a text may call what goes back from a loss."""
    return _PASS.search(text) is not None


def backward_passes(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls in a node that go back from a loss: ``loss.backward()`` and its like."""
    return (each for each in calls_in(node) if last_name(each.func) in _PASSES)


def losses_of(call: cst.Call) -> Iterator[cst.BaseExpression]:
    """Yield what a backward pass starts from: ``loss``, also for ``engine.backward(loss)``."""
    first = argument(call, 0, "loss")
    if first is not None:
        yield from tensors_in(first)
    if isinstance(call.func, cst.Attribute):
        yield from tensors_in(call.func.value)


def tensors_in(value: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the names, attributes and items whose graph the value of an expression keeps."""
    if isinstance(value, (cst.Name, cst.Attribute, cst.Subscript)):
        yield value
    elif isinstance(value, cst.BinaryOperation):
        yield from _operands(value)
    elif isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        if value.func.attr.value in _SAME_GRAPH:
            yield from tensors_in(value.func.value)
        elif value.func.attr.value == "scale" and value.args:
            yield from tensors_in(value.args[0].value)


def _operands(value: cst.BinaryOperation) -> Iterator[cst.BaseExpression]:
    """Yield the tensors in an operation; a factor beside a loss is a weight or a batch size."""
    if isinstance(value.operator, (cst.Add, cst.Subtract)):
        yield from chain(tensors_in(value.left), tensors_in(value.right))
    elif isinstance(value.operator, cst.Divide):
        yield from tensors_in(value.left)
    elif isinstance(value.operator, cst.Multiply):
        found = [*tensors_in(value.left), *tensors_in(value.right)]
        named = [each for each in found if _LOSSES.search(last_name(each) or "")]
        yield from named or found[: len(found) == 1]


def root_of(value: cst.BaseExpression) -> str | None:
    """Return the name that an expression begins with: ``out`` for ``out.losses["total"]``."""
    while isinstance(value, (cst.Attribute, cst.Subscript, cst.Call)):
        value = value.func if isinstance(value, cst.Call) else value.value
    return value.value if isinstance(value, cst.Name) else None
