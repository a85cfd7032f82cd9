"""References of a module to others: builtins, names of their modules, methods of their classes."""

from __future__ import annotations

import ast
import builtins
import sys
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..objects.attribute_writes import stores_of
from ..objects.decorators_and_metaclasses import replaced_bases, run_by
from ..objects.imported_names import absolute, is_at_home, makes_code_in, source_bindings
from ..objects.origin_package import (
    is_callable,
    is_standard,
    names_in,
    outermost,
    place_of,
    strangers,
)
from ..objects.reachable import (
    ABSENT,
    attributes,
    bases,
    is_a,
    items,
    module_of,
    qualified_name,
    value_at,
)
from ..source.events import ImportBinding, dotted
from .difference import Alteration
from .extra_names import used_builtins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..objects.on_disk import OnDisk
    from ..source.events import Event

_FLAGS = type.__dict__["__flags__"]
_HEAP_TYPE = 1 << 9
"""Py_TPFLAGS_HEAPTYPE of CPython's ``object.h``: the class was made by a program."""
_SAID = {"print", "input", "open", "help", "exit", "quit", "breakpoint", "__import__", "_"}
"""Builtins for output and input, which programs replace: they compute nothing."""


def used(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield what others have replaced and this module uses, as far as its names show it."""
    for name in sorted(used_builtins(disk.code) - _SAID):
        if not _is_of_python(name, getattr(builtins, name)):
            yield Alteration(name, "builtin", *place_of(getattr(builtins, name)))
    own = attributes(space).get("__builtins__", builtins)
    if own is not builtins and own is not vars(builtins):
        yield Alteration("__builtins__", "builtin")
    seen: set[tuple[str, str]] = set()
    values: list[Any] = []
    for holder, name, value in _uses(space, disk):
        if (holder, name) not in seen:
            seen.add((holder, name))
            values.append(value)
            is_own = any(disk.is_home(each) for each in outermost(value))  # it put it there
            if not is_own and not is_at_home(holder, name, value):
                yield Alteration(f"{holder}.{name}", "used", *place_of(value))
    yield from _methods_of_others(disk, [*values, *_own_and_imported(space, disk)])


def _is_of_python(name: str, value: Any) -> bool:
    codes = outermost(value)
    if codes:
        return all(is_standard(e.co_filename) or "<frozen" in e.co_filename for e in codes)
    if is_a(value, BuiltinFunctionType):
        return bool(value.__name__ == name)
    if not is_a(value, type) or not _FLAGS.__get__(value) & _HEAP_TYPE:
        return True
    return (module_of(value), qualified_name(value)) == ("builtins", name)


def _uses(space: object, disk: OnDisk) -> Iterator[tuple[str, str, Any]]:
    """Yield the names of other modules that the source has, with the module and the value."""
    local: dict[str, Any] = {}
    for node in disk.bindings.inner_imports:
        for name, holder, value in _imported(node, disk):
            local[name] = value
            if holder:
                yield holder, name, value
    for name in sorted(disk.bindings.used):
        first, *rest = name.split(".")
        yield from _held(attributes(space).get(first, local.get(first)), rest)


def _imported(node: ast.Import | ast.ImportFrom, disk: OnDisk) -> Iterator[tuple[str, str, Any]]:
    """Yield what an import in a function gives now: a name, its module and the value."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or name, "", sys.modules.get(name)
        else:
            where = absolute(disk.module, ImportBinding(node.module or "", node.level, alias.name))
            inner = sys.modules.get(f"{where}.{alias.name}")
            value = attributes(sys.modules.get(where)).get(alias.name, inner)
            if value is not None and not alias.asname:
                yield alias.name, "" if value is inner else where, value


def _held(value: Any, parts: list[str]) -> Iterator[tuple[str, str, Any]]:
    for part in parts:
        if not is_a(value, ModuleType):
            return
        holder, value = attributes(value).get("__name__"), attributes(value).get(part, ABSENT)
        if value is ABSENT or type(holder) is not str:
            return
        yield holder, part, value


def _own_and_imported(space: object, disk: OnDisk) -> Iterator[Any]:
    """Yield the classes of a module, their metaclasses, and what it has from others."""
    for expected in disk.bindings.expected:
        owner = value_at(space, expected.path) if expected.is_class else None
        if is_a(owner, type):
            yield owner
            yield type(owner)
    for name, events in disk.bindings.scopes[()].items():
        if any(each.imported for each in events):
            yield attributes(space).get(name)


def _methods_of_others(disk: OnDisk, values: list[Any]) -> Iterator[Alteration]:
    """Yield the methods of classes of other modules that are code of somebody else."""
    seen: set[int] = set()
    words = set(names_in(disk.code))
    for value in values:
        for kind in bases(value if is_a(value, type) else type(value)):
            module = module_of(kind)
            if id(kind) in seen or disk.is_own(kind) or not module:
                continue
            seen.add(id(kind))
            for name, method in items(kind):
                if not is_callable(method) or is_a(method, type):
                    continue
                place = next(strangers(method, module, disk.module), None)
                if place is None or _is_made_so(module, kind, name, place[0]):
                    continue
                if _is_asked_for(kind, name, words):
                    yield Alteration(f"{qualified_name(kind)}.{name}", "inherited", *place)


def _is_asked_for(kind: type, name: str, words: set[str]) -> bool:
    """Return whether Python, a base or the code of the module asks for a name of a class."""
    if name.startswith("__") and name.endswith("__"):
        return True
    own = source_bindings(module_of(kind))
    if own is None or name in own[1].scopes.get(tuple(qualified_name(kind).split(".")), ()):
        return True
    return name in words or any(name in attributes(each) for each in bases(kind)[1:])


def _is_made_so(module: str, kind: type, name: str, file: str) -> bool:
    """Return whether the source of a class has a decorator for a method, or makes it otherwise.

    ``file`` is where its code is: that of a metaclass, or of a base that works on its subclasses.
    """
    found = source_bindings(module)
    if found is None:
        return True
    path = tuple(qualified_name(kind).split("."))
    scope = found[1].scopes.get(path)
    if scope is None or value_at(sys.modules.get(module), path) is not kind:
        return True
    for each in found[1].scopes.get(path[:-1], {}).get(path[-1], ()):
        if not isinstance(each.node, ast.ClassDef) or each.node.decorator_list:
            return True
        if replaced_bases(sys.modules[module], map(dotted, each.node.bases), kind):
            return True  # they make methods for it: NamedTuple
    events = scope.get(name)
    makers = [each for each in bases(kind) if "__init_subclass__" in attributes(each)]
    run = [each.__code__ for it in (type(kind), *makers) for each in run_by(it)]
    if any(file == each.co_filename for each in run):
        return True
    if events is None:
        return stores_of(module).sets(path[-1], name) or makes_code_in(module)
    return any(
        each.node.decorator_list if each.node is not None else _may_be_value(kind, each, name)
        for each in events
    )


def _may_be_value(kind: type, event: Event, name: str) -> bool:
    """Return whether a class may have a value for a name: where it is another name, only that."""
    other = dotted(event.value) if event.value is not None else None
    own = attributes(kind)
    return other not in own or own[str(other)] is own[name]
