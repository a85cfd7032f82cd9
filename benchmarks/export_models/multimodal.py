"""Models that read texts with images in them."""

from __future__ import annotations

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
from benchmarks.export_models.decoders import SMALL
from benchmarks.export_models.vision import PATCHES

IMAGE = 98
"""The token that stands for a piece of an image."""
PLACES = ((2, 5, 1), (1, 3, 1), (3, 9, 1))
"""Batch, tokens of text, images in each text."""


def text_with_images(batch: int, length: int, pieces: int) -> Any:
    """Return tokens that begin with the pieces of images."""
    images = torch.full((batch, pieces), IMAGE)
    return torch.cat([images, torch.randint(5, 90, (batch, length))], dim=1)


def llava_like(
    kind: str, pieces: int, text: dict[str, Any], vision: dict[str, Any], **changes: Any
) -> Case:
    """Return a model with one image in each text, and its tokens first."""
    seed()
    config = transformers.AutoConfig.for_model(
        kind,
        text_config=text,
        vision_config=vision,
        image_token_index=IMAGE,
        image_token_id=IMAGE,
        **changes,
    )
    model = ready(transformers.AutoModelForImageTextToText.from_config(config))
    inputs: list[dict[str, Any]] = [
        {
            "input_ids": text_with_images(batch, length, pieces),
            "attention_mask": torch.ones(batch, pieces + length, dtype=torch.long),
            "pixel_values": torch.randn(batch, 3, 32, 32),
        }
        for batch, length, _ in PLACES
    ]
    shape = {0: dim("batch"), 1: dim("length", 2, 120)}
    shapes: dict[str, Any] = {
        "input_ids": shape,
        "attention_mask": shape,
        "pixel_values": {0: shape[0]},
    }
    return Case(model, inputs, shapes)


def with_token_types(case: Case) -> Case:
    """Return the case with an input that says which tokens are images."""
    for inputs in case.inputs:
        inputs["token_type_ids"] = (inputs["input_ids"] == IMAGE).long()
    shapes = {**case.dynamic_shapes, "token_type_ids": case.dynamic_shapes["input_ids"]}
    return case._replace(dynamic_shapes=shapes)


def llava() -> Case:
    """Return a llava with a clip and a llama."""
    text = {**SMALL, "model_type": "llama"}
    vision = {**PATCHES, "model_type": "clip_vision_model", "projection_dim": 16}
    return llava_like("llava", 16, text, vision, image_seq_length=16)


def gemma3_mm() -> Case:
    """Return a gemma3 that sees: 4 tokens for each image."""
    text = {
        **SMALL,
        "model_type": "gemma3_text",
        "head_dim": 8,
        "query_pre_attn_scalar": 8,
        "sliding_window": 12,
        "layer_types": ["sliding_attention", "full_attention"],
    }
    vision = {**PATCHES, "model_type": "siglip_vision_model", "vision_use_head": False}
    return with_token_types(llava_like("gemma3", 4, text, vision, mm_tokens_per_image=4))


def paligemma() -> Case:
    """Return a paligemma with a siglip and a gemma."""
    text = {**SMALL, "model_type": "gemma", "head_dim": 8}
    vision = {**PATCHES, "model_type": "siglip_vision_model", "vision_use_head": False}
    vision["projection_dim"] = 32
    case = llava_like("paligemma", 16, text, vision, projection_dim=32)
    return with_token_types(case)


def mistral3() -> Case:
    """Return a mistral3: a pixtral that merges 2 x 2 patches, and a mistral."""
    text = {**SMALL, "model_type": "mistral", "head_dim": 8}
    vision = {**PATCHES, "model_type": "pixtral", "head_dim": 8}
    case = llava_like("mistral3", 4, text, vision, spatial_merge_size=2, vision_feature_layer=-1)
    for inputs in case.inputs:
        inputs["image_sizes"] = torch.tensor([[32, 32]] * len(inputs["pixel_values"]))
    shapes = {**case.dynamic_shapes, "image_sizes": {0: case.dynamic_shapes["input_ids"][0]}}
    return case._replace(dynamic_shapes=shapes)


def internvl() -> Case:
    """Return an internvl with its own encoder and a qwen2."""
    text = {**SMALL, "model_type": "qwen2"}
    vision = {**PATCHES, "model_type": "internvl_vision", "image_size": [32, 32]}
    vision["patch_size"] = [8, 8]
    return llava_like("internvl", 4, text, vision, image_seq_length=4, downsample_ratio=0.5)


def idefics3() -> Case:
    """Return an idefics3, with images in batches of texts."""
    seed()
    text = {**SMALL, "model_type": "llama"}
    config = transformers.Idefics3Config(
        text_config=text,
        vision_config=PATCHES,
        scale_factor=2,
        image_token_id=IMAGE,
        pad_token_id=0,
    )
    model = ready(transformers.Idefics3ForConditionalGeneration(config))
    inputs = [
        {
            "input_ids": text_with_images(batch, length, 4 * images),
            "attention_mask": torch.ones(batch, 4 * images + length, dtype=torch.long),
            "pixel_values": torch.randn(batch, images, 3, 32, 32),
            "pixel_attention_mask": torch.ones(batch, images, 32, 32, dtype=torch.bool),
        }
        for batch, length, images in ((2, 5, 2), (1, 3, 1), (3, 9, 3))
    ]
    batch, images = dim("batch"), dim("images", 1, 16)
    shape = {0: batch, 1: dim("length", 2, 120)}
    return Case(
        model,
        inputs,
        {
            "input_ids": shape,
            "attention_mask": shape,
            "pixel_values": {0: batch, 1: images},
            "pixel_attention_mask": {0: batch, 1: images},
        },
    )


MODELS: dict[str, Factory] = {
    "gemma3_mm": gemma3_mm,
    "idefics3": idefics3,
    "llava": llava,
    "paligemma": paligemma,
    "internvl": internvl,
    "mistral3": mistral3,
}
