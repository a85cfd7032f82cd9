"""Classes and the module: bases, metaclasses, the object under the module's name."""

from __future__ import annotations

import os
import sys
from abc import ABCMeta
from dis import get_instructions
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..objects.attribute_writes import stores_of
from ..objects.decorators_and_metaclasses import resolved
from ..objects.fingerprints import fingerprint
from ..objects.imported_names import is_brought, source_bindings
from ..objects.origin_package import outermost, place_of, strangers
from ..objects.reachable import (
    ABSENT,
    attributes,
    bases,
    functions_of,
    items,
    module_of,
    qualified_name,
    value_at,
)
from ..source.events import ANY_NAME
from .difference import Alteration
from .extra_names import is_brought_by_star

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..objects.on_disk import OnDisk
    from ..source.bindings import ExpectedName


_BASES = 2
"""The position of the bases among the arguments of ``__new__`` of a metaclass."""


def shapes(module: Any, space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield what is of another kind than the source makes it."""
    for each in disk.bindings.expected:
        owner = value_at(space, each.path) if each.is_class else None
        if issubclass(type(owner), type) and disk.is_own(owner):  # type: ignore[arg-type]
            yield from _of_class(space, each, owner, disk)
    if type(module) is not ModuleType and any(strangers(type(module), disk.module)):
        yield Alteration(disk.module, "module", *place_of(type(module)))
    yield from _of_parent(module, disk)
    yield from _of_copies(module, disk)


def _of_class(
    space: object, expected: ExpectedName, owner: Any, disk: OnDisk
) -> Iterator[Alteration]:
    live = type.__dict__["__bases__"].__get__(owner)
    last = expected.name.rpartition(".")[2]
    values = [resolved(space, each) for each in expected.bases]
    if any(each is owner for each in values):
        return  # it took the name of its own base
    if not expected.decorators and not _are_bases(space, expected, owner, live):
        foreign = next((each for each in live if any(strangers(each, disk.module))), live[0])
        if not stores_of(disk.module).sets(last, "__bases__"):
            yield Alteration(expected.name, "base", *place_of(foreign))
    if not expected.has_metaclass and not expected.decorators:
        kinds = [type(each) for each in (*live, *values) if issubclass(type(each), type)]
        winner = next((k for k in kinds if all(issubclass(k, other) for other in kinds)), None)
        if winner is None or type(owner) is winner or _is_made_up(space, expected):
            return
        if winner in (type, ABCMeta) or any(strangers(type(owner), module_of(winner))):
            yield Alteration(expected.name, "metaclass", *place_of(type(owner)))
    elif expected.metaclass is not None and not expected.decorators:
        wanted = resolved(space, expected.metaclass)
        if issubclass(type(wanted), type) and issubclass(wanted, type):  # type: ignore[arg-type]
            kinds = [type(each) for each in live]
            if type(owner) is not wanted and type(owner) not in kinds:
                yield Alteration(expected.name, "metaclass", *place_of(type(owner)))


def _is_made_up(space: object, expected: ExpectedName) -> bool:
    """Return whether a base of the source is something that gives other bases."""
    values = [resolved(space, each) for each in expected.bases]
    return any(value is ABSENT or not issubclass(type(value), type) for value in values)


def _are_bases(space: object, expected: ExpectedName, owner: Any, live: tuple[type, ...]) -> bool:
    """Return whether the bases of a class are those of its source."""
    live = tuple(each for each in live if module_of(each) != "typing")  # of type parameters
    if expected.has_starred:
        return True
    if not expected.bases:
        is_plain = not live or (len(live) == 1 and live[0] is object)
        return is_plain or _gives_bases(owner, live)
    values = [resolved(space, each) for each in expected.bases]
    if any(each is ABSENT or not issubclass(type(each), type) for each in values):
        return True
    values = [each for each in values if module_of(each) != "typing"]  # type: ignore[arg-type]
    live = live if values or live != (object,) else ()
    is_same = len(live) == len(values) and all(map(_is_base, live, values))
    if type(owner) not in (type, ABCMeta) and not any(map(outermost, live)):
        return True  # its metaclass gives it bases of its own: TypedDict
    return is_same or _gives_bases(owner, live)


def _gives_bases(owner: Any, live: tuple[type, ...]) -> bool:
    """Return whether a metaclass may have given its class other bases, of its own package."""
    found = ((each, attributes(each).get("__new__")) for each in bases(type(owner)))
    functions = ((each, getattr(it, "__func__", it)) for each, it in found)
    makers = [each for each, it in functions if type(it) is FunctionType and not _keeps_bases(it)]
    packages = {module_of(each) for each in makers}
    return bool(packages) and not any(True for each in live for _ in strangers(each, *packages))


def _keeps_bases(function: FunctionType) -> bool:
    """Return whether a ``__new__`` of a metaclass takes bases by name and never sets that name."""
    code = function.__code__
    if code.co_argcount <= _BASES:
        return False
    name = code.co_varnames[_BASES]
    return not any(
        each.opname.startswith("STORE_") and name in each.argval
        if isinstance(each.argval, tuple)
        else each.opname.startswith("STORE_") and each.argval == name
        for each in get_instructions(code)
    )


def _is_base(live: Any, value: Any) -> bool:
    """Return whether a base is the class of a name, now or when it was taken."""
    return live is value or (
        qualified_name(live) == qualified_name(value) and module_of(live) == module_of(value)
    )


def _of_parent(module: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the attribute of the package around a module, where it is something else."""
    package, _, last = disk.module.rpartition(".")
    parent = sys.modules.get(package)
    live = attributes(parent).get(last, ABSENT)
    if not package or live is ABSENT or live is module:
        return
    found = source_bindings(package)
    events = found[1].scopes[()].get(last, ()) if found else ()
    if not events and found is None:
        return
    for event in events:
        if event.imported is None or is_brought(package, event.imported, live):
            return
    stars = found[1].scopes[()].get(ANY_NAME, ()) if found else ()
    if any(
        each.imported and is_brought_by_star(package, each.imported, last, live) for each in stars
    ):
        return
    yield Alteration(disk.module, "parent", *place_of(live))


def _of_copies(module: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield what other modules of the process are of the same file, and not what it says."""
    for name, other in copies(module, disk):
        functions = [
            each
            for _, value in _reached(other)
            for each in functions_of(value)
            if disk.is_home(each.__code__)
        ]
        known = disk.defined
        if any(fingerprint(each.__code__) not in known for each in functions):
            yield Alteration(name, "copy", disk.source.path)
            continue
        for expected in disk.bindings.expected:
            live = value_at(other, expected.path)
            if live is ABSENT or expected.is_class:
                continue
            codes = {each.__code__ for each in functions_of(live)}
            if not expected.decorators and not any(map(disk.is_home, codes)):
                yield Alteration(name, "copy", *place_of(live))
                break


def copies(module: object, disk: OnDisk) -> Iterator[tuple[str, object]]:
    """Yield the modules of the process that were loaded from the same file under another name."""
    base = os.path.basename(disk.source.path)
    for name, other in list(sys.modules.items()):
        if other is module or name == disk.module or type(other) is not ModuleType:
            continue
        file = attributes(other).get("__file__")
        if type(file) is str and file.endswith(base) and _real(file) == _real(disk.source.path):
            yield name, other


@cache
def _real(path: str) -> str:
    return os.path.realpath(path)


def _reached(module: object) -> Iterator[tuple[str, object]]:
    for name, value in items(module):
        yield name, value
        if issubclass(type(value), type):
            yield from items(value)
