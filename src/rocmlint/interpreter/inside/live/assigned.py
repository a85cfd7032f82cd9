"""Names that a module assigns or imports: whether they are still what its source says."""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from abc import ABCMeta
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from .alteration import Alteration
from .bindings import ANY_NAME, dotted, literal_value
from .brought import absolute, imported_packages, is_brought, packages_in
from .fingerprints import fingerprint
from .home import is_callable, is_made, outermost, place_of, strangers
from .literals import holds, is_mutated
from .makers import replaced_bases
from .reachable import (
    ABSENT,
    attributes,
    bases,
    functions_of,
    is_a,
    is_namespace,
    qualified_name,
    value_at,
)
from .stores import stores_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .bindings import Event
    from .on_disk import OnDisk

_COMPUTED = (ast.Call, ast.IfExp, ast.BoolOp, ast.Subscript)
_DISPLAYS = {ast.Dict: dict, ast.List: list, ast.Tuple: tuple, ast.Set: set}


def assigned(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the names of a module and of its classes that are something else."""
    for path, scope in disk.bindings.scopes.items():
        owner = value_at(space, path)
        if path and (not issubclass(type(owner), type) or not disk.is_own(owner)):  # type: ignore[arg-type]
            continue
        look = Names(space, disk, path, owner)
        for name, events in scope.items():
            live = attributes(owner).get(name, ABSENT)
            if name == ANY_NAME:
                continue
            if live is not ABSENT:
                yield from look.at(name, events, live)
            elif look.is_lost(name, events):
                yield Alteration(name, "gone")


class Names:
    """The names of a module or of a class."""

    def __init__(self, space: object, disk: OnDisk, path: tuple[str, ...], owner: Any) -> None:
        self.space, self.disk, self.path, self.owner = space, disk, path, owner
        self.is_class = bool(path)
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
            self.is_made_by_others |= bool(replaced_bases(space, each.bases, owner))

    def at(self, name: str, events: tuple[Event, ...], live: Any) -> Iterator[Alteration]:
        """Yield what is different about one name."""
        qualified = ".".join((*self.path, name))
        if qualified in self.disk.bindings.elsewhere:
            return
        events = tuple(each for each in events if not self._is_star_of(each, name, live))
        if any(each.node is None and each.value is None and not each.imported for each in events):
            return
        if any(each.node is not None for each in events) and not any(
            each.imported or each.value for each in events
        ):
            return  # definitions are looked at elsewhere
        if any(self.is_given(each, name, live) for each in events):
            return
        last = self.path[-1] if self.path else self.disk.module.rpartition(".")[2]
        if stores_of(self.disk.module).sets(last, name):
            if not any(strangers(live, self.disk.module)):
                return
        kind = self.kind_of(events, live)
        values = [each.value for each in events if each.value is not None]
        entry = (
            next(self.entries(values[0], live), None) if len(values) == len(events) == 1 else None
        )
        if entry is not None:
            key, value = entry
            yield Alteration(f"{qualified}[{key!r}]", "entry", *place_of(value))
        else:
            yield Alteration(qualified, kind, *place_of(live))

    def is_lost(self, name: str, events: tuple[Event, ...]) -> bool:
        """Return whether a name of an import must be there, so that something deleted it."""
        if self.path or name in self.disk.bindings.elsewhere or not is_namespace(self.space):
            return False
        is_certain = len(events) == 1 and events[0].certain and events[0].imported is not None
        return is_certain and b"globals()" not in self.disk.source.data

    def kind_of(self, events: tuple[Event, ...], live: Any) -> str:
        """Return whether it is this module, or the one that the name is imported from."""
        brought = [each.imported for each in events if each.imported]
        for each in brought:
            source = sys.modules.get(absolute(self.disk.module, each))
            if attributes(source).get(each.attribute or "", ABSENT) is live:
                return "used"
        if brought:
            return "import"
        if self.is_made_by_others or self.is_decorated:
            return "result"
        is_called = any(
            isinstance(part, _COMPUTED)
            for each in events
            if each.value is not None
            for part in ast.walk(each.value)
        )
        return "result" if is_called else "value"

    def _is_star_of(self, event: Event, name: str, live: Any) -> bool:
        """Return whether it is a ``*`` that does not give the name this value."""
        return event.name == ANY_NAME and name != ANY_NAME and not self.is_given(event, name, live)

    def is_given(self, event: Event, name: str, live: Any) -> bool:
        """Return whether the value is what one event gives."""
        if _is_module(live) and live is sys.modules.get(f"{self.disk.module}.{name}"):
            return True  # an import of a part of the package came later
        if event.imported is not None:
            imported = event.imported
            if imported.attribute == ANY_NAME:
                imported = type(imported)(imported.module, imported.level, name)
            return is_brought(self.disk.module, imported, live)
        if event.node is not None:
            if isinstance(event.node, ast.ClassDef) and issubclass(type(live), type):
                return self.disk.is_own(live)
            codes = {each.__code__ for each in functions_of(live)} | set(outermost(live))
            return bool(event.node.decorator_list) or any(map(self.disk.is_home, codes))
        return event.value is None or self.is_value(event.value, live)

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
        if value is ABSENT or value is live or not (is_callable(live) or is_callable(value)):
            return True
        first, _, last = name.rpartition(".")
        if not _has_code(live) and not _has_code(value):
            return getattr(live, "__name__", last) == last
        if first:  # of another module or class, which may have got it anew since
            return _called(live) == last and not any(
                strangers(live, self.disk.module, *self.packages(name))
            )
        history = self.disk.bindings.history
        events = history.get(self.path, {}).get(last, ()) if self.path and not first else ()
        events = events or (history[()].get(name, ()) if not first else ())
        if not self.path and not first:
            events = (*events, *history[()].get(ANY_NAME, ()))
        return any(self.was_given(each, last, live) for each in events)

    def packages(self, name: str) -> set[str]:
        """Return the packages that a dotted name leads to."""
        return packages_in(self.disk.module, self.disk.bindings, ast.parse(name))

    def was_given(self, event: Event, name: str, live: Any) -> bool:
        """Return whether the value is what an event gave to another name."""
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
        """Return whether a value is what a call gives, as far as it can be told."""
        callee = self.resolved(dotted(call.func) or "")
        if (callee is staticmethod or callee is classmethod) and len(call.args) == 1:
            return type(live) is callee and self.is_value(call.args[0], live.__func__)
        if callee is property and type(live) is property:
            parts = (live.fget, live.fset, live.fdel)
            return all(self.is_value(each, parts[n]) for n, each in enumerate(call.args[:3]))
        if callee is functools.partial and type(live) is functools.partial:
            return self.is_partial(call, live)
        if type(callee) is type and "__new__" not in vars(callee) and callee is not type:
            if not is_a(live, callee):
                return False
        return not any(self.strangers(call, live))

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
            for key, value in zip(expression.keys, expression.values):  # noqa: B905 - Python 3.9
                known = self.constant(key)
                if known is ABSENT:
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
        for name, events in self.disk.bindings.scopes.get(self.path, {}).items():
            if any(each.value is expression for each in events):
                return is_mutated(self.disk.source.data, name)
        return True

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
