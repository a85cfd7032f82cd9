"""Layers between the object at the name of a definition and the code of that definition."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from .decorators_and_metaclasses import names_in
from .reachable import bases, functions_of, items, methods, module_of, qualified_name, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    IsCore = Callable[[object], bool]

_CONTAINERS = (dict, list, tuple, set, frozenset, deque, CellType)
"""Types that hold things, and do nothing themselves when an object around it is called."""
_LIMIT = 200
"""How many functions of a replacement are searched for a way to what it replaced."""
_CALLED = ("__call__", "__get__", "fget", "__getattribute__", "__getattr__")
"""The methods of an object that run when it is called or looked up in a class, in this order."""


@dataclass(frozen=True)
class ObjectLayer:
    """An object in a form in which a user would look for it."""

    kind: str
    """"function NAME", or the qualified name of a class."""
    file: str | None
    line: int | None
    """Where its code is; None for what is not Python code."""


def layers(value: object, is_core: IsCore) -> list[object] | None:
    """Return what is around a core, the outermost first; None where the object does not hold it.

    A way that calls can take is preferred to one through the attributes of functions.
    """
    for by_name in (False, True):
        found: dict[int, object] = {}
        for each, around in walk(value, by_name=by_name):
            found[id(each)] = around
            if is_core(each):
                return [it for it in _way_to(each, found) if type(it) not in _CONTAINERS]
    return None


def _way_to(value: object, found: Mapping[int, object]) -> list[object]:
    """Return what is around an object, the outermost first, by what each was found in."""
    way: list[object] = []
    around = found[id(value)]
    while around is not None:
        way.insert(0, around)
        around = found[id(around)]
    return way


def within_reach(value: object, owners: Iterable[object], is_core: IsCore) -> FunctionType | None:
    """Return a core that the code of an object can reach, as far as its names show.

    It may hold it in a closure, a default or an attribute, or name what leads there: a global
    variable, or an attribute of a module or a class that it names, or of one of ``owners``.
    """
    found = held_by(value, is_core)
    classes = list(_classes(value))
    spaces = [*owners, *classes]
    waiting = deque([*functions_of(value), *(it for each in classes for it in methods(each))])
    seen: dict[int, FunctionType] = {}
    while waiting and found is None and len(seen) < _LIMIT:
        function = waiting.popleft()
        if id(function) in seen:
            continue
        seen[id(function)] = function
        for each in _objects_named_in(function, spaces):
            found = found or (None if each is value else held_by(each, is_core))
            if type(each) is FunctionType and _file(each) == _file(function):
                waiting.append(each)
    return found


def layer(value: Any) -> ObjectLayer:
    """Return what an object is, and where the code is that runs first when it is called."""
    code = first_code(value)
    place = (None, None) if code is None else (code.co_filename, code.co_firstlineno)
    if type(value) is MethodType:
        value = value.__func__
    if type(value) is FunctionType:
        return ObjectLayer(
            f"function {getattr(code, 'co_qualname', value.__code__.co_name)}", *place
        )
    kind = _kind(value)
    module, name = module_of(kind), qualified_name(kind)
    if module not in ("", "builtins") and not name.startswith(f"{module}."):
        name = f"{module}.{name}"
    return ObjectLayer(name, *place)


def first_code(value: Any) -> CodeType | None:
    """Return the code that runs first when an object is called; None if it is not Python code."""
    if type(value) is MethodType:
        value = value.__func__
    if type(value) is FunctionType:
        return value.__code__
    own = bases(_kind(value))
    found = [dict(items(base)).get(name) for name in _CALLED for base in own]
    codes = [each.__code__ for it in found for each in functions_of(it)]
    codes += [each.__code__ for base in own for each in methods(base)]
    return codes[0] if codes else None


def _kind(value: Any) -> type:
    """Return the class of an object, or what a method written in C is bound to."""
    held = value.__self__ if type(value) is BuiltinFunctionType else value
    return held if issubclass(type(held), type) else type(held)  # type: ignore[return-value]


def held_by(value: object, is_core: IsCore) -> FunctionType | None:
    """Return a core that an object holds where its code can find it."""
    by_name = any("__wrapped__" in names_in(each.__code__) for each in functions_of(value))
    for each, _ in walk(value, by_name=by_name):
        if is_core(each):
            return each  # type: ignore[return-value]
    return None


def _classes(value: Any) -> Iterator[type]:
    """Yield the classes of what an object consists of, and of what it is bound to."""
    held = [value.__self__] if type(value) is BuiltinFunctionType else []
    for each in (*held, *(found for found, _ in walk(value, by_name=False))):
        yield from bases(each if issubclass(type(each), type) else type(each))  # type: ignore[arg-type]


def _objects_named_in(function: FunctionType, owners: Iterable[object]) -> Iterator[object]:
    """Yield what the code of a function may mean by its names and strings."""
    names = {*names_in(function.__code__), *_strings(function.__code__)}
    spaces = list(owners)
    for name in names:
        value = function.__globals__.get(name)
        yield value
        if issubclass(type(value), (type, ModuleType)):
            spaces.append(value)
    for space in spaces:
        yield from (value for name, value in items(space) if name in names)


def _strings(code: CodeType) -> Iterator[str]:
    for each in code.co_consts:
        if isinstance(each, str):
            yield each
        elif isinstance(each, CodeType):
            yield from _strings(each)


def _file(function: FunctionType) -> str:
    return function.__code__.co_filename
