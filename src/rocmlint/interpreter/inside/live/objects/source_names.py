"""Possible values of the expressions of a source, compared with the names in the process."""

from __future__ import annotations

import ast
import builtins
import functools
import operator
import re
import sys
from abc import ABCMeta
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from ..source.bindings import literal_value
from ..source.events import ANY_NAME, dotted
from .decorators_and_metaclasses import replaced_bases
from .fingerprints import fingerprint
from .imported_names import absolute, has_name, imported_packages, is_brought, packages_in
from .literals import holds, is_mutated
from .origin_package import is_callable, is_made, outermost, strangers
from .reachable import ABSENT, attributes, bases, functions_of, is_a, qualified_name, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..source.events import Event
    from .on_disk import OnDisk

_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_PURE = (frozenset, re.compile, *_GETTERS)
"""Functions whose results never change, and can be compared with those of another call."""
_DISPLAYS = {ast.Dict: dict, ast.List: list, ast.Tuple: tuple, ast.Set: set}


class SourceNames:
    """The names of a module or of a class."""

    def __init__(self, space: object, disk: OnDisk, path: tuple[str, ...], owner: Any) -> None:
        self.space, self.disk, self.path, self.owner = space, disk, path, owner
        self.is_class = bool(path) and is_a(owner, type)
        self.is_made_by_others = self.is_class and (
            type(owner) not in (type, ABCMeta)
            or any(
                "__init_subclass__" in attributes(each)
                for each in bases(owner)[1:]
                if each is not object
            )
        )
        own = [each for each in disk.bindings.expected if each.path == path]
        self.is_decorated = any(each.decorators for each in own)
        for each in own:
            self.is_made_by_others |= self.is_class and bool(
                replaced_bases(space, each.bases, owner)
            )

    def is_given(self, event: Event, name: str, live: Any) -> bool:
        """Return whether the value is what one event gives."""
        if _is_module(live) and live is sys.modules.get(f"{self.disk.module}.{name}"):
            return True  # an import of a part of the package came later
        if event.imported is not None:
            imported = event.imported
            if imported.attribute == ANY_NAME:
                if not has_name(absolute(self.disk.module, imported), name):
                    return False
                imported = type(imported)(imported.module, imported.level, name)
            return is_brought(self.disk.module, imported, live)
        if event.node is not None:
            if isinstance(event.node, ast.ClassDef) and issubclass(type(live), type):
                return self.disk.is_own(live)
            codes = {each.__code__ for each in functions_of(live)} | set(outermost(live))
            return bool(event.node.decorator_list) or any(map(self.disk.is_home, codes))
        return event.value is None or self.is_value(event.value, live)

    def is_made_of(self, event: Event, live: Any) -> bool:
        """Return whether a value may be made of the definition of an event, if it is one."""
        node = event.node
        if node is None or node.decorator_list:
            return True
        codes = [each.__code__ for each in functions_of(live)]
        if isinstance(node, ast.ClassDef):
            codes = outermost(live) if is_a(live, type) else []
            first, last = node.lineno, node.end_lineno or node.lineno
            own = [each for each in codes if self.disk.is_home(each)]
            if not any(isinstance(each, ast.FunctionDef) for each in node.body):
                return True
            return any(first <= each.co_firstlineno <= last for each in own)
        return any(self.disk.is_home(e) and e.co_firstlineno == node.lineno for e in codes)

    def literal(self, expression: ast.expr) -> Any:
        """Return the value of a literal; ABSENT for another expression."""
        try:
            return literal_value(expression)
        except ValueError:
            return ABSENT

    def is_literal(self, literal: object, live: Any) -> bool:
        """Return whether a value is that of a literal."""
        is_made_by_others = self.is_made_by_others or self.is_decorated
        return holds(live, literal, in_class=self.is_class and is_made_by_others)

    def is_mutated(self, name: str) -> bool:
        """Return whether the source changes what is in a container of that name."""
        return is_mutated(self.disk.source.data, name)

    def is_value(self, expression: ast.expr, live: Any) -> bool:
        """Return whether an expression of the source may give the value."""
        name = dotted(expression)
        if self.is_made_by_others or self.is_decorated:
            if name is not None and self.is_named(name, live):
                return True
            return not any(self.strangers(expression, live))
        if name is not None:
            return self.is_named(name, live)
        if isinstance(expression, ast.Lambda):
            return self.is_lambda(expression, live)
        if type(expression) in _DISPLAYS:
            if type(live) is not _DISPLAYS[type(expression)]:
                return False
            return next(self.entries(expression, live), None) is None
        if isinstance(expression, ast.Constant):
            return True  # literals are looked at elsewhere
        if isinstance(expression, ast.Call):
            return self.is_result(expression, live)
        return not any(self.strangers(expression, live))

    def is_named(self, name: str, live: Any) -> bool:
        """Return whether a value is that of another name, now or when it was taken."""
        value, live = _unbound(self.resolved(name)), _unbound(live)
        if value is live or not (is_callable(live) or is_callable(value)):
            return True
        first, _, last = name.rpartition(".")
        if value is ABSENT:  # deleted when it was no longer needed
            past = self.past(last) if not first else ()
            return not past or any(self.was_given(each, last, live) for each in past)
        if not _has_code(live) and not _has_code(value):
            return getattr(live, "__name__", last) == last
        if first:  # of another module or class, which may have got it anew since
            return _called(live) == last and not any(
                strangers(live, self.disk.module, *self.packages(name))
            )
        return any(self.was_given(each, last, live) for each in self.past(last))

    def past(self, name: str) -> tuple[Event, ...]:
        """Return all events of a name in this scope, or in the module."""
        history = self.disk.bindings.history
        if not self.path:
            return (*history[()].get(name, ()), *history[()].get(ANY_NAME, ()))
        return history.get(self.path, {}).get(name, ()) or history[()].get(name, ())

    def packages(self, name: str) -> set[str]:
        """Return the packages that a dotted name leads to."""
        return packages_in(self.disk.module, self.disk.bindings, ast.parse(name))

    def was_given(self, event: Event, name: str, live: Any) -> bool:
        """Return whether the value is what an event gave to another name."""
        if event.deletes:
            return False
        if event.node is not None and not isinstance(event.node, ast.ClassDef):
            wanted = {
                each.fingerprint
                for each in self.disk.defined.values()
                if each.name.rpartition(".")[2] == name
            }
            lives = {fingerprint(each.__code__) for each in functions_of(live)}
            return not wanted.isdisjoint(lives)
        if event.value is not None and dotted(event.value) is not None:
            return not any(strangers(live, self.disk.module))
        return self.is_given(event, name, live)

    def is_lambda(self, expression: ast.Lambda, live: Any) -> bool:
        """Return whether a value is that function without a name."""
        if type(live) is not FunctionType:
            return False
        found = self.disk.defined.get(fingerprint(live.__code__))
        return found is not None and found.line == expression.lineno

    def is_result(self, call: ast.Call, live: Any) -> bool:
        """Return whether a value is the result of a call, as far as it can be known."""
        callee = self.resolved(dotted(call.func) or "")
        if (callee is staticmethod or callee is classmethod) and len(call.args) == 1:
            return type(live) is callee and self.is_value(call.args[0], live.__func__)
        if callee is property and type(live) is property:
            parts = (live.fget, live.fset, live.fdel)
            return all(self.is_value(each, parts[n]) for n, each in enumerate(call.args[:3]))
        if callee is functools.partial and type(live) is functools.partial:
            return self.is_partial(call, live)
        if any(callee is each for each in _PURE):
            return self.is_computed(callee, call, live)
        if type(callee) is type and "__new__" not in vars(callee) and callee is not type:
            if not is_a(live, callee):
                return False
        return not any(self.strangers(call, live)) and not self.is_of_another(call, live)

    def is_of_another(self, call: ast.Call, live: Any) -> bool:
        """Return whether a value holds another definition of the module in place of an argument."""
        named = {each.id for each in ast.walk(call) if isinstance(each, ast.Name)}
        wanted = {each for each in named if any(e.node is not None for e in self.past(each))}
        parts = [each for each, _ in walk(live, by_name=False) if type(each) is FunctionType]
        codes = [each.__code__ for each in parts if self.disk.is_home(each.__code__)]
        found = (self.disk.defined.get(fingerprint(each)) for each in codes)
        held = {each.name for each in found if each is not None and each.is_attribute}
        wanted &= {each.name for each in self.disk.defined.values() if each.is_function}
        called = dotted(call.func)
        return bool(wanted - {called}) and bool(held - named) and not held & (wanted - {called})

    def is_computed(self, callee: Any, call: ast.Call, live: Any) -> bool:
        """Return whether a value is what a function without effects gives for these arguments."""
        arguments = [self.argument(each) for each in call.args]
        keywords = {each.arg or "": self.argument(each.value) for each in call.keywords}
        if any(each is ABSENT for each in (*arguments, *keywords.values())) or "" in keywords:
            return True
        try:
            computed = callee(*arguments, **keywords)
        except Exception:  # noqa: BLE001 - then it was called with other arguments
            return True
        if type(computed) is not type(live):
            return False
        is_equal = computed == live
        return bool(is_equal or (callee in _GETTERS and computed.__reduce__() == live.__reduce__()))

    def argument(self, expression: ast.expr) -> Any:
        """Return the value of a literal, or of a name of a number or a string; else ABSENT."""
        name = dotted(expression)
        value = self.resolved(name) if name else self.literal(expression)
        return value if name is None or is_a(value, int, str) else ABSENT

    def is_partial(self, call: ast.Call, live: functools.partial[Any]) -> bool:
        """Return whether a partial keeps what the call gives it."""
        if any(isinstance(each, ast.Starred) for each in call.args):
            return True
        if any(each.arg is None for each in call.keywords):
            return True
        kept = {each.arg or "": each.value for each in call.keywords}
        if len(live.args) != len(call.args) - 1 or live.keywords.keys() != kept.keys():
            return False
        pairs = [(each, live.args[n]) for n, each in enumerate(call.args[1:])]
        pairs += [(each, live.keywords[name]) for name, each in kept.items()]
        return self.is_value(call.args[0], live.func) and all(self.is_kept(*e) for e in pairs)

    def is_kept(self, expression: ast.expr, live: Any) -> bool:
        """Return whether an argument that an object keeps is that of the source."""
        try:
            return holds(live, literal_value(expression), in_class=False)
        except ValueError:
            return self.is_value(expression, live)

    def strangers(self, expression: ast.expr, live: Any) -> Iterator[tuple[str, int]]:
        """Yield code that is of no package that the expression names."""
        if not is_callable(live):
            return
        names = packages_in(self.disk.module, self.disk.bindings, expression)
        if not isinstance(expression, (ast.Name, ast.Lambda)):
            names |= imported_packages(self.disk.source.data)
        for file, line in strangers(live, self.disk.module, *names):
            if not (is_made(file) and isinstance(expression, (ast.Call, ast.IfExp, ast.BoolOp))):
                yield file, line

    def entries(self, expression: ast.expr, live: Any) -> Iterator[tuple[object, object]]:
        """Yield what a display of the source has otherwise: the key and what is there now."""
        if isinstance(expression, ast.Dict) and type(live) is dict:
            set_later = self.set_entries(self.name_of(expression))
            for key, value in zip(expression.keys, expression.values):  # noqa: B905 - Python 3.9
                known = self.constant(key)
                if known is ABSENT or known in set_later:
                    continue
                now = live.get(known, ABSENT)
                if now is ABSENT:
                    if isinstance(key, ast.Constant) and not self.is_changed(expression):
                        yield known, None
                elif not self.is_entry(value, now):
                    if not self.is_changed(expression) or any(strangers(now, self.disk.module)):
                        yield known, now
        elif isinstance(expression, (ast.List, ast.Tuple)) and type(live) in (list, tuple):
            if len(expression.elts) <= len(live) and not any(
                isinstance(each, ast.Starred) for each in expression.elts
            ):
                for index, value in enumerate(expression.elts):
                    now = live[index]
                    if is_callable(now) and not self.is_entry(value, now):
                        if not self.is_changed(expression) or any(strangers(now, self.disk.module)):
                            yield index, now
                if any(is_callable(each) for each in live[: len(expression.elts)]):
                    for index in range(len(expression.elts), len(live)):
                        if any(strangers(live[index], self.disk.module)):
                            yield index, live[index]

    def is_changed(self, expression: ast.expr) -> bool:
        """Return whether the source itself changes what the display has in it."""
        name = self.name_of(expression)
        known = len(self.set_entries(name))
        return name is not None and is_mutated(self.disk.source.data, name, more_than=known)

    def name_of(self, expression: ast.expr) -> str | None:
        """Return the name of this scope that is given an expression, or what it is a part of."""
        return self._owners.get(id(expression))

    @functools.cached_property
    def _owners(self) -> dict[int, str]:
        scope = self.disk.bindings.scopes.get(self.path, {})
        given = ((n, each.value) for n, them in scope.items() for each in them)
        return {id(it): name for name, value in given if value for it in ast.walk(value)}

    def set_entries(self, name: str | None) -> dict[object, ast.expr]:
        """Return what statements of the module put into a table of it, by key."""
        found = self.disk.bindings.entries.get(name or "", ()) if not self.path else ()
        keyed = ((self.constant(key), value) for key, value in found)
        return {key: value for key, value in keyed if key is not ABSENT}

    def constant(self, key: ast.expr | None) -> Any:
        """Return the key of an entry, or ABSENT where it cannot be known."""
        if isinstance(key, ast.Constant):
            return key.value
        name = dotted(key) if key is not None else None
        value = self.resolved(name) if name else ABSENT
        return value if is_a(value, str, int) or is_callable(value) else ABSENT

    def is_entry(self, expression: ast.expr, live: Any) -> bool:
        """Return whether an entry may be what its expression gives."""
        if isinstance(expression, ast.Constant):
            return holds(live, expression.value, in_class=False) or not is_callable(live)
        return self.is_value(expression, live)

    def resolved(self, name: str) -> Any:
        """Return what a dotted name is in this scope, without running a descriptor."""
        first, *rest = name.split(".")
        value = attributes(self.owner).get(first, ABSENT) if self.path else ABSENT
        if value is ABSENT:
            value = attributes(self.space).get(first, getattr(builtins, first, ABSENT))
        for part in rest:
            spaces = [attributes(value), *(attributes(each) for each in bases(_kind(value)))]
            value = next((each[part] for each in spaces if part in each), ABSENT)
            if value is ABSENT or _is_computed(value):
                return ABSENT
        return value


def _is_computed(value: Any) -> bool:
    """Return whether looking a value up in a class gives something else."""
    kind = type(value)
    if issubclass(kind, (type, FunctionType, staticmethod, classmethod)):
        return False
    return any("__get__" in attributes(each) for each in bases(kind))


def _unbound(value: Any) -> Any:
    """Return the function of a bound method, or of one that a class keeps."""
    if type(value) in (MethodType, staticmethod, classmethod):
        return value.__func__
    return value


def _called(value: Any) -> str:
    """Return the name that a function or a class was defined with."""
    if is_a(value, type):
        return qualified_name(value).rpartition(".")[2]
    return value.__code__.co_name if type(value) is FunctionType else ""


def _has_code(value: Any) -> bool:
    return bool(outermost(value))


def _is_module(value: object) -> bool:
    return issubclass(type(value), ModuleType)


def _kind(value: Any) -> Any:
    return value if issubclass(type(value), type) else type(value)
