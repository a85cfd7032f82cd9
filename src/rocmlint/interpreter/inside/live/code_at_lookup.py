"""The object where a program looks up a function, and the code that a call of it runs first."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial, partialmethod
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from .objects.reachable import ABSENT, attributes, bases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import CodeType

BOUND_ARGUMENTS = (partial, partialmethod)
"""Objects without code of their own: a call of one is a call of the function that it keeps."""


@dataclass(frozen=True)
class Standing:
    """The object as it is kept, before it is bound to an instance."""

    value: object
    owner: object = None
    """The module, class or instance in which the last name was looked up."""
    interceptor: FunctionType | None = None
    """A method of the owner that answers for its attributes before they are looked up."""


def standing(module: object, path: Sequence[str], keys: Sequence[object]) -> Standing:
    """Look up a qualified name as a program does, and with keys what a registry has for them.

    Runs no code but that of a registry which is not a dict. ``value`` is ABSENT where there is
    nothing. Raises whatever a registry raises for another reason than that it lacks the key.
    """
    owner, value, interceptor = module, module, None
    for name in path:
        owner, interceptor = value, _interceptor(value) or interceptor
        value = _attribute(owner, name)
        if value is ABSENT:
            break
    for key in keys if value is not ABSENT else ():
        owner, value = value, _item(value, key)
    return Standing(value, owner, interceptor)


def _attribute(owner: object, name: str) -> Any:
    """Return an attribute of an object, its class or their bases; ABSENT for one that is made."""
    is_class = issubclass(type(owner), type)
    kinds = bases(owner) if is_class else bases(type(owner))  # type: ignore[arg-type]
    of_kind = next((attributes(each)[name] for each in kinds if name in attributes(each)), ABSENT)
    if is_class or hasattr(type(of_kind), "__set__"):  # as a property, which comes first
        return of_kind
    return attributes(owner).get(name, of_kind)


def _item(registry: Any, key: object) -> object:
    if type(registry) in (dict, OrderedDict, list, tuple):
        try:
            return registry[key]
        except (LookupError, TypeError):
            return ABSENT
    try:
        return type(registry).__getitem__(registry, key)
    except (LookupError, AttributeError):
        return ABSENT


def _interceptor(owner: object) -> FunctionType | None:
    """Return what a class or the class of a module has for all its attributes, if it is Python."""
    kind = owner if issubclass(type(owner), type) else type(owner)
    for each in bases(kind):  # type: ignore[arg-type]
        found = attributes(each).get("__getattribute__")
        if type(found) is FunctionType:
            return found
    return None


def called(value: Any) -> object:
    """Return what a call runs first: what methods and properties are made of, without binding."""
    for _ in range(_DEPTH):
        if type(value) in (staticmethod, classmethod, MethodType):
            value = value.__func__
        elif type(value) is property:
            value = value.fget
        else:
            break
    return value


_DEPTH = 10
"""How many of these are opened one in another."""


def bound_to(value: Any) -> list[object]:
    """Return the objects and classes that methods were bound to."""
    found: list[object] = []
    while type(value) is MethodType and len(found) < _DEPTH:
        found.append(value.__self__)
        value = value.__func__
    return found


def entered(value: object) -> list[CodeType]:
    """Return the Python code that a call enters first; empty where there is none.

    Of an object with a class of its own: the methods by which it is called and looked up.
    """
    value = called(value)
    if type(value) is FunctionType:
        return [value.__code__]
    if issubclass(type(value), type) or type(value) in BOUND_ARGUMENTS:
        return []
    found = (called(_attribute(type(value), name)) for name in ("__get__", "__call__"))
    return [each.__code__ for each in found if type(each) is FunctionType]


def modules_of(is_file: Any) -> Iterator[ModuleType]:
    """Yield the modules of the process that were made from a file."""
    for module in list(sys.modules.values()):
        if type(module) is ModuleType or issubclass(type(module), ModuleType):
            names: Mapping[str, Any] = attributes(module)
            spec = names.get("__spec__")
            places = (names.get("__file__"), getattr(spec, "origin", None))
            if any(type(each) is str and is_file(each) for each in places):
                yield module
