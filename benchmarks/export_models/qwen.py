"""Qwen's vision-language models: what grids of images mean is worked out before the export."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.export_models.case import (
    Case,
    Factory,
    dim,
    ready,
    seed,
    torch,
    transformers,
)
from benchmarks.export_models.decoders import SMALL, rope

START, END, IMAGE, VIDEO = 95, 96, 98, 97
GRIDS = (((1, 4, 4), (1, 4, 8)), ((1, 8, 4),), ((1, 4, 4), (1, 8, 8), (1, 4, 4)))
"""Patches of each image in time, height and width; four of them become one token."""
PATCH = 3 * 2 * 4 * 4
VISION = {
    "depth": 2,
    "hidden_size": 32,
    "num_heads": 4,
    "patch_size": 4,
    "temporal_patch_size": 2,
    "spatial_merge_size": 2,
    "intermediate_size": 48,
    "in_channels": 3,
    "in_chans": 3,
}
TOWERS: dict[str, dict[str, Any]] = {
    "qwen2_vl": {**VISION, "embed_dim": 32, "mlp_ratio": 2},
    "qwen2_5_vl": {
        **VISION,
        "out_hidden_size": 32,
        "window_size": 16,
        "fullatt_block_indexes": [1],
    },
    "qwen3_vl": {
        **VISION,
        "out_hidden_size": 32,
        "num_position_embeddings": 64,
        "deepstack_visual_indexes": [0],
    },
}


def whole(kind: str) -> Any:
    """Return a tiny model of that type."""
    seed()
    scaling = rope(rope_type="default", type="mrope", mrope_section=[2, 1, 1])
    if kind == "qwen3_vl":
        scaling = rope(rope_type="default", mrope_section=[2, 1, 1], mrope_interleaved=True)
    config = transformers.AutoConfig.for_model(
        kind,
        text_config={**SMALL, **scaling},
        vision_config=TOWERS[kind],
        image_token_id=IMAGE,
        video_token_id=VIDEO,
        vision_start_token_id=START,
        vision_end_token_id=END,
    )
    model: Any = ready(transformers.AutoModelForImageTextToText.from_config(config))
    return model


def pixels(grid: Any) -> Any:
    """Return the patches of images, one after another."""
    return torch.randn(int(grid.prod(dim=1).sum()), PATCH)


def vision(kind: str) -> Case:
    """Return the vision tower alone, for images of several sizes."""
    tower = whole(kind).model.visual
    inputs = []
    for each in GRIDS:
        grid = torch.tensor(each)
        inputs.append({"hidden_states": pixels(grid), "grid_thw": grid})
    shapes = {"hidden_states": {0: 4 * dim("tokens", 2, 1024)}, "grid_thw": {0: dim("images")}}
    return Case(tower, inputs, shapes)


def model(kind: str) -> Case:
    """Return the whole model, for one text with images."""
    built = whole(kind)
    inputs = []
    for each in GRIDS:
        grid = torch.tensor(each)
        ids: list[int] = [5]
        for image in grid.prod(dim=1).tolist():
            ids += [START, *[IMAGE] * (image // 4), END, 7, 8]
        text = torch.tensor([ids])
        inputs.append(
            {
                "input_ids": text,
                "attention_mask": torch.ones_like(text),
                "pixel_values": pixels(grid),
                "image_grid_thw": grid,
                "mm_token_type_ids": (text == IMAGE).int(),
            }
        )
    length = {1: dim("length", 4, 4096)}
    shapes = {
        "input_ids": length,
        "attention_mask": length,
        "pixel_values": {0: 4 * dim("tokens", 2, 1024)},
        "image_grid_thw": {0: dim("images")},
        "mm_token_type_ids": length,
    }
    return Case(built, inputs, shapes)


MODELS: dict[str, Factory] = {
    **{kind: partial(model, kind) for kind in TOWERS},
    **{f"{kind}_vision": partial(vision, kind) for kind in TOWERS},
}
