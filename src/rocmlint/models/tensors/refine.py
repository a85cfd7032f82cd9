"""What a condition tells about the names in it, on either side."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors.torch_names import TENSOR_TYPES
from rocmlint.models.tensors.value_facts import (
    PYTHON,
    TENSOR,
    UNKNOWN,
    Held,
    Kind,
    container,
    is_container,
)
from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Env = Mapping[str, Held]

_NUMBERS = frozenset({"int", "float", "bool", "str", "bytes", "Number", "complex", "SymInt"})
_LISTS = frozenset({"list", "tuple", "Sequence", "Iterable", "Collection", "ListConfig"})


def key_of(node: ast.expr) -> str:
    """Return the name under which a name or a dotted name is known; empty for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
            return f"{owner}.{attribute}"
        case ast.NamedExpr(target=ast.Name(id=name)):
            return name
    return ""


def refinements(test: ast.expr, env: Env, *, truth: bool) -> Iterator[tuple[str, Held]]:
    """Yield what names hold where a condition came out as ``truth``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from refinements(operand, env, truth=not truth)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == truth:
            for each in values:
                yield from refinements(each, env, truth=truth)
        case ast.Compare(
            left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
        ):
            if truth == isinstance(op, ast.Is) and key_of(left):
                yield key_of(left), PYTHON
        case ast.Call(func=func, args=[what, kinds]) if last_name(func) == "isinstance":
            if key_of(what):
                found = _of_instance(env.get(key_of(what), UNKNOWN), _names(kinds), truth=truth)
                if found is not None:
                    yield key_of(what), found
        case ast.Call(func=func, args=[what]) if last_name(func) == "is_tensor":
            if key_of(what):
                yield key_of(what), TENSOR if truth else UNKNOWN


def _names(kinds: ast.expr) -> set[str]:
    match kinds:
        case ast.Tuple(elts=elements):
            return {last_name(each) for each in elements}
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names(left) | _names(right)
    return {last_name(kinds)}


def _of_instance(held: Held, names: set[str], *, truth: bool) -> Held | None:
    """Return what is known of a value that is, or is not, of these types; None if no more."""
    if names <= TENSOR_TYPES:
        return _tensor(held) if truth else UNKNOWN
    if not truth:
        return UNKNOWN if names & _LISTS and is_container(held) else None
    if names & TENSOR_TYPES:
        return None
    if names <= _NUMBERS:
        return PYTHON if held.kind is not Kind.SHAPE else None
    if names <= _LISTS:
        if is_container(held):
            return None
        return container(TENSOR._replace(sure=False) if held.kind is Kind.TENSOR else UNKNOWN)
    return UNKNOWN


def _tensor(held: Held) -> Held:
    return held if held.kind is Kind.TENSOR and held.sure else TENSOR
