"""Sources of something else than a definition: decorators, metaclasses, bases."""

from __future__ import annotations

import builtins
import sys
from abc import ABCMeta
from enum import EnumMeta
from itertools import chain
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from .reachable import ABSENT, attributes, bases, functions_of, methods, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..source.bindings import ExpectedName

_KEEP_ALL = {type, ABCMeta, EnumMeta, type(Protocol)}
"""Metaclasses that leave out no function of a class body."""


def makers(
    module: object, expected: ExpectedName, classes: Mapping[str, ExpectedName]
) -> Iterator[object]:
    """Yield the decorators of a definition, and what works on the classes around it.

    ``classes`` are those of the module by their qualified names. ABSENT stands for a decorator
    that is not a name, or not to be found.
    """
    own = expected.name.rpartition(".")[2] + "."
    for decorator in expected.decorators:
        if not (decorator or "").startswith(own):  # the setter of a property of that name
            around_it = value_at(module, expected.path[:-1])
            found = resolved(around_it, decorator) if len(expected.path) > 1 else ABSENT
            yield found if found is not ABSENT else resolved(module, decorator)
    for end in range(1, len(expected.path)):
        around = classes.get(".".join(expected.name.split(".")[:end]))
        for decorator in around.decorators if around else ():
            yield resolved(module, decorator)
        owner: Any = value_at(module, expected.path[:end])
        if type(owner) is not type:
            yield type(owner)
        for base in bases(owner)[1:]:
            if base is not object and "__init_subclass__" in attributes(base):
                yield attributes(base)["__init_subclass__"]


def replaced_bases(module: object, names: Iterable[str | None], owner: type) -> list[object]:
    """Return what a class has for bases in its source that gave it others: NamedTuple, Generic."""
    values = [resolved(module, each) for each in names]
    live = bases(owner)
    return [each for each in values if each is not ABSENT and not any(each is b for b in live)]


def absorbs(owner: object) -> bool:
    """Return whether a class may leave out functions of its body."""
    return issubclass(type(owner), type) and type(owner) not in _KEEP_ALL


def resolved(module: object, name: str | None) -> object:
    """Return what a dotted name stands for in a module, or ABSENT."""
    first = name.partition(".")[0] if name else ""
    value = builtins if first not in attributes(module) and hasattr(builtins, first) else module
    for part in name.split(".") if name else ("",):
        kinds = [attributes(each) for each in bases(type(value))]
        found = [each[part] for each in (attributes(value), *kinds) if part in each]
        value = found[0] if found else ABSENT
    return value


def run_by(maker: Any) -> list[FunctionType]:
    """Return the code that an object runs, its class's too, and what that names."""
    kind = maker if issubclass(type(maker), type) else type(maker)
    functions = list(chain(functions_of(maker), *(methods(each) for each in bases(kind))))
    return [*functions, *chain.from_iterable(map(named_functions, functions))]


def named_functions(function: FunctionType) -> Iterator[FunctionType]:
    """Yield the functions that a function names: global ones, and those of modules it names."""
    names = set(names_in(function.__code__))
    spaces = [function.__globals__]
    for name in names:
        values = (function.__globals__.get(name), sys.modules.get(name))
        spaces.extend(dict(attributes(each)) for each in values if isinstance(each, ModuleType))
    for space in spaces:
        for name in names:
            value = space.get(name)
            if type(value) is FunctionType:
                yield value
            elif issubclass(type(value), type):
                yield from methods(value)


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the global names and the attributes that code uses, and those of code inside it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from names_in(each)
