"""Which functions the objects of a module consist of, without running any code of theirs."""

from __future__ import annotations

import gc
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    ModuleType,
    SimpleNamespace,
    TracebackType,
)
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_LEAVES = (
    type(None),
    str,
    bytes,
    int,
    float,
    complex,
    type,
    ModuleType,
    BuiltinFunctionType,
    CodeType,
    FrameType,
    TracebackType,
    GeneratorType,
    CoroutineType,
    AsyncGeneratorType,
    MappingProxyType,
)
_DEPTH = 3
"""How many containers and instances are opened one in another: lru_cache, partial, a list."""
_LIMIT = 500
"""How many objects are looked at from one attribute: no logger or registry is read whole."""

_aside: ContextVar[Mapping[int, Mapping[str, object]] | None] = ContextVar("aside", default=None)
"""By the identity of an object, what is seen in place of its attributes."""

ABSENT: object = object()
"""The value for an attribute that is not there; None may be a value."""


def functions_of(value: object) -> Iterator[FunctionType]:
    """Yield the functions that an object consists of, the outermost first.

    Wrappers are followed by what they keep: ``__wrapped__``, closures, defaults, the parts of
    descriptors, partials and instances, whatever their class. Classes and modules are not entered.
    """
    for each, _ in walk(value):
        if type(each) is FunctionType:
            yield each


def walk(value: object, *, by_name: bool = True) -> Iterator[tuple[object, object]]:
    """Yield the objects that one consists of, and in which each was found: None for itself.

    The outermost come first. Without ``by_name`` the attributes of functions are left out
    (``__wrapped__``), by which nothing but introspection comes to what is there.
    """
    seen: dict[int, object] = {}
    waiting: deque[tuple[object, object, int]] = deque([(value, None, 0)])
    while waiting and len(seen) < _LIMIT:
        each, around, depth = waiting.popleft()
        # Not isinstance: a proxy may say that it is of another class, or do work to say it.
        kind = type(each)
        if id(each) in seen or (issubclass(kind, _LEAVES) and not issubclass(kind, type)):
            continue
        seen[id(each)] = each
        yield each, around
        if issubclass(kind, type):
            continue
        if kind is FunctionType:
            parts = _parts(each, by_name=by_name)  # type: ignore[arg-type]
            waiting.extend((part, each, depth) for part in parts)
        elif kind is CellType:
            waiting.extend((part, each, depth) for part in gc.get_referents(each))
        elif depth < _DEPTH:
            held = _referents(each, by_name=by_name)
            waiting.extend((part, each, depth + 1) for part in held)


def _parts(function: FunctionType, *, by_name: bool) -> Iterator[object]:
    yield from function.__closure__ or ()
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    if by_name:
        yield from vars(function).values()


def _referents(value: object, *, by_name: bool) -> Iterable[object]:
    found, own = gc.get_referents(value), _attributes(value)
    if by_name or _WRAPPED not in own:
        return found
    others = [it for it in found if it is not own]
    return [*others, *(it for name, it in own.items() if name != _WRAPPED)]


_WRAPPED = "__wrapped__"


def methods(value: object) -> Iterator[FunctionType]:
    """Yield the functions of a class, or of the class of an instance, without inherited ones."""
    owner = value if issubclass(type(value), type) else type(value)
    for _, each in items(owner):
        yield from functions_of(each)


def is_namespace(space: object) -> bool:
    """Return whether these are the names that the code of a module has set: running it adds one."""
    return "__builtins__" in attributes(space)


def as_namespace(module: object, is_home: Callable[[CodeType], bool]) -> object:
    """Return the module itself, or for what took its place in ``sys.modules`` all its names.

    The names are found through a module that the object keeps, or through the methods of its class,
    if it is one of the module. Those set on the object come first, as when they are looked up.
    """
    if is_namespace(module):
        return module
    own = dict(items(module))
    kept = [each for each in own.values() if type(each) is ModuleType and is_namespace(each)]
    spaces = [dict(items(each)) for each in kept]
    spaces += [each.__globals__ for each in methods(type(module)) if is_home(each.__code__)]
    for space in spaces:
        functions = (each for each in space.values() if type(each) is FunctionType)
        if any(is_home(each.__code__) for each in functions):
            return SimpleNamespace(**{**space, **own})
    return module


def attributes_in(
    module: object, space: object, is_own: Callable[[type], bool]
) -> Iterator[tuple[str, object]]:
    """Yield each attribute of a module and, below the classes that are its own, of those.

    ``space`` is what :func:`as_namespace` gives for it.
    """
    seen: set[int] = set()
    waiting: deque[tuple[str, object]] = deque(items(space))
    if type(module) is not ModuleType:  # something else took its place
        waiting.append((qualified_name(type(module)), type(module)))
    while waiting:
        path, value = waiting.popleft()
        yield path, value
        if issubclass(type(value), type) and id(value) not in seen and is_own(value):  # type: ignore[arg-type]
            seen.add(id(value))
            waiting.extend((f"{path}.{name}", part) for name, part in items(value))


def classes_of(module: str) -> Iterator[type]:
    """Yield all classes alive that say they are of a module. Takes a look at every object."""
    for each in gc.get_objects():
        if issubclass(type(each), type) and module_of(each) == module:
            yield each


def functions_with(space: object) -> Iterator[FunctionType]:
    """Yield all functions alive whose globals are the attributes of an object."""
    for each in gc.get_referrers(_attributes(space)):
        if type(each) is FunctionType:
            yield each


def value_at(owner: object, path: Iterable[str]) -> object:
    """Return the value at a path of attributes, or ABSENT; runs no descriptor."""
    for name in path:
        owner = attributes(owner).get(name, ABSENT)
    return owner


@contextmanager
def set_aside(values: Iterable[tuple[object, str, object]]) -> Iterator[None]:
    """Have some attributes be something else, or ABSENT, for whoever looks at them in this thread.

    ``values`` are the owner, the name and what is seen there. The objects stay as they are.
    """
    instead: dict[int, dict[str, object]] = {}
    for owner, name, value in values:
        instead.setdefault(id(owner), {})[name] = value
    token = _aside.set(instead)
    try:
        yield
    finally:
        _aside.reset(token)


def attributes(owner: object) -> Mapping[str, Any]:
    """Return the attributes that a module or a class itself has, as they are kept."""
    kept, aside = _attributes(owner), _aside.get()
    if not aside or id(owner) not in aside:
        return kept
    found = {**kept, **aside[id(owner)]}
    return MappingProxyType({name: it for name, it in found.items() if it is not ABSENT})


def _attributes(owner: object) -> Mapping[str, Any]:
    if issubclass(type(owner), type):
        of_class: Mapping[str, Any] | None = type.__dict__["__dict__"].__get__(owner)
        return of_class or {}  # a class that nobody has asked for anything has none yet
    try:
        of_instance: Mapping[str, Any] = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return of_instance


def is_a(value: object, *kinds: type) -> bool:
    """Return whether an object is of a class, whatever it says: asking it may run its code."""
    return issubclass(type(value), kinds)


def qualified_name(owner: type) -> str:
    """Return the name of a class, whatever its metaclass would answer."""
    name: str = type.__dict__["__qualname__"].__get__(owner)
    return name


def module_of(owner: type) -> str:
    """Return the module that a class says it is of; empty for what is not a name."""
    module = attributes(owner).get("__module__")
    return module if type(module) is str else ""


def bases(owner: type) -> tuple[type, ...]:
    """Return a class and its bases, in order, whatever its metaclass would answer."""
    return type.__dict__["__mro__"].__get__(owner) or ()


def items(owner: object) -> list[tuple[str, Any]]:
    """Return the attributes at this moment, while other threads may set more."""
    return [(name, value) for name, value in list(attributes(owner).items()) if type(name) is str]
