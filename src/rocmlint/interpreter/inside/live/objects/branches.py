"""Which branches of a source ran at its import, as far as the process still shows it."""

from __future__ import annotations

import ast
import builtins
import operator
import os
import sys
from functools import cached_property
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..source.events import ANY_NAME, ImportBinding, dotted
from .imported_names import absolute
from .reachable import ABSENT, attributes, bases, is_a

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..source.events import BranchGuard, Event
    from .on_disk import OnDisk

_PLAIN = (bool, int, float, str, bytes, tuple, frozenset, type(None), type(sys.version_info))
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_OF_ENVIRONMENT = {"os.environ.get", "os.getenv", "environ.get", "getenv"}
_SIZES = {"calcsize", "sizeof"}
"""The functions of struct and ctypes that return the size of a C type, which nothing changes."""
_STRING_TESTS = {"startswith", "endswith"}
_ALL_ERRORS = {"Exception", "BaseException"}
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", *_ALL_ERRORS}
_NAME_ERRORS = {"AttributeError", *_ALL_ERRORS}
_SIMPLE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass, ast.ClassDef, ast.Delete)
_PLAIN_METHODS = {"append", "extend", "add", "update"}
_PLAIN_FUNCTIONS = {"getattr", "hasattr", "isinstance", "len"}


class _UnknownError(Exception):
    """The value of an expression at the import cannot be known."""


class Branches:
    """The conditions of a module, evaluated with what its names are now."""

    def __init__(self, space: object, disk: OnDisk) -> None:
        self.space, self.disk = space, disk
        self._known: dict[tuple[int, object], bool | None] = {}

    def last(self, events: Iterable[Event]) -> list[Event]:
        """Return the events that may have had the last word, without those that did not happen."""
        final: list[Event] = []
        for each in reversed(list(events)):
            happened = self.happened(each)
            if happened is not False:
                final.insert(0, each)
            if happened:
                break
        return final

    def happened(self, event: Event) -> bool | None:
        """Return whether an event happened at the import; None where that is not known."""
        if event.certain:
            return True
        states = [self._ran(each) for each in event.guards]
        if False in states:
            return False
        if event.imported is not None and self._succeeds(event.imported) is False:
            return False
        is_star = event.name == ANY_NAME
        if event.imported is not None and is_star and not states:
            return self._succeeds(event.imported)
        is_sure = (event.reached or is_star) and bool(states) and None not in states
        return True if is_sure else None

    def _ran(self, guard: BranchGuard) -> bool | None:
        """Return whether the part of a statement ran up to the child that a guard has."""
        statement, part = guard.statement, guard.part
        key = id(guard.child), part
        if key not in self._known:
            self._known[key] = None  # what depends on itself is not known
            state: bool | None = None
            if isinstance(statement, ast.If):
                truth = self.truth(statement.test)
                state = truth if truth is None or part == "body" else not truth
            elif isinstance(statement, ast.Try):
                state = self._ran_of_try(statement, guard)
            elif isinstance(statement, (ast.With, ast.AsyncWith)):
                state = self._completes(statement.body, guard.child)
            if state is None and isinstance(statement, (ast.If, ast.Try)):
                state = self._shows(statement, part)
            self._known[key] = state
        return self._known[key]

    def _shows(self, statement: ast.stmt, part: ast.AST | str) -> bool | None:
        """Return whether a part ran, by names that nothing but one part of a statement sets."""
        parts = self._only_in.get(id(statement), {})
        space = attributes(self.space)
        if any(name in space for name in parts.get(part, ())):
            return True
        is_other = any(name in space for it, them in parts.items() if it != part for name in them)
        return False if is_other or part in parts else None

    @cached_property
    def _only_in(self) -> dict[int, dict[ast.AST | str, set[str]]]:
        """By statement and part, the names that only this part sets, and certainly if it runs."""
        found: dict[int, dict[ast.AST | str, set[str]]] = {}
        for name, events in self.disk.bindings.history[()].items():
            parts = {(id(it.statement), it.part) for e in events for it in e.guards[:1]}
            stars = self.disk.bindings.history[()].get(ANY_NAME, ())
            is_settled = name not in self.disk.bindings.elsewhere and name != ANY_NAME
            is_settled = is_settled and not any(self._has_star(each, name) for each in stars)
            if len(parts) != 1 or not is_settled or any(e.deletes or not e.guards for e in events):
                continue
            if any(len(each.guards) == 1 and each.reached for each in events):
                statement, part = parts.pop()
                found.setdefault(statement, {}).setdefault(part, set()).add(name)
        return found

    def _ran_of_try(self, statement: ast.Try, guard: BranchGuard) -> bool | None:
        if guard.part == "finalbody":
            return True
        only = all(_catches(each, _IMPORT_ERRORS - _ALL_ERRORS) for each in statement.handlers)
        if guard.part == "body":
            return self._completes(statement.body, guard.child, only_imports=only)
        completes = self._completes(statement.body, only_imports=only)
        if guard.part == "orelse" or completes is None:
            return completes
        if completes:
            return False
        failed = next(each for each in statement.body if self._runs(each) is False)
        is_import = isinstance(failed, (ast.Import, ast.ImportFrom))
        kinds = _IMPORT_ERRORS if is_import else _NAME_ERRORS
        return guard.part is next((it for it in statement.handlers if _catches(it, kinds)), None)

    def _completes(
        self, body: list[ast.stmt], until: ast.AST | None = None, *, only_imports: bool = False
    ) -> bool | None:
        """Return whether statements ran without an exception, up to one if that is named."""
        state: bool | None = True
        for each in body:
            if each is until or state is False:
                break
            runs = self._runs(each, only_imports=only_imports)
            state = runs if runs is not True else state
        return state

    def _runs(self, statement: ast.stmt, *, only_imports: bool = False) -> bool | None:
        """Return whether a statement raises nothing; imports and attributes are known to fail.

        With ``only_imports`` nothing counts but the errors of imports.
        """
        if isinstance(statement, ast.Import):
            return all(_is_loaded(each.name) for each in statement.names)
        if isinstance(statement, ast.ImportFrom):
            named = (
                ImportBinding(statement.module or "", statement.level, each.name)
                for each in statement.names
            )
            states = [self._succeeds(each) for each in named]
            return False if False in states else None if None in states else True
        if isinstance(statement, _SIMPLE):
            return None if getattr(statement, "decorator_list", None) else True
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)):
            value = statement.value
            return True if value is None else self._gives(value, only_imports=only_imports)
        if isinstance(statement, ast.If):
            truth = self.truth(statement.test)
            body = statement.body if truth else statement.orelse
            return None if truth is None else self._completes(body, only_imports=only_imports)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self._completes(statement.body, only_imports=only_imports) or None
        return None

    def _gives(self, value: ast.expr, *, only_imports: bool) -> bool | None:
        """Return whether an expression has a value, and raises nothing."""
        if isinstance(value, (ast.Constant, ast.Lambda)):
            return True
        if isinstance(value, ast.Call):
            name = dotted(value.func) or ""
            if only_imports and isinstance(value.func, ast.Attribute) and "import" not in name:
                return True
            is_plain = name.rpartition(".")[2] in _PLAIN_METHODS or (
                name in _PLAIN_FUNCTIONS and self._value_of(name) is getattr(builtins, name)
            )
            return True if is_plain else None
        name = dotted(value) or ""
        if name and self._value_of(name) is not ABSENT:
            return True
        if name in self.disk.bindings.history[()]:  # deleted since
            return True
        owner = self._value_of(name.rpartition(".")[0])
        return False if type(owner) is ModuleType and not _makes_names(owner) else None

    def _succeeds(self, imported: ImportBinding) -> bool | None:
        """Return whether an import finds what it names."""
        module = absolute(self.disk.module, imported)
        if imported.attribute is None or imported.attribute == ANY_NAME:
            return _is_loaded(module)
        if not _is_loaded(module):
            return False
        found = sys.modules.get(module)
        if imported.attribute in attributes(found) or _is_loaded(f"{module}.{imported.attribute}"):
            return True
        return None if _makes_names(found) else False

    def truth(self, test: ast.expr) -> bool | None:
        """Return what a condition was at the import; None where that is not known."""
        try:
            return bool(self._evaluated(test))
        except Exception:  # noqa: BLE001 - what cannot be compared is not known
            return None

    def _evaluated(self, node: ast.expr) -> Any:
        """Return what an expression gives, if it runs no code but Python's. Raises an error."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._plain(node)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return tuple(map(self._evaluated, node.elts))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._evaluated(node.operand)
        if isinstance(node, ast.BoolOp):
            return self._joined(node)
        if isinstance(node, ast.Compare):
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) and _is_globals(node.comparators[0]):
                return self._had(node.left, node.lineno) is isinstance(node.ops[0], ast.In)
            values = [self._evaluated(each) for each in (node.left, *node.comparators)]
            return all(
                _COMPARED[type(each)](values[n], values[n + 1]) for n, each in enumerate(node.ops)
            )
        if isinstance(node, ast.Subscript):
            return self._evaluated(node.value)[_index(node.slice)]
        if isinstance(node, ast.Call) and not node.keywords:
            return self._called(node)
        raise _UnknownError

    def _had(self, node: ast.expr, line: int) -> bool:
        """Return whether the module had a name before a line."""
        name = self._evaluated(node)
        history = self.disk.bindings.history[()]
        events = [*history.get(name, ()), *history.get(ANY_NAME, ())]
        states = [
            self.happened(each)
            for each in events
            if each.line < line and (each.name == name or self._has_star(each, name))
        ]
        if None in states and True not in states:
            raise _UnknownError
        return True in states

    def _has_star(self, event: Event, name: str) -> bool:
        """Return whether a ``from ... import *`` gives a name a value."""
        return event.imported is not None and name in attributes(
            sys.modules.get(absolute(self.disk.module, event.imported))
        )

    def _joined(self, node: ast.BoolOp) -> bool:
        is_or = isinstance(node.op, ast.Or)
        states = [self.truth(each) for each in node.values]
        if is_or in states:
            return is_or
        if None in states:
            raise _UnknownError
        return not is_or

    def _called(self, node: ast.Call) -> object:
        arguments = [self._evaluated(each) for each in node.args]
        if isinstance(node.func, ast.Attribute) and node.func.attr in _STRING_TESTS:
            text = self._evaluated(node.func.value)
            if type(text) is str:
                return getattr(text, node.func.attr)(*arguments)
        name = dotted(node.func)
        if name == "hasattr" and len(arguments) == 2:
            return _has_attribute(*arguments)
        if name in _OF_ENVIRONMENT and all(type(each) in _PLAIN for each in arguments):
            return os.environ.get(*arguments)
        function = self._value_of(name or "")
        if type(function) is BuiltinFunctionType and function.__name__ in _SIZES:
            return function(*arguments)
        raise _UnknownError

    def _plain(self, node: ast.Name | ast.Attribute) -> object:
        """Return the value that a name had when the condition was evaluated."""
        name = dotted(node) or ""
        first = name.partition(".")[0]
        if not name or first in self.disk.bindings.elsewhere:
            raise _UnknownError
        events = self.disk.bindings.history[()].get(first, ())
        later = [each for each in events if each.line >= node.lineno]
        if all(self.happened(each) is False for each in later):
            value = self._value_of(name)
        elif first == name:
            value = self._value_after([each for each in events if each not in later])
        else:
            raise _UnknownError
        if is_a(value, *_PLAIN, ModuleType, FunctionType, BuiltinFunctionType, type):
            return value
        raise _UnknownError

    def _value_after(self, events: list[Event]) -> object:
        """Return what a name was after some events."""
        taken = self.last(events)
        if len(taken) != 1 or not self.happened(taken[0]):
            raise _UnknownError
        if taken[0].value is not None:
            return self._evaluated(taken[0].value)
        found = self._imported(taken)
        if isinstance(taken[0].node, ast.ClassDef):
            live = self._value_of(taken[0].name)
            found = live if getattr(live, "__name__", "") == taken[0].name else ABSENT
        if found is ABSENT:
            raise _UnknownError
        return found

    def _imported(self, events: list[Event]) -> object:
        """Return what one import gives; ABSENT where it is not the only event, or not there."""
        imported = events[0].imported if len(events) == 1 else None
        if imported is None:
            return ABSENT
        found = sys.modules.get(absolute(self.disk.module, imported))
        if imported.attribute is None:
            return found
        return attributes(found).get(imported.attribute, ABSENT)

    def _value_of(self, name: str) -> object:
        first, *rest = name.split(".")
        value: object = attributes(self.space).get(first, getattr(builtins, first, ABSENT))
        if value is ABSENT:  # deleted when it was no longer needed
            events = self.disk.bindings.history[()].get(first, ())
            value = self._imported([each for each in events if not each.deletes])
        for part in rest:
            if not is_a(value, ModuleType, type):
                return ABSENT
            value = attributes(value).get(part, ABSENT)
        return value


def covers(events: Iterable[Event]) -> bool:
    """Return whether one of some events happens whichever branch of an ``if`` is taken."""
    parts: dict[int, set[object]] = {}
    for each in events:
        if each.reached and len(each.guards) == 1:
            statement = each.guards[0].statement
            if isinstance(statement, ast.If):
                parts.setdefault(id(statement), set()).add(each.guards[0].part)
    return any(found == {"body", "orelse"} for found in parts.values())


def _has_attribute(owner: object, name: str) -> bool:
    """Return whether an object has an attribute, without asking it. Raises an error."""
    kinds = bases(owner) if is_a(owner, type) else bases(type(owner))  # type: ignore[arg-type]
    if any(name in attributes(each) for each in (owner, *kinds)):
        return True
    if type(owner) is ModuleType and not _makes_names(owner):
        return False
    if type(owner) is type:
        return False
    raise _UnknownError


def _is_globals(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == "globals"


def _index(node: ast.expr) -> Any:
    if not isinstance(node, ast.Slice):
        return ast.literal_eval(node)
    parts = (node.lower, node.upper, node.step)
    return slice(*(None if each is None else ast.literal_eval(each) for each in parts))


def _catches(handler: ast.ExceptHandler, errors: set[str]) -> bool:
    kind = handler.type
    if kind is None:
        return bool(errors & _ALL_ERRORS)
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any((dotted(each) or "").rpartition(".")[2] in errors for each in names)


def _makes_names(module: object) -> bool:
    """Return whether a module may have attributes that it makes when they are asked for."""
    return "__getattr__" in attributes(module) or type(module) is not ModuleType


def _is_loaded(module: str) -> bool:
    return sys.modules.get(module) is not None
