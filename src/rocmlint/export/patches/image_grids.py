"""Positions and windows of image patches, computed from the grids of images without loops.

The functions of transformers go through the images one by one. Those here return the same integers
for any number of images, from tensors alone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces
from rocmlint.export.patches.edit import edited

if TYPE_CHECKING:
    from collections.abc import Iterator

POSITIONS, WINDOWS = "get_vision_position_ids", "get_vision_window_index"
TAPS = "get_vision_interpolation_indices_and_weights"
FIRST_PATCHES = (r"F\.pad\(counts\.cumsum\(0\)\[:-1\], \(1, 0\)\)", "counts.cumsum(0) - counts")
"""Both say at which patch each image begins; the first asks whether there are two images."""
ONE_SEGMENT = (r"torch\.split\(tensor, lengths\.tolist\(\), dim=2\)", "[tensor]")
WITH_MASK = (
    r"attention_mask=None,(\s+scaling=self\.scaling,\s+dropout=[^\n]*\s+is_causal=False)",
    r"attention_mask=segments(cu_seqlens, query_states),\1",
)


def find(model: Any) -> Iterator[Patch]:
    """Yield patches for what the model uses: positions, windows and attention in segments."""
    utils: Any = sys.modules.get("transformers.vision_utils")
    classes = dict.fromkeys(type(each) for each in model.modules())
    used = {name for each in classes for name in vars(sys.modules.get(each.__module__, each))}
    for name, made in ((POSITIONS, positions), (WINDOWS, windows)):
        if utils is not None and name in used and hasattr(utils, name):
            yield Patch(utils, name, made(getattr(utils, name)))
    taps = _taps(getattr(utils, TAPS, None))
    if taps is not None and TAPS in used:
        yield Patch(utils, TAPS, taps)
    for cls in classes:
        if "forward" in vars(cls) and "Attention" in cls.__name__:
            forward = _attention(cls.forward)
            if forward is not None:
                yield Patch(cls, "forward", forward)


@replaces("transformers.vision_utils.get_vision_interpolation_indices_and_weights")
def _taps(original: Any) -> Any:
    return edited(original, FIRST_PATCHES)


@replaces(
    "transformers.models.qwen2_vl.modeling_qwen2_vl.VisionAttention.forward",
    "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl.Qwen2_5_VLVisionAttention.forward",
)
def _attention(original: Any) -> Any:
    return edited(original, ONE_SEGMENT, WITH_MASK, segments=segments)


def segments(cu_seqlens: Any, states: Any) -> Any:
    """Return the mask with which each token sees those of its own segment, as one attention."""
    import torch  # noqa: PLC0415

    length = states.shape[2]
    ends = cu_seqlens[1:].to(torch.int64)
    owner = torch.bucketize(torch.arange(length, device=states.device), ends, right=True)
    apart = owner[:, None] != owner[None, :]
    mask = torch.zeros(apart.shape, dtype=states.dtype, device=states.device)
    return mask.masked_fill(apart, float("-inf"))[None, None]


def _owners(counts: Any) -> tuple[Any, Any]:
    """Return which image each token belongs to, and its number in that image."""
    import torch  # noqa: PLC0415

    images = torch.arange(counts.shape[0], device=counts.device)
    owner = torch.repeat_interleave(images, counts)
    first = counts.cumsum(0) - counts
    return owner, torch.arange(owner.shape[0], device=counts.device) - first[owner]


@replaces("transformers.vision_utils.get_vision_position_ids")
def positions(original: Any) -> Any:
    """Return a function that needs no loop; ``original`` is called unless a program is traced."""

    def get_vision_position_ids(
        grid_thw: Any, spatial_merge_size: Any, include_temporal: bool = False, kwargs: Any = None
    ) -> Any:
        """Return the row and the column of each patch, in blocks that are merged later."""
        import torch  # noqa: PLC0415

        if not is_traced(grid_thw) or (kwargs or {}).get("position_ids") is not None:
            return original(grid_thw, spatial_merge_size, include_temporal, kwargs=kwargs)
        times, heights, widths = grid_thw.to(torch.int64).unbind(1)
        owner, within = _owners(times * heights * widths)
        merge = spatial_merge_size
        if isinstance(merge, torch.Tensor):
            merge = merge.expand(len(grid_thw))[owner]
        time, within = _divided(within, (heights * widths)[owner])
        block, inner = _divided(within, merge * merge)
        block_row, block_column = _divided(block, widths[owner] // merge)
        row, column = _divided(inner, merge)
        places = [block_row * merge + row, block_column * merge + column]
        return torch.stack([time, *places] if include_temporal else places, dim=-1)

    return get_vision_position_ids


@replaces("transformers.vision_utils.get_vision_window_index")
def windows(original: Any) -> Any:
    """Return a function that needs no loop; ``original`` is called unless a program is traced."""

    def get_vision_window_index(
        grid_thw: Any,
        spatial_merge_size: int,
        window_size: int,
        patch_size: int,
        kwargs: Any = None,
    ) -> Any:
        """Return the order of merged tokens window by window, and where each window ends."""
        import torch  # noqa: PLC0415

        given = kwargs or {}
        known = given.get("window_index"), given.get("cu_window_seqlens")
        if not is_traced(grid_thw) or None not in known:
            return original(grid_thw, spatial_merge_size, window_size, patch_size, kwargs=kwargs)
        size = window_size // spatial_merge_size // patch_size
        times, heights, widths = grid_thw.to(torch.int64).unbind(1)
        heights, widths = heights // spatial_merge_size, widths // spatial_merge_size
        down, across = heights // size + 1, widths // size + 1
        owner, within = _owners(times * heights * widths)
        time, within = _divided(within, (heights * widths)[owner])
        row, column = _divided(within, widths[owner])
        frames = times * down * across
        window = (frames.cumsum(0) - frames)[owner]
        window = window + (time * down[owner] + row // size) * across[owner] + column // size
        place = (window * size + row % size) * size + column % size
        order = torch.argsort(place)
        _, counts = torch.unique_consecutive(window[order], return_counts=True)
        ends = (counts * spatial_merge_size**2).cumsum(0)
        return order, torch.nn.functional.pad(ends, (1, 0)).to(torch.int32)

    return get_vision_window_index


def _divided(value: Any, by: Any) -> tuple[Any, Any]:
    return value // by, value % by


BUILTIN = Builtin(
    name="image-grids",
    reason="Positions, windows and attention go through images one by one, with `tolist()`.",
    since="5.14",
    before="6",
    links=("https://github.com/huggingface/transformers/pull/41992",),
    find=find,
)
