"""Conditions on facts, such as ``version('torch') < '2.6' and 'gfx1151' in gpus()``.

They are expressions with Python's syntax, but nothing of Python runs: there are constants, what the
placeholders of the message stand for, comparisons, ``and``, ``or``, ``not``, arithmetic of numbers
and the functions of ``rocmlint.why.facts``. A fact that was not read makes a condition open, unless
the rest decides it.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from rocmlint.errors import ConfigError
from rocmlint.text.written import version_of
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_COMPUTE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_LONGEST = 2000
_OF_VALUES = ("int", "len", "lower", "basename", "startswith")
"""Functions of values, not of facts."""


def parse(text: str, functions: Collection[str], names: Collection[str]) -> ast.expr:
    """Read a condition. Raises ConfigError for what it may not contain."""
    if len(text) > _LONGEST:
        message = f"a condition has at most {_LONGEST:,} characters"
        raise ConfigError(message)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = f"condition {text!r} cannot be read: {error}"
        raise ConfigError(message) from error
    _check(tree, text, {*functions, *_OF_VALUES}, frozenset(names))
    return tree


def _check(node: ast.expr, text: str, functions: set[str], names: frozenset[str]) -> None:
    inner: list[ast.expr]
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            inner = []
        case ast.Name(id=name) if name in names:
            inner = []
        case ast.BoolOp(values=inner) | ast.Tuple(elts=inner) | ast.List(elts=inner):
            pass
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            inner = [operand]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTE:
            inner = [left, right]
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(
            type(op) in _COMPARE or isinstance(op, (ast.Is, ast.IsNot)) for op in ops
        ):
            inner = [left, *comparators]
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in functions:
            pass
        case _:
            message = f"condition {text!r}: {ast.unparse(node)!r} is not allowed or not known"
            raise ConfigError(message)
    for each in inner:
        _check(each, text, functions, names)


def evaluate(
    node: ast.expr,
    functions: Mapping[str, Callable[..., object]],
    names: Mapping[str, object],
) -> Any:
    """Return the value of a condition, an :class:`UnreadFact` where a fact was missing.

    A fact that does not exist (no such package) is None; None compares as false with everything
    but None.
    """

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return names.get(node.id)
            case ast.Tuple() | ast.List():
                return _all([value(each) for each in node.elts])
            case ast.BoolOp():
                return _joined(isinstance(node.op, ast.And), node.values, value)
            case ast.UnaryOp():
                inner = value(node.operand)
                if isinstance(inner, UnreadFact):
                    return inner
                return not inner if isinstance(node.op, ast.Not) else -inner
            case ast.BinOp():
                both = _all([value(node.left), value(node.right)])
                return both if isinstance(both, UnreadFact) else _computed(node.op, *both)
            case ast.Compare():
                return _compared(node, value)
            case ast.Call():
                given = _all([value(each) for each in node.args])
                if isinstance(given, UnreadFact):
                    return given
                return _called(str(ast.unparse(node.func)), given, functions)
        raise AssertionError(node)

    return value(node)


def _all(values: list[Any]) -> Any:
    unread = next((each for each in values if isinstance(each, UnreadFact)), None)
    return unread if unread is not None else tuple(values)


def _joined(is_and: bool, parts: list[ast.expr], value: Callable[[ast.expr], Any]) -> Any:
    """``and`` and ``or``: what is known may decide, whatever was not read."""
    result: Any = is_and
    for part in parts:
        found = value(part)
        if isinstance(found, UnreadFact):
            result = found
        elif bool(found) is not is_and:
            return found
    return result


def _computed(op: ast.operator, left: Any, right: Any) -> Any:
    if not isinstance(left, (int, float, str)) or not isinstance(right, (int, float, str)):
        return None
    try:
        return _COMPUTE[type(op)](left, right)
    except (TypeError, ZeroDivisionError):
        return None


def _compared(node: ast.Compare, value: Callable[[ast.expr], Any]) -> Any:
    left = value(node.left)
    for op, each in zip(node.ops, node.comparators, strict=True):
        right = value(each)
        if isinstance(left, UnreadFact) or isinstance(right, UnreadFact):
            return left if isinstance(left, UnreadFact) else right
        if not _is_so(op, left, right):
            return False
        left = right
    return True


def _is_so(op: ast.cmpop, left: Any, right: Any) -> bool:
    if isinstance(op, (ast.Is, ast.IsNot)):
        return (left is right) is isinstance(op, ast.Is)
    if isinstance(left, Version) and isinstance(right, str):
        right = version_of(right)
    elif isinstance(right, Version) and isinstance(left, str):
        left = version_of(left)
    if (left is None) is not (right is None) and not isinstance(op, (ast.In, ast.NotIn)):
        return isinstance(op, ast.NotEq)
    try:
        return bool(_COMPARE[type(op)](left, right))
    except TypeError:
        return False


def _called(name: str, given: tuple[Any, ...], functions: Mapping[str, Any]) -> Any:
    if name not in _OF_VALUES:
        return functions[name](*given)
    first = given[0] if given else ""
    match name:
        case "int":
            return int(first) if str(first).lstrip("-").isdecimal() else None
        case "len":
            return len(first or "")
        case "lower":
            return str(first).lower()
        case "basename":
            return str(first).replace("\\", "/").rpartition("/")[2]
        case _:
            return str(first).startswith(str(given[1]))
