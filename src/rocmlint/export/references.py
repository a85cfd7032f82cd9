"""One place that refers to an object, and can be made to refer to another and back again.

Values are read and written raw, below ``__getattr__``, ``__setattr__`` and descriptors: a
``staticmethod`` stays one, and a metaclass or a lazy module does not notice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.export.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import partial
    from types import CellType, FunctionType

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "nothing"})()
"""What a place refers to that has no value of its own, such as an inherited method."""


@dataclass(frozen=True, eq=False)
class Reference:
    """A place; ``where`` describes it, ``read`` may return MISSING, and ``write`` take it."""

    where: str
    read: Callable[[], Any]
    write: Callable[[Any], None]


def attribute(owner: Any, name: str, where: str) -> Reference:
    """Return the place of an attribute in the owner itself, not in its class or bases."""
    if isinstance(owner, type):
        return _of_class(owner, name, where)
    if hasattr(owner, "__dict__"):
        return item(owner.__dict__, name, where)
    return slot(owner, name, where)


def item(owner: dict[Any, Any], key: Any, where: str) -> Reference:
    """Return the place of a value in a dictionary; a subclass of dict does not notice."""

    def write(value: Any) -> None:
        if value is MISSING:
            dict.pop(owner, key, None)
        else:
            dict.__setitem__(owner, key, value)

    return Reference(where, lambda: dict.get(owner, key, MISSING), write)


class _Element:
    """An element of a list, found by identity each time: the list may change meanwhile."""

    __slots__ = ("owner", "value")

    def __init__(self, owner: list[Any], value: Any) -> None:
        self.owner = owner
        self.value = value

    def index(self) -> int:
        return next((i for i, each in enumerate(self.owner) if each is self.value), -1)

    def read(self) -> Any:
        return self.value if self.index() >= 0 else MISSING

    def write(self, new: Any) -> None:
        if (index := self.index()) >= 0:
            self.owner[index] = new
            self.value = new


def element(owner: list[Any], value: Any, where: str) -> Reference:
    """Return the place of a value in a list."""
    place = _Element(owner, value)
    return Reference(where, place.read, place.write)


def cell(owner: CellType, where: str) -> Reference:
    """Return the place of a variable that a function closes over."""

    def read() -> Any:
        try:
            return owner.cell_contents
        except ValueError:  # empty
            return MISSING

    def write(value: Any) -> None:
        owner.cell_contents = value

    return Reference(where, read, write)


def default(owner: FunctionType, index: int, where: str) -> Reference:
    """Return the place of the default value of a positional parameter."""

    def read() -> Any:
        values = owner.__defaults__ or ()
        return values[index] if index < len(values) else MISSING

    def write(value: Any) -> None:
        values = list(owner.__defaults__ or ())
        values[index] = value
        owner.__defaults__ = tuple(values)

    return Reference(where, read, write)


def partial_function(owner: partial[Any], where: str) -> Reference:
    """Return the place of the function of a ``functools.partial``, which is set in its state."""

    def write(value: Any) -> None:
        state: Any = owner.__reduce__()[2]
        owner.__setstate__((value, *state[1:]))  # type: ignore[attr-defined]

    return Reference(where, lambda: owner.func, write)


def _of_class(owner: type, name: str, where: str) -> Reference:
    def write(value: Any) -> None:
        try:
            if value is MISSING:
                if name in vars(owner):
                    type.__delattr__(owner, name)
            else:
                type.__setattr__(owner, name, value)
        except (TypeError, AttributeError) as error:
            raise ExportError(f"{where} cannot be patched: {error}") from None
        if vars(owner).get(name, MISSING) is not value:
            message = f"{where} cannot be patched: its metaclass has an attribute of that name"
            raise ExportError(message)

    return Reference(where, lambda: vars(owner).get(name, MISSING), write)


def slot(owner: Any, name: str, where: str) -> Reference:
    """Return the place of an attribute in ``__slots__``."""

    def read() -> Any:
        kind = getattr(type(owner), name, None)
        try:
            return object.__getattribute__(owner, name) if hasattr(kind, "__set__") else MISSING
        except AttributeError:
            return MISSING

    def write(value: Any) -> None:
        try:
            if value is MISSING:
                object.__delattr__(owner, name)
            else:
                object.__setattr__(owner, name, value)
        except (TypeError, AttributeError) as error:
            raise ExportError(f"{where} cannot be patched: {error}") from None

    return Reference(where, read, write)
