"""Models that generate text: each continues a cache, also one longer than the sliding window."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.export_models.case import (
    Case,
    Factory,
    cache,
    cache_name,
    cache_shapes,
    dim,
    mask,
    ready,
    seed,
    tokens,
    torch,
    transformers,
)

SMALL: dict[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
WINDOW = 12
MIXED: dict[str, Any] = {
    "layer_types": ["sliding_attention", "full_attention"],
    "sliding_window": WINDOW,
}
EXPERTS: dict[str, Any] = {"num_local_experts": 4, "num_experts_per_tok": 2}
SIZES = ((2, 3, 8), (1, 1, 5), (2, 4, 10), (1, 2, 12), (3, 2, 30))
"""Batch, new tokens, tokens in the cache: the last is longer than the sliding window."""


def generator(kind: str, **changes: Any) -> Case:
    """Return a causal language model of that type, and a cache to continue."""
    seed()
    config = transformers.AutoConfig.for_model(kind, **{**SMALL, **changes})
    model = ready(transformers.AutoModelForCausalLM.from_config(config))
    inputs = [
        {
            "input_ids": tokens(batch, new),
            "attention_mask": mask(batch, past + new),
            cache_name(model): cache(config, batch, past),
        }
        for batch, new, past in SIZES
    ]
    batch, new, past = dim("batch"), dim("new"), dim("past")
    return Case(
        model,
        inputs,
        {
            "input_ids": {0: batch, 1: new},
            "attention_mask": {0: batch, 1: torch.export.Dim.DYNAMIC},
            cache_name(model): cache_shapes(config.num_hidden_layers, batch, past),
        },
    )


def rope(**parameters: Any) -> dict[str, Any]:
    """Return the scaling of rotary positions under its name in this version of transformers."""
    if hasattr(transformers.LlamaConfig(), "rope_parameters"):
        return {"rope_parameters": {"rope_theta": 10000.0, **parameters}}
    return {"rope_scaling": parameters}


def llama_dynrope() -> Case:
    """Return a llama whose rotary frequencies grow with the length of the text."""
    scaling = rope(rope_type="dynamic", factor=2.0)
    return generator("llama", **scaling, max_position_embeddings=16)


def phi3_longrope() -> Case:
    """Return a phi3 with one set of frequencies for short texts, and one for long texts."""
    factors = {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
    scaling = rope(rope_type="longrope", original_max_position_embeddings=16, **factors)
    return generator("phi3", **scaling, original_max_position_embeddings=16)


def prefill(kind: str, **changes: Any) -> Case:
    """Return a causal language model that reads a text without a cache, and returns one."""
    seed()
    config = transformers.AutoConfig.for_model(kind, **{**SMALL, **changes})
    model = ready(transformers.AutoModelForCausalLM.from_config(config))
    sizes = ((2, 7), (1, 5), (3, 17))
    inputs = [{"input_ids": tokens(*size), "attention_mask": mask(*size)} for size in sizes]
    shape = {0: dim("batch"), 1: dim("length", 5)}
    return Case(model, inputs, {"input_ids": shape, "attention_mask": shape})


MODELS: dict[str, Factory] = {
    "gemma2": partial(generator, "gemma2", head_dim=8, query_pre_attn_scalar=8, **MIXED),
    "gemma3_text": partial(generator, "gemma3_text", head_dim=8, query_pre_attn_scalar=8, **MIXED),
    "gpt2": partial(generator, "gpt2", n_embd=32, n_head=4, n_layer=2, num_key_value_heads=4),
    "gpt_oss": partial(generator, "gpt_oss", head_dim=8, **MIXED, **EXPERTS),
    "llama": partial(generator, "llama"),
    "llama_dynrope": llama_dynrope,
    "mistral_sw": partial(generator, "mistral", sliding_window=WINDOW),
    "mixtral": partial(generator, "mixtral", **EXPERTS),
    "phi": partial(generator, "phi", num_key_value_heads=4),
    "phi3_longrope": phi3_longrope,
    "qwen2": partial(generator, "qwen2"),
    "qwen3": partial(generator, "qwen3", head_dim=8),
    "qwen3_moe": partial(
        generator,
        "qwen3_moe",
        head_dim=8,
        num_experts=4,
        moe_intermediate_size=24,
        num_experts_per_tok=2,
    ),
    "bloom": partial(generator, "bloom", n_layer=2, n_head=4, num_key_value_heads=4),
    "cohere2": partial(generator, "cohere2", **MIXED),
    "deepseek_v3": partial(
        prefill,
        "deepseek_v3",
        num_key_value_heads=4,
        q_lora_rank=8,
        kv_lora_rank=8,
        qk_rope_head_dim=4,
        qk_nope_head_dim=8,
        v_head_dim=8,
        n_routed_experts=4,
        n_group=2,
        topk_group=1,
        num_experts_per_tok=2,
        moe_intermediate_size=24,
        first_k_dense_replace=1,
    ),
    "falcon": partial(generator, "falcon", multi_query=False, num_key_value_heads=4),
    "gemma3_prefill": partial(prefill, "gemma3_text", head_dim=8, query_pre_attn_scalar=8, **MIXED),
    "gpt_neox": partial(generator, "gpt_neox", num_key_value_heads=4),
    "granite": partial(generator, "granite"),
    "granitemoe": partial(generator, "granitemoe", **EXPERTS),
    "mamba2": partial(
        prefill,
        "mamba2",
        num_heads=8,
        head_dim=8,
        state_size=4,
        n_groups=1,
        expand=2,
        chunk_size=4,
        use_cache=False,
    ),
    "mistral_prefill": partial(prefill, "mistral", sliding_window=WINDOW),
    "olmo2": partial(generator, "olmo2"),
    "opt": partial(generator, "opt", ffn_dim=48, word_embed_proj_dim=32, num_key_value_heads=4),
    "phi3_sw": partial(generator, "phi3", sliding_window=WINDOW),
    "smollm3": partial(generator, "smollm3"),
    "stablelm": partial(generator, "stablelm"),
    "starcoder2": partial(generator, "starcoder2", sliding_window=WINDOW),
}
