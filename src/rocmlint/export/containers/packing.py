"""The state of an object as JSON and a list of tensors, and back."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from rocmlint.export.errors import ExportError

PLAIN = (bool, int, float, str)


def pack(value: Any, tensors: list[Any]) -> Any:
    """Return a description of a value that JSON can hold; its tensors are added to the list.

    Raises ExportError if there is something in it that is neither a tensor nor plain data.
    """
    torch: Any = importlib.import_module("torch")
    if value is None or type(value) in PLAIN:
        return value
    if isinstance(value, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool)):
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if type(value) in (list, tuple):
        return {type(value).__name__: [pack(each, tensors) for each in value]}
    if isinstance(value, dict):
        return {"dict": [[pack(key, tensors), pack(each, tensors)] for key, each in value.items()]}
    if isinstance(value, (torch.dtype, torch.layout)):
        return {"torch": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, type):
        return {"class": f"{value.__module__}:{value.__qualname__}"}
    message = f"a cache holds a {type(value).__qualname__}, which an exported program cannot take"
    raise ExportError(message)


def unpack(described: Any, tensors: Any) -> Any:
    """Return the value that was described. Raises ExportError if its class does not exist."""
    if not isinstance(described, dict):
        return described
    ((kind, value),) = described.items()
    if kind == "tensor":
        return tensors[value]
    if kind == "dict":
        return {unpack(key, tensors): unpack(each, tensors) for key, each in value}
    if kind in ("list", "tuple"):
        made = [unpack(each, tensors) for each in value]
        return made if kind == "list" else tuple(made)
    torch: Any = importlib.import_module("torch")
    if kind == "torch":
        return getattr(torch, value)
    return torch.device(value) if kind == "device" else _class(value)


def _class(path: str) -> type:
    """Return a class by its path: a saved program may import transformers, and nothing else."""
    module, _, name = path.partition(":")
    if module not in sys.modules and module.partition(".")[0] == "transformers":
        importlib.import_module(module)
    found: Any = sys.modules.get(module)
    for each in name.split("."):
        found = getattr(found, each, None)
    if isinstance(found, type):
        return found
    message = f"the class {path} of a cache does not exist here"
    raise ExportError(message)
