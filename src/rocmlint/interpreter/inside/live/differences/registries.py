"""Tables that a module keeps or imports: whether its own entries are still its own."""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..objects.imported_names import absolute, imported_packages, makes_code_in, source_bindings
from ..objects.literals import is_mutated
from ..objects.on_disk import OnDisk, on_disk
from ..objects.origin_package import (
    is_callable,
    is_made,
    is_standard,
    outermost,
    place_of,
    strangers,
)
from ..objects.reachable import attributes, bases, is_a, items, module_of, qualified_name, value_at
from ..objects.source_names import SourceNames
from ..source.module_source import NoSourceError
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    Expression = tuple[tuple[str, ...], tuple[str, ...], ast.expr]
    """The path of a table, that of the class around it, and what it has for a key."""

_DATA = (str, bytes, int, float, complex, type(None), FunctionType, ModuleType)


def registries(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the entries that are not what a source puts there.

    A new key is what a registry is for, and so is no difference. Under a key that the module of
    the table has a word for, there was code of its own, or of a package that it imports.
    """
    for name, value in items(space):
        events = disk.bindings.scopes[()].get(name, ())
        if not events or is_a(value, *_DATA):
            continue
        imported = [each.imported for each in events if each.imported]
        sources = {absolute(disk.module, each): each.attribute or name for each in imported}
        asked = {disk.module, module_of(_kind(value)), *sources}
        for path, table in _tables(value):
            for module in sorted(asked):
                for key in _lost(module, path or (sources.get(module, name),), table):
                    yield Alteration(f"{name}[{key!r}]", "unregistered")
            for key, entry in _entries(table):
                if any(_is_other(each, path, key, entry) for each in asked):
                    yield Alteration(f"{name}[{key!r}]", "registered", *place_of(entry))
        if not is_a(value, type):
            yield from _on_instance(name, value, disk)


def _tables(value: Any) -> Iterator[tuple[tuple[str, ...], dict[Any, Any]]]:
    """Yield the tables that an object is or keeps, with the path of those that a class keeps."""
    found: list[tuple[tuple[str, ...], Any]] = [((), value)]
    if not is_a(value, type, dict):
        found += [((), each) for name, each in items(value) if not name.startswith("__")]
    hidden: set[str] = set()
    for base in bases(_kind(value)) if type(value) is not dict else ():
        path = tuple(qualified_name(base).split("."))
        found += [
            ((*path, name), each)
            for name, each in items(base)
            if name not in hidden and not name.startswith("__")
        ]
        hidden.update(attributes(base))
    for path, table in found:
        if is_a(table, dict):
            yield path, table


def _entries(table: dict[Any, Any]) -> list[tuple[str, Any]]:
    """Return the entries of a table that are code."""
    pairs = [(key, each) for key, each in list(dict.items(table)) if type(key) is str]
    return [(key, each) for key, each in pairs if _is_code(each)]


def _lost(module: str, path: tuple[str, ...], table: dict[Any, Any]) -> Iterator[str]:
    """Yield the keys that the source of a table has for it, and that are not there now."""
    found = source_bindings(module)
    events = found[1].scopes.get(path[:-1], {}).get(path[-1], ()) if found else ()
    if found is None or len(events) != 1 or is_mutated(found[0], path[-1]):
        return
    for key, displays in _displays(module).items():
        if any(where == path for where, _, _ in displays) and key not in dict.keys(table):
            yield key


def _is_code(value: Any) -> bool:
    """Return whether a value is a function, or an object with code that is not Python's own."""
    if type(value) is FunctionType:
        return True
    return is_callable(value) and any(
        not is_standard(each.co_filename) for each in outermost(value)
    )


def _kind(value: Any) -> Any:
    return value if is_a(value, type) else type(value)


def _is_other(module: str, table: tuple[str, ...], key: str, entry: Any) -> bool:
    """Return whether a module has a word for a key, and for other code than that of an entry."""
    found = source_bindings(module)
    if found is None or not _has_string(found[0], key):
        return False
    expressions = [
        (path, each)
        for where, path, each in _displays(module).get(key, ())
        if not table or where == table
    ]
    if expressions:
        names = _names(module)
        return names is not None and not any(
            names(path).is_value(each, entry) for path, each in expressions
        )
    makes_code = makes_code_in(module)
    return any(
        not (makes_code and is_made(file))
        for file, _ in strangers(entry, module, *imported_packages(found[0]))
    )


def _has_string(data: bytes, key: str) -> bool:
    word = key.encode("utf-8", "replace")
    return b'"%s"' % word in data or b"'%s'" % word in data


@lru_cache(maxsize=64)
def _displays(module: str) -> dict[str, list[Expression]]:
    """Return by key what the tables of a module, and of its classes, have in its source."""
    displays: dict[str, list[Expression]] = {}
    found = source_bindings(module)
    for path, scope in found[1].scopes.items() if found else ():
        for events in scope.values():
            for event in events:
                if isinstance(event.value, ast.Dict):
                    for index, key in enumerate(event.value.keys):
                        value = event.value.values[index]
                        if isinstance(key, ast.Constant) and isinstance(key.value, str):
                            where = (*path, event.name)
                            displays.setdefault(key.value, []).append((where, path, value))
    return displays


def _names(module: str) -> Any:
    """Return the names of a module, by the path of a class in it."""
    try:
        disk, space = _on_disk(module), sys.modules[module]
    except (KeyError, NoSourceError):
        return None
    return lambda path: SourceNames(space, disk, path, value_at(space, path))


@lru_cache(maxsize=16)
def _on_disk(module: str) -> OnDisk:
    return on_disk(module)


def _on_instance(name: str, value: Any, disk: OnDisk) -> Iterator[Alteration]:
    """Yield what code of others hides methods of an object that the module keeps."""
    kinds = [attributes(each) for each in bases(type(value))]
    for attribute, entry in items(value):
        if is_callable(entry) and any(attribute in each for each in kinds):
            packages = {disk.module, module_of(type(value)), *imported_packages(disk.source.data)}
            if any(strangers(entry, *packages)):
                yield Alteration(f"{name}.{attribute}", "registered", *place_of(entry))
