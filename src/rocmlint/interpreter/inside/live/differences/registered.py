"""Entries that the source of a module registers by key, and those that the tables have now."""

from __future__ import annotations

import ast
import dis
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..objects.literals import is_mutated
from ..objects.origin_package import place_of, strangers, top
from ..objects.reachable import ABSENT, attributes, bases, is_a, items, qualified_name, walk
from ..objects.source_names import SourceNames
from ..source.events import dotted, first_line
from ..source.module_source import NoSourceError, source_of
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..objects.on_disk import OnDisk
    from ..source.events import DefinitionNode

_MOST = 20
"""How many tables of one registrar are looked at."""
_WINDOW = 7
"""How many instructions before it puts something there code may name a table."""
_MOST_ENTRIES = 2000
"""How many pairs of a registration and an entry of a list are looked at."""


@dataclass(frozen=True)
class _Registration:
    """A definition or a value that a source gives to a registrar, with the key."""

    registrar: str
    """Its dotted name."""
    key: str
    node: DefinitionNode | None = None
    value: Any = None
    is_bare: bool = False
    """Whether the key is the name of the definition."""


def registered(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the entries that the source registers, and that are others now or are not there."""
    names = SourceNames(space, disk, (), space)
    yield from _set(names, disk)
    groups: dict[object, list[_Registration]] = {}
    for each in (*_by_decorators(disk), *_by_calls(names, disk)):
        groups.setdefault(_identity(each, names), []).append(each)
    for them in groups.values():
        registrar = them[0].registrar
        for table in _tables(registrar, names):
            if is_a(table, list, set):
                yield from _left_out(them, table, names)
                continue
            for each in _not_there(them, table, names):
                if not _is_registered_again(each, table.get(each.key), disk):
                    name = f"{_name_of(table, names) or registrar}[{each.key!r}]"
                    if each.key in table:
                        yield Alteration(name, "moved", *place_of(table[each.key]))
                    else:
                        yield Alteration(name, "unregistered")


def _identity(wanted: _Registration, names: SourceNames) -> object:
    """Return what is equal for the registrations of one registrar, whatever leads to it."""
    function = _function(wanted.registrar, names)
    owner = names.resolved(wanted.registrar.rpartition(".")[0])
    is_bound = owner is not ABSENT and not is_a(owner, ModuleType)
    found = wanted.registrar if function is None else id(function)
    return found, id(owner) if is_bound else 0, wanted.is_bare


def _left_out(them: list[_Registration], table: Any, names: SourceNames) -> Iterator[Alteration]:
    """Yield what is not in a list of registered things that has others of the same registrar."""
    if len(table) * len(them) > _MOST_ENTRIES:
        return
    held = list(table)
    there = [any(_is_or_holds(entry, each, names) for entry in held) for each in them]
    if any(there):
        for each, is_there in zip(them, there):  # noqa: B905 - Python 3.9
            if not is_there and each.node is not None:
                yield Alteration(f"{each.registrar}({each.node.name})", "unregistered")


def _set(names: SourceNames, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the entries that statements of the module set, and that are not what they give."""
    for name in disk.bindings.entries:
        entries, table = names.set_entries(name), names.resolved(name)
        last = name.rpartition(".")[2]
        known = len(disk.bindings.entries[name])
        if not is_a(table, dict) or is_mutated(disk.source.data, last, more_than=known):
            continue
        for key, value in entries.items():
            live = dict.get(table, key, ABSENT)
            if live is not ABSENT and names.is_entry(value, live):
                continue
            if not any(is_mutated(data, last) for data in _sources(disk)):
                place = () if live is ABSENT else place_of(live)
                kind = "unregistered" if live is ABSENT else "moved"
                yield Alteration(f"{name}[{key!r}]", kind, *place)


def _by_decorators(disk: OnDisk) -> Iterator[_Registration]:
    for path, scope in disk.bindings.history.items():
        for events in scope.values() if not path else ():
            for event in events:
                for decorator in event.node.decorator_list if event.node and event.certain else ():
                    for name, key, is_bare in _keys(decorator, event.node):
                        yield _Registration(name, key, event.node, is_bare=is_bare)


def _keys(decorator: ast.expr, node: DefinitionNode | None) -> Iterator[tuple[str, str, bool]]:
    """Yield the registrar and the key that a decorator may have for a definition.

    And whether the key is the name of that, since no other is given.
    """
    if isinstance(decorator, ast.Call):
        given = [*decorator.args, *(each.value for each in decorator.keywords)]
        name = dotted(decorator.func)
        keys = [it.value for it in given if isinstance(it, ast.Constant) and type(it.value) is str]
    else:
        name, keys = dotted(decorator), []
    yield from ((name, key, False) for key in keys if name)
    if name and node and not keys:
        yield name, node.name, True


def _by_calls(names: SourceNames, disk: OnDisk) -> Iterator[_Registration]:
    """Yield what statements give: ``register(key, value)`` and ``register(key)(value)``."""
    for call in disk.bindings.calls:
        around = call.func if isinstance(call.func, ast.Call) else call
        values = call.args if around is not call else call.args[1:]
        name, key = dotted(around.func), next(iter(around.args), None)
        value = names.resolved(dotted(values[0]) or "") if len(values) == 1 else ABSENT
        if name and isinstance(key, ast.Constant) and type(key.value) is str:
            if value is not ABSENT:
                yield _Registration(name, key.value, value=value)


def _tables(registrar: str, names: SourceNames) -> Iterator[Any]:
    """Yield the tables that a registrar keeps, or that its code names."""
    function = _function(registrar, names)
    owner = names.resolved(registrar.rpartition(".")[0] or registrar)
    held = [] if is_a(owner, ModuleType, FunctionType) or owner is ABSENT else [owner]
    if function is not None:
        space = {**function.__globals__, **_cells(function)}
        held += [
            space[each]
            for each in (*_names_in(function.__code__), *_cells(function))
            if each in space
        ]
    seen: set[int] = set()
    for each in held:
        for table in _tables_of(each):
            if id(table) not in seen and len(seen) < _MOST:
                seen.add(id(table))
                yield table


def _function(registrar: str, names: SourceNames) -> FunctionType | None:
    value: Any = names.resolved(registrar)
    value = value.__func__ if is_a(value, staticmethod, classmethod) else value
    return value if type(value) is FunctionType else None


def _cells(function: FunctionType) -> dict[str, Any]:
    """Return the variables of a closure that have a value."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):  # noqa: B905 - Python 3.9
        with suppress(ValueError):
            found[name] = cell.cell_contents
    return found


def _tables_of(value: Any) -> Iterator[Any]:
    if is_a(value, dict, list, set):
        yield value
    elif not is_a(value, ModuleType, FunctionType):
        kinds = bases(value if is_a(value, type) else type(value))
        for each in (value, *kinds):
            yield from (it for n, it in items(each) if is_a(it, dict, list, set) and n[:2] != "__")


def _names_in(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found |= _names_in(each)
    return found


def _not_there(
    wanted: list[_Registration], table: dict[Any, Any], names: SourceNames
) -> list[_Registration]:
    """Return what should be in a table under its key, and is not.

    That a table is the one meant is seen by what it has: something else of the registrar under
    its key, or one of these under the key of another; or by the code, which puts it there.
    """
    keys = {each.key for each in wanted}
    entries = {key: table[key] for key in keys if key in table}
    by_key: dict[str, list[_Registration]] = {}
    for each in wanted:
        by_key.setdefault(each.key, []).append(each)
    right = {
        key
        for key, them in by_key.items()
        if key in entries and any(_is_or_holds(entries[key], each, names) for each in them)
    }
    wrong = [each for key, them in by_key.items() if key not in right for each in them[-1:]]
    if not wrong:
        return []
    is_moved = any(_is_or_holds(entry, each, names) for each in wrong for entry in entries.values())
    is_meant = bool(right) or is_moved or _puts(wrong[0], table, names)
    return wrong if is_meant else []


def _is_or_holds(entry: Any, wanted: _Registration, names: SourceNames) -> bool:
    """Return whether an entry is, or holds, what was registered."""
    node = wanted.node
    if node is None:
        return entry is wanted.value or any(each is wanted.value for each, _ in walk(entry))
    for each, _ in walk(entry):
        if type(each) is FunctionType and names.disk.is_home(each.__code__):
            if each.__code__.co_firstlineno == first_line(node):
                return True
        kind: Any = each if is_a(each, type) else type(each)
        if isinstance(node, ast.ClassDef) and qualified_name(kind) == node.name:
            return True
    return False


def _puts(wanted: _Registration, table: dict[Any, Any], names: SourceNames) -> bool:
    """Return whether the code of a registrar puts things into a table under the key it is given."""
    function = _function(wanted.registrar, names)
    if function is None:
        return False
    code, owner = function.__code__, names.resolved(wanted.registrar.rpartition(".")[0])
    own = dict.fromkeys(code.co_varnames[: code.co_argcount][:1], owner)
    spaces = (function.__globals__, attributes(owner), _cells(function), own)
    keys = ("__name__",) if wanted.is_bare else code.co_varnames[: code.co_argcount]
    stored = set(_stored(code, keys))
    return any(space.get(name) is table for space in spaces for name in stored)


def _stored(code: CodeType, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of the tables in which code puts something under one of these names."""
    before: list[str] = []
    for each in dis.get_instructions(code):
        if each.opname == "STORE_SUBSCR" and len(before) > 1:
            if before[-1] in keys:
                yield from before[-_WINDOW:-1]
        loaded = each.argval if each.opname.startswith("LOAD_") else ""
        before += map(str, loaded) if isinstance(loaded, tuple) else [str(loaded)]
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _stored(each, keys)


def _is_registered_again(wanted: _Registration, live: Any, disk: OnDisk) -> bool:
    """Return whether another module of the package may have put something else there."""
    if live is not None and any(strangers(live, disk.module)):
        return False
    last = wanted.registrar.rpartition(".")[2]
    pattern = rb"\b%s\b[^\n]{0,80}[\"']%s[\"']" % (
        re.escape(last.encode()),
        re.escape(wanted.key.encode()),
    )
    return any(re.search(pattern, data) for data in _sources(disk))


def _sources(disk: OnDisk) -> Iterator[bytes]:
    """Yield the sources of the other loaded modules of the package."""
    package = top(disk.module)
    for name, module in list(sys.modules.items()):
        if top(name) == package and name != disk.module:
            try:
                yield source_of(module).data
            except NoSourceError:
                continue


def _name_of(table: object, names: SourceNames) -> str | None:
    """Return the name by which the module has a table, or what keeps it."""
    for name, value in items(names.space):
        if value is table:
            return name
        if not is_a(value, ModuleType, FunctionType, type):
            if any(each is table for _, each in items(value)):
                return name
    return None
