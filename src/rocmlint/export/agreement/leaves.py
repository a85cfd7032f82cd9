"""The tensors and numbers in a nested value, each with its path, in the order of the structure.

The reference runs without any registration, where pytree sees a cache or a dataclass as one leaf;
so both sides are taken apart here, in the same way.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DEEPEST = 24
_COUNTS = re.compile(r"length|seen|offset|count")
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each tensor and each plain value with its path, such as ``past.layers[0].keys``."""
    yield from _leaves(value, path, ())


def _leaves(value: object, path: str, above: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (torch.Tensor, *_PLAIN)):
        yield path, value
    elif id(value) not in above and len(above) < _DEEPEST:
        for name, each in parts(value):
            yield from _leaves(each, path + name if path else name.lstrip("."), (*above, id(value)))


def parts(value: object) -> Iterator[tuple[str, Any]]:
    """Yield what a container holds, with the path from it; nothing for what holds no tensors."""
    if isinstance(value, dict):
        yield from ((_key(key), value[key]) for key in _keys(value))
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{number}]", each) for number, each in enumerate(value))
    elif is_cache(value):
        yield from _parts_of_cache(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for each in dataclasses.fields(value):
            yield f".{each.name}", getattr(value, each.name, None)
    elif not isinstance(value, (type, torch.nn.Module)) and not callable(value):
        for name, each in _attributes(value).items():
            yield f".{name}", each


def _keys(value: dict[Any, Any]) -> list[Any]:
    """Return the keys of a dictionary in their order, those of an output in that of its fields.

    An output of transformers is read by its names; a field that the model sets later is at the end
    of one that the model returned, and at its own place in one that a program returned.
    """
    keys = list(value)
    if not dataclasses.is_dataclass(value):
        return keys
    places = {each.name: place for place, each in enumerate(dataclasses.fields(value))}
    return sorted(keys, key=lambda key: places.get(key, len(places)))


def _key(key: object) -> str:
    return f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"


def _attributes(value: object) -> dict[str, Any]:
    try:
        return {name: each for name, each in vars(value).items() if not name.startswith("__")}
    except TypeError:
        return {}


def is_cache(value: object) -> bool:
    """Return whether a value is a cache of transformers or a layer of one, of any version."""
    names = [each.__name__ for each in type(value).__mro__]
    return any(each == "Cache" or each.endswith("CacheLayerMixin") for each in names)


def _parts_of_cache(cache: object) -> Iterator[tuple[str, Any]]:
    """Yield what a cache remembers, by name: tensors and counters.

    Its other attributes (dtype, device, flags of the first call, tensors made of constants) are set
    when it is filled, in any order, and say nothing that these don't.
    """
    for name, each in sorted(_attributes(cache).items()):
        counts = isinstance(each, int) and not isinstance(each, bool) and _COUNTS.search(name)
        is_own = isinstance(each, torch.Tensor) and not name.startswith("_")
        if counts or is_own or is_cache(each) or _holds(each):
            yield f".{name}", each


def _holds(value: object) -> bool:
    if not isinstance(value, (dict, list, tuple)):
        return False
    values = value.values() if isinstance(value, dict) else value
    return any(isinstance(each, torch.Tensor) or is_cache(each) for each in values)


def structure(value: object, above: tuple[int, ...] = ()) -> str:
    """Return what a value is made of: its containers, their keys in order, and kinds of leaves."""
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, _PLAIN):
        return type(value).__name__
    if id(value) in above or len(above) >= _DEEPEST:
        return "..."
    inner = (
        f"{name.lstrip('.')}: {structure(each, (*above, id(value)))}"
        for name, each in parts(value)
        if not (each is None and hasattr(value, "to_tuple"))
    )
    return f"{type(value).__name__}({', '.join(inner)})"


def tensors(value: object) -> dict[str, Tensor]:
    """Return the tensors in a value by their paths."""
    return {path: each for path, each in leaves(value) if isinstance(each, torch.Tensor)}


def replaced(value: Any, change: Callable[[str, Tensor], Tensor]) -> Any:
    """Change each tensor of a value, which is one's own copy, and return it."""
    return _replaced(value, "", change)


def _replaced(value: Any, path: str, change: Callable[[str, Tensor], Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(path, value)
    if isinstance(value, _PLAIN):
        return value
    changed = {
        name: _replaced(each, path + name if path else name.lstrip("."), change)
        for name, each in parts(value)
    }
    if isinstance(value, dict):
        for key, each in zip(_keys(value), changed.values(), strict=True):
            value[key] = each
    elif isinstance(value, list):
        value[:] = changed.values()
    elif isinstance(value, tuple):
        made = changed.values()
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    else:
        for name, each in changed.items():
            setattr(value, name.lstrip("."), each)
    return value


def digest(named: Iterator[tuple[str, Any]] | list[tuple[str, Any]]) -> str:
    """Return a hash of names, dtypes, shapes and values."""
    found = hashlib.sha256()
    for path, each in named:
        found.update(path.encode())
        if isinstance(each, torch.Tensor):
            found.update(f"{each.dtype} {tuple(each.shape)}".encode())
            found.update(_data(each))
        else:
            found.update(repr(each).encode())
    return found.hexdigest()


def _data(tensor: Tensor) -> bytes:
    if tensor.is_meta or tensor.layout is not torch.strided:
        return b""
    flat = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
    # A view of bytes, since NumPy has no bfloat16; through a list where NumPy is missing.
    as_bytes = flat.view(torch.uint8) if flat.numel() else flat.new_empty(0, dtype=torch.uint8)
    try:
        return bytes(as_bytes.numpy().tobytes())
    except RuntimeError:
        return bytes(as_bytes.tolist())
