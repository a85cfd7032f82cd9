"""Whether a value of JSON has the fields that a reader relies on."""

from __future__ import annotations

from typing import Any


def is_shaped(value: Any, shape: Any) -> bool:
    """Return whether a value has a shape, which is written as the value would be.

    A type, or a tuple of types, stands for its instances, ``[shape]`` for a list of such items,
    ``{str: shape}`` for an object with any names, ``{"name": shape}`` for one with these at least.
    """
    if isinstance(shape, list):
        return isinstance(value, list) and all(is_shaped(each, shape[0]) for each in value)
    if not isinstance(shape, dict):
        return isinstance(value, shape)
    if not isinstance(value, dict):
        return False
    if str in shape:
        return all(is_shaped(each, shape[str]) for each in value.values())
    return all(name in value and is_shaped(value[name], each) for name, each in shape.items())
