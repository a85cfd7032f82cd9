"""Which dimensions are to be dynamic: as the factory says, else by the names of the inputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.leaves import is_cache, parts, tensors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.export.agreement.cases import Asked, Case

_TEXT = re.compile(
    r"(^|\.)(decoder_)?(input_ids|attention_mask|position_ids|token_type_ids|inputs_embeds"
    r"|global_attention_mask|labels)$"
)
"""Inputs of transformers whose second dimension counts tokens."""
_PAST = re.compile(r"(keys|values|key_cache\[\d+\]|value_cache\[\d+\])$")


def of_shapes(shapes: Any, case: Case) -> Asked:
    """Return the dimensions that a ``dynamic_shapes`` of torch.export asks to be dynamic."""
    return {
        path: dims
        for name, value, spec in _inputs_beside(shapes, case)
        for path, tensor, each in _beside(value, spec, name)
        if (dims := _dims(each, tensor))
    }


def _inputs_beside(shapes: Any, case: Case) -> Iterator[tuple[str, Any, Any]]:
    """Yield each input with its part of ``dynamic_shapes``.

    A dictionary has the names of the forward, positional inputs first, in their order.
    """
    by_order = list(shapes.values()) if isinstance(shapes, dict) else list(shapes or ())
    by_name = shapes if isinstance(shapes, dict) else {}
    inputs = [(f"[{at}]", each) for at, each in enumerate(case.args)]
    for at, (name, value) in enumerate([*inputs, *case.kwargs.items()]):
        is_named = at >= len(inputs) and bool(by_name)
        spec = by_order[at] if at < len(by_order) else None
        yield name, value, by_name.get(name) if is_named else spec


def _beside(value: Any, spec: Any, path: str) -> Iterator[tuple[str, Tensor, Any]]:
    """Yield each tensor with its part of ``dynamic_shapes``."""
    if spec is None:
        return
    if isinstance(value, torch.Tensor):
        yield path, value, spec
    elif is_cache(value):
        # How a cache is flattened is up to its registration; all of them list its tensors.
        dims = list(_tensor_specs(spec))
        held = tensors(value)
        for number, (name, tensor) in enumerate(held.items()):
            if dims:
                yield f"{path}.{name}", tensor, dims[min(number, len(dims) - 1)]
    else:
        for name, each in parts(value):
            yield from _beside(each, _part(spec, name), path + name if path else name.lstrip("."))


def _part(spec: Any, name: str) -> Any:
    key: Any = name.lstrip(".")
    if isinstance(spec, dict):
        return spec.get(key)
    if isinstance(spec, (list, tuple)) and name.startswith("["):
        at = int(key.strip("[]"))
        return spec[at] if at < len(spec) else None
    return None


def _tensor_specs(spec: Any) -> Iterator[Any]:
    if isinstance(spec, dict) and all(isinstance(key, int) for key in spec):
        yield spec
    elif isinstance(spec, dict):
        for each in spec.values():
            yield from _tensor_specs(each)
    elif isinstance(spec, (list, tuple)):
        for each in spec:
            yield from _tensor_specs(each)


def _dims(spec: Any, tensor: Tensor) -> dict[int, str]:
    pairs = spec.items() if isinstance(spec, dict) else enumerate(spec)
    return {
        at % tensor.dim(): name
        for at, each in pairs
        if isinstance(at, int) and tensor.dim() and (name := _name(each, at, tensor))
    }


def _name(dim: Any, at: int, tensor: Tensor) -> str:
    """Return what a dimension is called; nothing for one that is static."""
    if dim is None or isinstance(dim, int) or "STATIC" in str(dim):
        return ""
    if isinstance(dim, str):
        return dim
    name = getattr(dim, "__name__", "")
    return str(name) if name and "DimHint" not in name else f"dim{at}={tensor.shape[at]}"


def guessed(case: Case) -> Asked:
    """Return the dimensions that inputs usually have: the batch, tokens, and those of a past.

    Only inputs whose names tell; of others, only what all of them share as their first dimension.
    """
    named = case.named()
    firsts = [each.shape[0] for each in named.values() if each.dim()]
    batch = max(set(firsts), key=firsts.count) if firsts else None
    asked: Asked = {}
    for path, each in named.items():
        dims = {0: "batch"} if each.dim() and each.shape[0] == batch else {}
        if _TEXT.search(path) and each.dim() >= 2 and each.dim() != 4:
            dims[1] = f"tokens={each.shape[1]}"
        elif _PAST.search(path) and each.dim() == 4:
            dims[2] = "past"
        if dims:
            asked[path] = dims
    return asked


def varying(cases: Sequence[Case]) -> Asked:
    """Return the dimensions that differ between inputs of several sizes."""
    first = cases[0].named()
    others = [each.named() for each in cases[1:]]
    asked: Asked = {}
    for path, tensor in first.items():
        shapes = [each[path].shape for each in others if path in each]
        for at, size in enumerate(tensor.shape):
            if any(len(each) == tensor.dim() and each[at] != size for each in shapes):
                asked.setdefault(path, {})[at] = f"dim{at}={size}"
    return asked


def groups(asked: Asked, named: Mapping[str, Tensor]) -> dict[str, int]:
    """Return the names of dimensions and their sizes, where a name has one size."""
    sizes: dict[str, set[int]] = {}
    for path, dims in asked.items():
        for at, name in dims.items():
            if path in named and at < named[path].dim():
                sizes.setdefault(name, set()).add(named[path].shape[at])
    return {name: next(iter(each)) for name, each in sizes.items() if len(each) == 1}
