"""Tiny random models, with inputs of several sizes, to see whether they export and agree.

`MODELS` has a function for each name. It returns a `Case`: a model in eval mode, the inputs (the
first ones are for tracing) and the shapes that must be dynamic. Nothing is downloaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.export_models import audio, decoders, encoders, multimodal, qwen, seq2seq, vision

if TYPE_CHECKING:
    from benchmarks.export_models.case import Factory

MODELS: dict[str, Factory] = {
    **encoders.MODELS,
    **decoders.MODELS,
    **seq2seq.MODELS,
    **vision.MODELS,
    **audio.MODELS,
    **multimodal.MODELS,
    **qwen.MODELS,
}
"""A factory for each name, in no particular order."""

DOCUMENTED: tuple[str, ...] = (
    "bart",
    "bart_cache",
    "bart_fp16",
    "bert",
    "clip",
    "deberta_v2",
    "funnel",
    "gemma2",
    "gemma3_mm",
    "gemma3_text",
    "gpt2",
    "gpt_oss",
    "idefics3",
    "llama",
    "llama_dynrope",
    "llava",
    "longformer",
    "mistral_sw",
    "mixtral",
    "paligemma",
    "phi",
    "phi3_longrope",
    "qwen2",
    "qwen2_5_vl",
    "qwen2_5_vl_vision",
    "qwen2_vl",
    "qwen2_vl_vision",
    "qwen3",
    "qwen3_moe",
    "qwen3_vl",
    "qwen3_vl_vision",
    "sam_mask_decoder",
    "siglip",
    "t5",
    "t5_fp16",
    "vit",
    "vit_hw",
    "whisper",
    "whisper_fp16",
)
"""The 39 models of the table in docs/export/patches.md; the others are there to judge it."""


def __getattr__(name: str) -> Factory:
    """Return the factory of a model: ``benchmarks.export_models:llama`` names it."""
    if name in MODELS:
        return MODELS[name]
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
