"""The value of an expression whose only unknown is given: a small, harmless part of Python."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LIMIT = 10_000
"""How long a text may be that is looked at."""
_METHODS = frozenset({
    "capitalize", "casefold", "endswith", "isdigit", "lower", "lstrip", "removeprefix",
    "removesuffix", "rstrip", "split", "startswith", "strip", "title", "upper",
})  # fmt: skip
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


class UnknownError(Exception):
    """The value cannot be told without running the code."""


def strtobool(value: object) -> bool:
    """Read a word as distutils did. Raises ValueError for any other word."""
    word = str(value).lower()
    if word in {"y", "yes", "t", "true", "on", "1"}:
        return True
    if word in {"n", "no", "f", "false", "off", "0"}:
        return False
    message = f"invalid truth value {value!r}"
    raise ValueError(message)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "bool": bool,
    "float": float,
    "int": int,
    "len": len,
    "str": str,
    "strtobool": strtobool,
}


def evaluate(
    node: ast.expr, known: Mapping[ast.expr, object], names: Mapping[str, ast.expr]
) -> Any:
    """Return the value of an expression, from those of some nodes and names.

    Raises UnknownError where something else is needed, and ValueError where the code would raise
    it (``int("true")``).
    """
    if node in known:
        return known[node]
    try:
        return _evaluate(node, known, names)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise UnknownError from error


def _evaluate(
    node: ast.expr, known: Mapping[ast.expr, object], names: Mapping[str, ast.expr]
) -> Any:
    def value_of(inner: ast.expr) -> Any:
        return evaluate(inner, known, names)

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [value_of(each) for each in node.elts]
    if isinstance(node, ast.Name) and node.id in names:
        return evaluate(names[node.id], known, {k: v for k, v in names.items() if k != node.id})
    if isinstance(node, ast.NamedExpr):
        return value_of(node.value)
    if isinstance(node, ast.Call):
        return _call(node, value_of)
    if isinstance(node, ast.Compare):
        return _compare(node, value_of)
    if isinstance(node, ast.BoolOp):
        return _either(node, value_of)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not value_of(node.operand)
    if isinstance(node, ast.IfExp):
        return value_of(node.body if value_of(node.test) else node.orelse)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return value_of(node.value)[node.slice.value]
    raise UnknownError


def _call(node: ast.Call, value_of: Callable[[ast.expr], Any]) -> Any:
    if node.keywords:
        raise UnknownError
    arguments = [value_of(each) for each in node.args]
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if isinstance(node.func, ast.Attribute) and name in _METHODS:
        text = value_of(node.func.value)
        if isinstance(text, str) and len(text) < _LIMIT:
            return getattr(text, name)(*_hashable(arguments))
    if isinstance(node.func, ast.Name):
        name = node.func.id
    if name not in _FUNCTIONS or (isinstance(node.func, ast.Attribute) and name != "strtobool"):
        raise UnknownError
    return _FUNCTIONS[name](*arguments)


def _hashable(arguments: list[Any]) -> list[Any]:
    """Return tuples for lists: ``startswith`` takes no others."""
    return [tuple(each) if isinstance(each, list) else each for each in arguments]


def _compare(node: ast.Compare, value_of: Callable[[ast.expr], Any]) -> bool:
    left = value_of(node.left)
    for test, right_node in zip(node.ops, node.comparators, strict=True):
        right = value_of(right_node)
        if not _COMPARE[type(test)](left, right):
            return False
        left = right
    return True


def _either(node: ast.BoolOp, value_of: Callable[[ast.expr], Any]) -> Any:
    """Return what and/or give; an operand that is not reached need not be known."""
    result = None
    for each in node.values:
        result = value_of(each)
        if bool(result) is isinstance(node.op, ast.Or):
            break
    return result
