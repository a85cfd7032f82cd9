"""The functions of Python that an evaluation knows, and what it can end with."""

from __future__ import annotations

import ast
import builtins
import json
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.python.names import last_name
from rocmlint.verify.variables.program import value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocmlint.verify.variables.program import Function, Program

LIMIT = 10_000
"""How long a text may be that is looked at."""
METHODS = frozenset({
    "capitalize", "casefold", "count", "endswith", "find", "format", "isalpha", "isdecimal",
    "isdigit", "isnumeric", "islower", "isupper", "join", "lower", "lstrip", "partition",
    "removeprefix", "removesuffix", "replace", "rpartition", "rsplit", "rstrip", "split",
    "splitlines", "startswith", "strip", "swapcase", "title", "upper",
})  # fmt: skip
"""Of text."""
_DECORATORS = frozenset({
    "cache", "cached_property", "classmethod", "lru_cache", "property", "staticmethod",
})  # fmt: skip
"""Those that leave what a function gives as it is."""
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
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
    """The value cannot be told without running the code; ``place`` is what makes it so."""

    def __init__(self, place: ast.AST | None = None) -> None:
        super().__init__()
        self.place = place


class RaisedError(Exception):
    """The code raises an exception there: ``error``."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, eq=False)
class ProgramFunction:
    """A function of the program, as a value."""

    file: Program
    node: Function


def strtobool(value: object) -> bool:
    """Read a word as distutils did. Raises ValueError for any other word."""
    word = str(value).lower()
    if word in {"y", "yes", "t", "true", "on", "1"}:
        return True
    if word in {"n", "no", "f", "false", "off", "0"}:
        return False
    message = f"invalid truth value {value!r}"
    raise ValueError(message)


def literal(text: str) -> object:
    """Return the value of a literal. Raises ValueError."""
    try:
        return ast.literal_eval(text)
    except SyntaxError as error:
        raise ValueError(str(error)) from error


BUILTINS: Mapping[str, Callable[..., Any]] = {
    **{
        each.__name__: each
        for each in (
            all, any, bool, dict, float, frozenset, int, len, list, max, min, repr, set, sorted,
            str, tuple,
        )
    },
    "eval": literal,
}  # fmt: skip
OF_MODULES: Mapping[str, Callable[..., Any]] = {
    "strtobool": strtobool,
    "literal_eval": literal,
    "loads": json.loads,
}


def handler_of(statement: ast.Try, error: Exception) -> ast.ExceptHandler | None:
    """Return the handler that takes an exception. Raises UnknownError where that is not plain."""
    for handler in statement.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            taken = getattr(builtins, last_name(kind), None) if kind else Exception
            if not isinstance(taken, type):
                raise UnknownError(handler)
            if isinstance(error, taken):
                return handler
    return None


def error_of(node: ast.expr | None) -> Exception:
    """Return the exception that ``raise`` raises, as far as it is one of Python's own."""
    kind = getattr(builtins, last_name(node), None) if node else None
    if isinstance(kind, type) and issubclass(kind, Exception):
        text = node.args[0] if isinstance(node, ast.Call) and node.args else None
        try:
            return kind(text.value if isinstance(text, ast.Constant) else "")
        except TypeError:
            return Exception()
    return Exception()


def may_end(statement: ast.stmt) -> bool:
    """Return whether a statement may end its function."""
    return any(isinstance(each, (ast.Return, ast.Raise)) for each in ast.walk(statement))


def is_changed(function: Function) -> bool:
    """Return whether a decorator, or ``yield``, makes something else of a function."""
    decorators = getattr(function, "decorator_list", [])
    if any(last_name(each) not in _DECORATORS for each in decorators):
        return True
    return any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(function))


def destination(call: ast.Call) -> str:
    """Return the attribute in which argparse keeps a flag."""
    named = next((each.value for each in call.keywords if each.arg == "dest"), None)
    if isinstance(named, ast.Constant):
        return str(named.value)
    names = [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
    long = [each for each in names if each.startswith("--")] or names
    return long[0].lstrip("-").replace("-", "_") if long else ""


def is_object(base: ast.expr, file: Program) -> bool:
    """Return whether an expression is a class of the file, or an object of one."""
    if isinstance(base, ast.Call):
        return last_name(base) in file.classes
    if not isinstance(base, ast.Name):
        return False
    if base.id in {"self", "cls"} or base.id in file.classes:
        return True
    values = [value_of(file.parents[each], each) for each in file.stores.get(base.id, [])]
    return bool(values) and all(
        isinstance(each, ast.Call) and last_name(each) in file.classes for each in values
    )


def flag_of(file: Program, node: ast.Attribute) -> ast.Call | None:
    """Return the call of argparse that gives an attribute a default of its own."""
    for call in file.calls.get("add_argument", []):
        keywords = {each.arg: each.value for each in call.keywords}
        if "default" not in keywords:
            continue
        if destination(call) == node.attr:
            return call
    return None


def plain(value: Any) -> Any:
    """Refuse a function of the program where Python itself would need a value."""
    if isinstance(value, ProgramFunction):
        raise UnknownError
    return value


def hashable(value: Any) -> Any:
    """Return a tuple for a list, as which tuples are held too."""
    return tuple(value) if isinstance(value, list) else value


def short_enough(value: Any) -> Any:
    """Refuse what grows without end. Raises UnknownError."""
    if isinstance(value, (str, list)) and len(value) > LIMIT:
        raise UnknownError
    return value
