"""Inputs of other sizes, made of inputs of one size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.asked import groups
from rocmlint.export.agreement.cases import Case
from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.leaves import is_cache, replaced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.export.agreement.cases import Asked

_COUNTS_ON = re.compile(r"position|cache_pos")
_BEYOND = 5
"""Tokens more than a sliding window holds."""
_ODD = 4


@dataclass(frozen=True)
class Sizes:
    """The sizes of the dimensions of one case, by their names."""

    name: str
    of: Mapping[str, int]


def derived(case: Case, asked: Asked, window: int | None, longest: int | None) -> list[Case]:
    """Return cases of other sizes: batch 1, odd sizes, and a past beyond a sliding window."""
    found = groups(asked, case.named())
    if not found:
        return []
    plans = _plans(found, _sums(found, asked), window, longest)
    return [resized(case, asked, each, seed) for seed, each in enumerate(plans, 1)]


def _plans(
    found: Mapping[str, int],
    sums: Mapping[str, tuple[str, str]],
    window: int | None,
    longest: int | None,
) -> list[Sizes]:
    batch = next((name for name in found if "batch" in name), None)
    batch = batch or next((name for name in found if name.startswith("dim0")), None)
    plans = []
    if batch is not None and found[batch] != 1:
        plans.append(Sizes("batch 1", {**found, batch: 1}))
    odd = {
        name: (3 if size != 3 else 5) if name == batch else (size + _ODD) | 1
        for name, size in found.items()
    }
    plans.append(Sizes("odd sizes", odd))
    if len(plans) < 2:
        plans.append(Sizes("larger sizes", {name: size * 2 + 1 for name, size in found.items()}))
    past = next((name for name in found if "past" in name), None)
    if window is not None and past is not None:
        if longest is None or window + _BEYOND < longest:
            beyond = {**found, past: window + _BEYOND}
            plans.append(Sizes(f"past of {window + _BEYOND}, beyond the window", beyond))
    return [Sizes(each.name, _added(each.of, sums)) for each in plans]


def _sums(found: Mapping[str, int], asked: Asked) -> dict[str, tuple[str, str]]:
    """Return dimensions that are the sum of two others: a mask over the past and new tokens."""
    only_masks = {
        name
        for name in found
        if all("mask" in path for path, dims in asked.items() if name in dims.values())
    }
    names = list(found)
    return {
        total: (one, other)
        for total in only_masks
        for at, one in enumerate(names)
        for other in names[at + 1 :]
        if total not in (one, other)
        and found[one] + found[other] == found[total]
        and "past" in one + other
    }


def _added(sizes: Mapping[str, int], sums: Mapping[str, tuple[str, str]]) -> dict[str, int]:
    return {
        name: sizes[sums[name][0]] + sizes[sums[name][1]] if name in sums else size
        for name, size in sizes.items()
    }


def resized(case: Case, asked: Asked, sizes: Sizes, seed: int = 1) -> Case:
    """Return a case with other sizes: its values, in another order and repeated."""
    random = torch.Generator().manual_seed(seed)

    def change(path: str, tensor: Tensor) -> Tensor:
        for at, name in asked.get(path, {}).items():
            if name in sizes.of and tensor.shape[at] != sizes.of[name]:
                tensor = _with_size(path, tensor, at, sizes.of[name])
        return _shuffled(path, tensor, random)

    args, kwargs = case.fresh()
    args, kwargs = replaced(args, change), replaced(kwargs, change)
    for each in (*args, *kwargs.values()):
        _count_again(each)
    return Case(sizes.name, args, kwargs, was_given=False)


def _count_again(cache: Any) -> None:
    """Set the counters of a cache to what its tensors hold, and cut those of a sliding window.

    A layer of transformers with a window remembers ``sliding_window - 1`` tokens, and how many it
    has seen (DynamicSlidingWindowLayer.update of cache_utils.py).
    """
    for each in vars(cache).values() if is_cache(cache) else ():
        if is_cache(each):
            _count_again(each)
    for layer in getattr(cache, "layers", ()) if is_cache(cache) else ():
        keys, window = getattr(layer, "keys", None), getattr(layer, "sliding_window", None)
        if isinstance(keys, torch.Tensor) and hasattr(layer, "cumulative_length"):
            if isinstance(layer.cumulative_length, int):
                layer.cumulative_length = keys.shape[-2]
            if isinstance(window, int):
                layer.keys = keys[:, :, -window + 1 :]
                layer.values = layer.values[:, :, -window + 1 :]


def _with_size(path: str, tensor: Tensor, at: int, size: int) -> Tensor:
    """Return a tensor whose dimension is repeated or cut; positions go on where they ended."""
    old = tensor.shape[at]
    if old == 0:
        shape = [*tensor.shape[:at], size, *tensor.shape[at + 1 :]]
        return torch.zeros(shape, dtype=tensor.dtype)
    index = torch.arange(size) % old
    made = tensor.index_select(at, index.to(tensor.device))
    if _COUNTS_ON.search(path) and not tensor.is_floating_point() and at == tensor.dim() - 1:
        laps = (torch.arange(size) // old * old).to(tensor)
        made = made + laps
    return made


def _shuffled(path: str, tensor: Tensor, random: Any) -> Tensor:
    """Return values in another order, so that no two rows of a batch are alike."""
    is_ids = not tensor.is_floating_point() and path.endswith("input_ids")
    if "mask" in path or tensor.numel() < 2 or not (tensor.is_floating_point() or is_ids):
        return tensor
    order = torch.randperm(tensor.numel(), generator=random).to(tensor.device)
    return tensor.reshape(-1)[order].reshape(tensor.shape)
