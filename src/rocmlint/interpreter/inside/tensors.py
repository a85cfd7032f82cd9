"""The tensors in arguments and results, whatever holds them. Needs torch only when called."""

from __future__ import annotations

import dataclasses
import importlib
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 3
"""How many objects may hold one another: a cache has layers, which have tensors."""
_NO_HOLDERS = (type, ModuleType, FunctionType, MethodType)


def name_of(dtype: Any) -> str:
    """Return the name of a dtype without ``torch.``."""
    return str(dtype).rpartition(".")[2]


def floats_in(values: Any) -> set[str]:
    """Return the floating-point dtypes of the tensors in a structure."""
    return {name_of(tensor.dtype) for tensor in tensors_in(values) if tensor.is_floating_point()}


def tensors_in(values: Any) -> Iterator[Any]:
    """Yield the tensors of a structure: pytrees, dataclasses, and the attributes of objects."""
    return _tensors_in(values, _DEEPEST, set())


def _tensors_in(values: Any, deeper: int, seen: set[int]) -> Iterator[Any]:
    torch = importlib.import_module("torch")
    for leaf in importlib.import_module("torch.utils._pytree").tree_flatten(values)[0]:
        if isinstance(leaf, torch.Tensor):
            yield leaf
        elif deeper and id(leaf) not in seen and not isinstance(leaf, torch.nn.Module):
            seen.add(id(leaf))
            held = _held(leaf)
            if held:
                yield from _tensors_in(held, deeper - 1, seen)


def _held(value: Any) -> list[Any]:
    """Return what an object holds as attributes or fields."""
    if isinstance(value, _NO_HOLDERS):
        return []
    if dataclasses.is_dataclass(value):  # one with slots has no __dict__
        return [getattr(value, each.name, None) for each in dataclasses.fields(value)]
    return list(getattr(value, "__dict__", {}).values())
