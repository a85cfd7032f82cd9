"""Positions in time, height and width of texts with images (Qwen2-VL and its successors).

``get_rope_index`` of transformers goes through each text and groups its tokens with ``itertools``.
Here the same integers come from tensors alone.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator

METHOD, KEEPER = "get_rope_index", "compute_3d_position_ids"
FAMILIES = ("Qwen2VL", "Qwen2_5_VL", "Qwen3VL", "Qwen3VLMoe")
TEXT, IMAGE, VIDEO = 0, 1, 2


def find(model: Any) -> Iterator[Patch]:
    """Yield a patch for each class of these families that computes such positions."""
    for cls in dict.fromkeys(type(each) for each in model.modules()):
        method = vars(cls).get(METHOD)
        if cls.__name__ not in {f"{each}Model" for each in FAMILIES} or method is None:
            continue
        parameters = list(inspect.signature(method).parameters)
        if parameters[1:3] == ["input_ids", "mm_token_type_ids"]:
            yield Patch(cls, METHOD, _index(method))
            if KEEPER in vars(cls):
                yield Patch(cls, KEEPER, _forgetting(vars(cls)[KEEPER]))


@replaces(
    "transformers.models.qwen2_vl.modeling_qwen2_vl.Qwen2VLModel.get_rope_index",
    "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl.Qwen2_5_VLModel.get_rope_index",
    "transformers.models.qwen3_vl.modeling_qwen3_vl.Qwen3VLModel.get_rope_index",
    "transformers.models.qwen3_vl_moe.modeling_qwen3_vl_moe.Qwen3VLMoeModel.get_rope_index",
)
def _index(original: Any) -> Any:
    def get_rope_index(  # noqa: PLR0913, PLR0917 - as in transformers
        self: Any,
        input_ids: Any,
        mm_token_type_ids: Any,
        image_grid_thw: Any = None,
        video_grid_thw: Any = None,
        attention_mask: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return the positions, and how much further than the tokens they go in each text."""
        if not is_traced(input_ids):
            given = {"image_grid_thw": image_grid_thw, "video_grid_thw": video_grid_thw, **kwargs}
            return original(
                self, input_ids, mm_token_type_ids, attention_mask=attention_mask, **given
            )
        seconds = kwargs.get("second_per_grid_ts")
        vision = self.config.vision_config
        grids = _Grids(
            vision, image_grid_thw, video_grid_thw, seconds, "Qwen3" in type(self).__name__
        )
        return _positions(input_ids, mm_token_type_ids, attention_mask, grids)

    return get_rope_index


@replaces(
    "transformers.models.qwen2_vl.modeling_qwen2_vl.Qwen2VLModel.compute_3d_position_ids",
    "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl.Qwen2_5_VLModel.compute_3d_position_ids",
    "transformers.models.qwen3_vl.modeling_qwen3_vl.Qwen3VLModel.compute_3d_position_ids",
    "transformers.models.qwen3_vl_moe.modeling_qwen3_vl_moe.Qwen3VLMoeModel.compute_3d_position_ids",
)
def _forgetting(original: Any) -> Any:
    def compute_3d_position_ids(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Leave the model's offsets as they are: those of a program are of no use to the model."""
        before = self.rope_deltas
        positions = original(self, *args, **kwargs)
        if is_traced(positions):
            self.rope_deltas = before
        return positions

    return compute_3d_position_ids


class _Grids:
    """The grids of images and of videos: tokens in time, height, width, and the step in time."""

    def __init__(self, vision: Any, images: Any, videos: Any, seconds: Any, *frames: bool) -> None:
        import torch  # noqa: PLC0415

        self.merge = vision.spatial_merge_size
        if videos is not None and all(frames):
            videos = torch.repeat_interleave(videos, videos[:, 0], dim=0)
            videos = torch.cat([torch.ones_like(videos[:, :1]), videos[:, 1:]], dim=1)
        self.of_kind = {IMAGE: images, VIDEO: videos}
        self.steps: Any = None
        if videos is not None and hasattr(vision, "tokens_per_second"):
            ones = torch.ones(videos.shape[0], device=videos.device, dtype=torch.int64)
            given = ones if seconds is None else torch.as_tensor(seconds, device=videos.device)
            self.steps = vision.tokens_per_second * given

    def at(self, kind: int, number: Any) -> tuple[Any, Any, Any]:
        """Return height and width of those numbers, in tokens, and their steps in time."""
        import torch  # noqa: PLC0415

        grid = self.of_kind[kind]
        number = number.clamp(min=0)
        height, width = grid[number, 1] // self.merge, grid[number, 2] // self.merge
        if kind == VIDEO and self.steps is not None:
            return height, width, self.steps[number]
        return height, width, torch.ones_like(height)


def _positions(input_ids: Any, kinds: Any, mask: Any, grids: _Grids) -> Any:
    import torch  # noqa: PLC0415

    shape = input_ids.shape
    valid = torch.ones_like(input_ids, dtype=torch.bool) if mask is None else mask.bool()
    order = torch.argsort((~valid).to(torch.int8), dim=1, stable=True)
    kind = torch.where(valid, kinds.to(torch.int64), -1).gather(1, order)
    before = torch.nn.functional.pad(kind[:, :-1], (1, 0), value=-2)
    starts = kind != before
    place = torch.arange(shape[1], device=input_ids.device).expand(shape)
    start = torch.where(starts, place, 0).cummax(dim=1).values
    within = place - start
    advance = (kind == TEXT).to(torch.int64)
    offsets = []
    for each in (IMAGE, VIDEO):
        if grids.of_kind[each] is None:
            continue
        first = starts & (kind == each)
        number = first.flatten().cumsum(0).view(shape) - 1
        height, width, step = grids.at(each, number)
        advance = torch.where(first, torch.maximum(height, width), advance)
        area = (height * width).clamp(min=1)
        inner, width = within % area, width.clamp(min=1)
        time = ((within // area) * step).to(torch.int64)
        offsets.append((kind == each, torch.stack([time, inner // width, inner % width])))
    base = advance.cumsum(1) - advance
    positions = base.expand(3, *shape)
    for chosen, offset in offsets:
        positions = torch.where(chosen, base.gather(1, start) + offset, positions)
    positions = torch.where(kind >= 0, positions, 0)
    longest = positions.amax(dim=(0, 2)) + 1 - valid.sum(1)
    back = torch.zeros_like(positions).scatter(2, order.expand(3, *shape), positions)
    return back.to(input_ids.dtype), longest[:, None]


BUILTIN = Builtin(
    name="rope-index",
    reason="Tokens are grouped with `itertools.groupby(tokens.tolist())`, one text after another.",
    since="5.14",
    before="6",
    links=("https://github.com/huggingface/transformers/pull/41992",),
    find=find,
)
