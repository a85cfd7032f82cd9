"""Models that look at images."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.export_models.case import (
    BATCHES,
    Case,
    Factory,
    dim,
    mask,
    ready,
    seed,
    tokens,
    torch,
    transformers,
)

LAYERS: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
PATCHES: dict[str, Any] = {**LAYERS, "image_size": 32, "patch_size": 8}
SIDES = ((48, 40), (64, 24), (32, 32))
"""The third is the size of the model's own positions."""


def pictures(kind: str, *, side: int = 32, auto: str = "AutoModel", **changes: Any) -> Case:
    """Return a model of that type, for batches of images of one size."""
    seed()
    config = transformers.AutoConfig.for_model(kind, **changes)
    model = ready(getattr(transformers, auto).from_config(config))
    inputs = [{"pixel_values": torch.randn(batch, 3, side, side)} for batch in BATCHES]
    return Case(model, inputs, {"pixel_values": {0: dim("batch")}})


def any_size(kind: str, *, auto: str = "AutoModel", step: int = 1, **changes: Any) -> Case:
    """Return a model of that type, for images of any height and width."""
    seed()
    config = transformers.AutoConfig.for_model(kind, **changes)
    model = ready(getattr(transformers, auto).from_config(config))
    inputs: list[dict[str, Any]] = [
        {"pixel_values": torch.randn(batch, 3, *sides)}
        for batch, sides in zip(BATCHES, SIDES, strict=True)
    ]
    height, width = dim("height", 2, 64), dim("width", 2, 64)
    shape = {0: dim("batch"), 2: step * height, 3: step * width}
    return Case(model, inputs, {"pixel_values": shape})


def vit_hw() -> Case:
    """Return a vit that interpolates its positions, for images of any height and width."""
    case = any_size("vit", step=8, **PATCHES)
    for inputs in case.inputs:
        inputs["interpolate_pos_encoding"] = True
    return case._replace(dynamic_shapes={**case.dynamic_shapes, "interpolate_pos_encoding": None})


def clip() -> Case:
    """Return a clip: as many texts as images, but in batches of their own."""
    seed()
    text = {**LAYERS, "vocab_size": 99, "max_position_embeddings": 32, "eos_token_id": 2}
    model = ready(
        transformers.CLIPModel(
            transformers.CLIPConfig(text_config=text, vision_config=PATCHES, projection_dim=16)
        )
    )
    inputs = [
        {
            "input_ids": tokens(texts, length),
            "attention_mask": torch.ones(texts, length, dtype=torch.long),
            "pixel_values": torch.randn(images, 3, 32, 32),
        }
        for texts, length, images in ((2, 8, 3), (1, 5, 1), (3, 13, 2))
    ]
    texts = {0: dim("texts"), 1: dim("length", 2, 32)}
    shapes = {"input_ids": texts, "attention_mask": texts, "pixel_values": {0: dim("images")}}
    return Case(model, inputs, shapes)


def blip() -> Case:
    """Return a blip that says whether a text describes an image."""
    seed()
    text = {
        **LAYERS,
        "vocab_size": 99,
        "max_position_embeddings": 32,
        "encoder_hidden_size": 32,
        "bos_token_id": 1,
        "sep_token_id": 2,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
    model = ready(
        transformers.BlipModel(
            transformers.BlipConfig(text_config=text, vision_config=PATCHES, projection_dim=16)
        )
    )
    inputs = [
        {
            "input_ids": tokens(texts, length),
            "attention_mask": mask(texts, length),
            "pixel_values": torch.randn(images, 3, 32, 32),
        }
        for texts, length, images in ((2, 8, 3), (1, 5, 1), (3, 13, 2))
    ]
    texts = {0: dim("texts"), 1: dim("length", 2, 32)}
    shapes = {"input_ids": texts, "attention_mask": texts, "pixel_values": {0: dim("images")}}
    return Case(model, inputs, shapes)


def sam_mask_decoder() -> Case:
    """Return the mask decoder of sam: its points are also all zeros, which must not matter."""
    seed()
    config = transformers.SamMaskDecoderConfig(
        hidden_size=32,
        mlp_dim=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        attention_downsample_rate=2,
        num_multimask_outputs=3,
        iou_head_depth=2,
        iou_head_hidden_dim=32,
    )
    model = ready(transformers.models.sam.modeling_sam.SamMaskDecoder(config))
    inputs = []
    for texts, points, scale in ((2, 3, 1.0), (1, 2, 1.0), (3, 4, 0.0)):
        inputs.append(
            {
                "image_embeddings": torch.randn(texts, 32, 8, 8),
                "image_positional_embeddings": torch.randn(texts, 32, 8, 8),
                "sparse_prompt_embeddings": torch.randn(texts, 1, points, 32) * scale,
                "dense_prompt_embeddings": torch.randn(texts, 32, 8, 8),
                "multimask_output": True,
            }
        )
    batch = {0: dim("batch")}
    return Case(
        model,
        inputs,
        {
            "image_embeddings": batch,
            "image_positional_embeddings": batch,
            "sparse_prompt_embeddings": {**batch, 2: dim("points", 1, 32)},
            "dense_prompt_embeddings": batch,
            "multimask_output": None,
        },
    )


SEGFORMER: dict[str, Any] = {
    "num_encoder_blocks": 2,
    "depths": [1, 1],
    "sr_ratios": [2, 1],
    "hidden_sizes": [8, 16],
    "num_attention_heads": [1, 2],
    "patch_sizes": [7, 3],
    "strides": [4, 2],
    "mlp_ratios": [2, 2],
    "decoder_hidden_size": 16,
}
CONVNEXT: dict[str, Any] = {"depths": [1, 1], "hidden_sizes": [8, 16], "num_stages": 2}
MODELS: dict[str, Factory] = {
    "clip": clip,
    "sam_mask_decoder": sam_mask_decoder,
    "siglip": partial(pictures, "siglip_vision_model", **PATCHES),
    "vit": partial(pictures, "vit", **PATCHES),
    "vit_hw": vit_hw,
    "blip": blip,
    "beit": partial(pictures, "beit", use_relative_position_bias=True, **PATCHES),
    "convnext": partial(any_size, "convnext", step=8, **CONVNEXT),
    "deit": partial(pictures, "deit", **PATCHES),
    "dinov2": partial(pictures, "dinov2", **PATCHES),
    "dinov2_hw": partial(any_size, "dinov2", step=8, **PATCHES),
    "resnet": partial(
        any_size, "resnet", step=8, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]
    ),
    "segformer": partial(
        any_size, "segformer", auto="AutoModelForSemanticSegmentation", step=8, **SEGFORMER
    ),
    "swin": partial(
        pictures,
        "swin",
        image_size=32,
        patch_size=4,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[2, 2],
        window_size=4,
    ),
    "detr": partial(
        pictures,
        "detr",
        side=64,
        auto="AutoModelForObjectDetection",
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        num_queries=5,
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config={
            "model_type": "resnet",
            "embedding_size": 8,
            "hidden_sizes": [8, 16],
            "depths": [1, 1],
            "out_features": ["stage2"],
        },
    ),
}
