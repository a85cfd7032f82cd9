"""What attributes hold: of tensors, of configurations, of objects of the file's classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.models.tensors import calls
from rocmlint.models.tensors.value_facts import (
    CONFIG,
    NUMPY,
    PYTHON,
    SHAPE,
    TENSOR,
    UNKNOWN,
    Held,
    Kind,
    at,
    container,
    is_container,
)

if TYPE_CHECKING:
    from rocmlint.models.tensors.definitions import Class, Definitions, Function

SELF = Held(Kind.PYTHON, of="self")
_GUESSED_ATTRIBUTES = frozenset({"last_hidden_state", "pooler_output", "logits"})
"""Attributes that are tensors, of whatever model's output."""


class Objects:
    """Knows the classes of the file, and in a method that of ``self``."""

    def __init__(self, definitions: Definitions) -> None:
        """Start outside of every function."""
        self._definitions = definitions
        self.function: Function | None = None
        """The function that is looked at."""

    @property
    def owner(self) -> Class | None:
        """The class of the method that is looked at."""
        return self.function.owner if self.function is not None else None

    def attribute(self, held: Held, name: str) -> Held:
        """Return what an attribute of something holds."""
        if held.kind is Kind.TENSOR:
            return calls.of_attribute(held, name)
        if held is SELF or held.of.startswith("object "):
            return self.own_attribute(held, name)
        if held.of == "config":
            return CONFIG
        if held.of.startswith("module "):
            return TENSOR if name in {"weight", "bias"} else UNKNOWN
        if is_container(held):
            inner = {"values": 0, "indices": 1}.get(name)
            return at(held, inner) if inner is not None else UNKNOWN
        if held.of == "numpy":
            return NUMPY
        if name in {"shape", "dtype", "device", "ndim", "training"}:
            return container(SHAPE) if name == "shape" else PYTHON
        if name in {"config", "cfg"}:
            return CONFIG
        if held.kind is Kind.UNKNOWN and name in _GUESSED_ATTRIBUTES:
            return TENSOR._replace(sure=False)
        return PYTHON if held.kind is Kind.PYTHON and not held.of else UNKNOWN

    def own_attribute(self, held: Held, name: str) -> Held:
        """Return what an attribute of an object of a class of the file holds."""
        owner = self.owner if held is SELF else self.class_of(held)
        if name in {"config", "cfg"}:
            return CONFIG
        if name == "training":
            return PYTHON
        found = self._definitions.attribute(owner, name)
        if found is not None:
            is_tensor = found.kind is Kind.TENSOR and held is SELF
            return found._replace(counted=True) if is_tensor else found
        method = self._definitions.method(owner, name)
        if method is not None and method.marks & {"property", "cached_property"}:
            return method.returned or UNKNOWN
        if held is not SELF and name in _GUESSED_ATTRIBUTES:
            return TENSOR._replace(sure=False)
        return UNKNOWN

    def class_of(self, held: Held) -> Class | None:
        """Return the class of an object of the file."""
        return self._definitions.classes.get(held.of.partition(" ")[2])
