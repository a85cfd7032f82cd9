"""What still needs the original while it is replaced: the replacement itself, if it calls it."""

from __future__ import annotations

from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from rocmlint.export.heap import name_of, raw_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Kept:
    """Containers, and single names of namespaces, that keep the original."""

    def __init__(self, originals: Iterable[Any]) -> None:
        """Take what is replaced: what only the originals need is not kept."""
        self._originals = frozenset(map(id, originals))
        self._containers: dict[int, Any] = {}  # with the objects: an id must not be used again
        self._items: dict[tuple[int, Any], Any] = {}
        self._followed: dict[int, Any] = {}
        self.add(self._containers, self._items, self._followed)

    def add(self, *containers: Any) -> None:
        """Keep whole containers."""
        self._containers.update((id(each), each) for each in containers if each is not None)

    def add_item(self, container: dict[Any, Any], key: Any) -> None:
        """Keep what a dictionary has under a key."""
        self._items[id(container), key] = container

    def has(self, container: Any) -> bool:
        """Return whether a whole container is kept."""
        return id(container) in self._containers

    def has_item(self, container: dict[Any, Any], key: Any) -> bool:
        """Return whether what a dictionary has under a key is kept."""
        return (id(container), key) in self._items

    def add_needs(self, replacement: Any) -> None:
        """Keep all that a replacement reaches: what it closes over, and the names that it uses.

        Functions and classes of its own module are followed, so that a helper may call the original
        under a name of its own: one that got the replacement instead would call itself for ever.
        """
        self._follow(replacement, getattr(replacement, "__module__", None))

    def _follow(self, each: Any, module: Any) -> None:
        if id(each) in self._followed or id(each) in self._originals:
            return
        self._followed[id(each)] = each
        for part in list(self._reached(each)):
            own = getattr(part, "__globals__", {}).get("__name__") or _module_of(part)
            if own == module:
                self._follow(part, module)

    def shared(self, originals: dict[int, int]) -> Iterator[tuple[int, str]]:
        """Yield the number of an original and a kept name that other functions use too."""
        for (_, key), names in self._items.items():
            number = originals.get(id(names.get(key)))
            if number is None:
                continue
            for function in _functions_in(names):
                if id(function) not in self._followed and key in names_in(function.__code__):
                    yield number, f"{names.get('__name__')}.{key}, which {name_of(function)} uses"

    def _reached(self, each: Any) -> Iterator[Any]:
        if isinstance(each, FunctionType):
            cells = each.__closure__ or ()
            self.add(each.__dict__, each.__defaults__, each.__kwdefaults__, *cells)
            yield from _contents(cells)
            yield from (*(each.__defaults__ or ()), *(each.__kwdefaults__ or {}).values())
            yield from vars(each).values()
            yield from self._named(each)
        elif isinstance(each, (staticmethod, classmethod, MethodType)):
            self.add(each)
            yield each.__func__
            if isinstance(each, MethodType):
                yield each.__self__
        elif isinstance(each, partial):
            self.add(each, each.args, each.keywords)
            yield from (each.func, *each.args, *each.keywords.values())
        elif isinstance(each, property):
            yield from (each.fget, each.fset, each.fdel)
        elif isinstance(each, type):
            self.add(raw_dict(each))
            yield from (value for value in vars(each).values() if hasattr(value, "__get__"))
        elif isinstance(getattr(each, "__dict__", None), dict) and callable(each):
            self.add(each, vars(each))
            yield vars(type(each)).get("__call__")

    def _named(self, function: FunctionType) -> Iterator[Any]:
        names = function.__globals__
        for name in names_in(function.__code__):
            if name in names:
                self.add_item(names, name)
                yield names[name]


def _module_of(each: Any) -> Any:
    """Return the module of a class or of the class of an object; a method has that of its class."""
    if isinstance(each, (staticmethod, classmethod, MethodType)):
        return each.__func__.__module__
    if isinstance(each, property):
        return getattr(each.fget, "__module__", None)
    if isinstance(each, partial):
        return getattr(each.func, "__module__", None)
    return getattr(each, "__module__", None)


def names_in(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that code uses, also in functions inside of it."""
    names = set(code.co_names)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            names |= names_in(each)
    return names


def _contents(cells: tuple[Any, ...]) -> Iterator[Any]:
    for each in cells:
        try:
            yield each.cell_contents
        except ValueError:  # empty
            continue


def _functions_in(names: dict[str, Any]) -> Iterator[FunctionType]:
    """Yield the functions of a module and the methods of its classes."""
    for each in list(names.values()):
        if isinstance(each, FunctionType) and each.__globals__ is names:
            yield each
        elif isinstance(each, type) and each.__module__ == names.get("__name__"):
            for value in vars(each).values():
                function = getattr(value, "__func__", value)
                if isinstance(function, FunctionType):
                    yield function
