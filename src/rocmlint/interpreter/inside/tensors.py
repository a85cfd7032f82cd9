"""The tensors in arguments and results, whatever holds them. Needs torch only when called."""

from __future__ import annotations

import dataclasses
import importlib
from contextlib import suppress
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 3
"""How many objects may hold one another: a cache has layers, which have tensors."""
_CASTS = frozenset({"to", "type", "type_as", "float", "double", "half", "bfloat16"})
"""Methods of tensors that are called to have another dtype."""
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


def address_of(tensor: Any) -> int:
    """Return what identifies the storage of a tensor, which its views share."""
    with suppress(RuntimeError, NotImplementedError):  # sparse tensors have none
        address: int = tensor.untyped_storage()._cdata  # noqa: SLF001 - as in StorageWeakRef
        return address
    return id(tensor)


def names_a_dtype(func: Any, args: Any, kwargs: Any) -> bool:
    """Return whether a function of torch is given a dtype."""
    torch = importlib.import_module("torch")
    said = any(isinstance(each, torch.dtype) for each in (*args, *(kwargs or {}).values()))
    return said or getattr(func, "__name__", "") in _CASTS
