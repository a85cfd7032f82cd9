"""Which modules still hold an older state of another module, from a ``from ... import``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .objects.reachable import (
    attributes,
    bases,
    functions_of,
    methods,
    module_of,
    qualified_name,
    value_at,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from .objects.on_disk import OnDisk

FUNCTIONS = (FunctionType, type(lru_cache(lambda: None)))


@dataclass(frozen=True)
class WatchedNames:
    """A module that others may hold things of."""

    module: object
    disk: OnDisk
    replaced: Collection[str]
    """The names that are other code than that of the source."""
    listed: Collection[str] = ()
    """The names of which another question says who holds what was there before."""


def holders_of(watched: Mapping[str, WatchedNames]) -> dict[str, list[dict[str, Any]]]:
    """Return, by module, what others hold of it that is not what it has now, nor the same code.

    Functions and classes count that are attributes of a module, and the bases of such classes.
    One look at all modules of the process, whatever the number of those watched.
    """
    owners = {file: name for name, each in watched.items() for file in each.disk.files}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in watched}
    checked: dict[int, list[tuple[str, FunctionType]]] = {}
    for holder, attribute, value in _held(owners):
        if id(value) not in checked:
            checked[id(value)] = list(_old_parts(value, owners, watched))
        for owner, old in checked[id(value)]:
            if owner != holder:
                file, line = old.__code__.co_filename, old.__code__.co_firstlineno
                entry = {"module": holder, "attribute": str(attribute), "file": file, "line": line}
                found[owner].append(entry)
    return found


def _held(owners: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    """Yield what modules hold that is of a module of ``owners`` or goes for one of its objects.

    A large program holds more than 100,000 attributes, so most of them are sorted out fast.
    """
    names = set(owners.values())
    others: set[int] = set()
    for holder, module in list(sys.modules.items()):
        for attribute, value in list(attributes(module).items()):
            kind = type(value)
            if kind is FunctionType and value.__code__.co_filename in owners:
                yield holder, attribute, value
            elif kind in FUNCTIONS:  # a wrapper says that it is of the module of what it wraps
                if str(value.__module__) in names:
                    yield holder, attribute, value
            elif issubclass(kind, type) and id(value) not in others:
                if any(module_of(each) in names for each in bases(value)):
                    yield holder, attribute, value
                else:
                    others.add(id(value))


def _old_parts(
    value: Any, owners: Mapping[str, str], watched: Mapping[str, WatchedNames]
) -> Iterator[tuple[str, FunctionType]]:
    """Yield the owner and an old function for each old part that an object consists of."""
    if issubclass(type(value), type):
        for base in bases(value):
            module = module_of(base)
            if module in watched and qualified_name(base) not in watched[module].listed:
                yield from ((module, each) for each in _old_methods(base, watched[module]))
        return
    for each in functions_of(value):
        owner = owners.get(each.__code__.co_filename)
        if owner is not None:
            if _is_old(value, each, watched[owner]):
                yield owner, each
            return


def _is_old(value: object, function: FunctionType, owner: WatchedNames) -> bool:
    if value_at(owner.module, function.__qualname__.split(".")) is value:
        return False
    return function.__qualname__ in owner.replaced or owner.disk.is_outdated(function.__code__)


def _old_methods(old: Any, owner: WatchedNames) -> list[FunctionType]:
    """Return a method of a class where the class that goes by its name now has others."""
    current = value_at(owner.module, qualified_name(old).split("."))
    own = [each for each in methods(old) if owner.disk.is_home(each.__code__)]
    if current is old or not own:
        return []
    codes = {each.__code__ for each in own}
    if qualified_name(old) in owner.replaced or any(map(owner.disk.is_outdated, codes)):
        return own[:1]
    now = methods(current) if issubclass(type(current), type) else ()
    current_codes = {each.__code__ for each in now if owner.disk.is_home(each.__code__)}
    return own[:1] if current_codes and current_codes != codes else []
