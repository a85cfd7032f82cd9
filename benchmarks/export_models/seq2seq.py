"""Models that read one text and write another."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.export_models.case import (
    BATCHES,
    Case,
    Factory,
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
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
T5: dict[str, Any] = {
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 2,
    "num_decoder_layers": 2,
    "num_heads": 4,
}
LENGTHS = ((8, 4), (5, 3), (13, 7))
"""Tokens to read, and tokens to write."""


def translator(kind: str, dtype: Any = torch.float32, **changes: Any) -> Case:
    """Return a sequence-to-sequence model of that type, which reads and writes at once."""
    seed()
    config = transformers.AutoConfig.for_model(kind, **{**SMALL, **changes})
    model = ready(transformers.AutoModelForSeq2SeqLM.from_config(config)).to(dtype)
    inputs = [
        {
            "input_ids": tokens(batch, read),
            "attention_mask": mask(batch, read),
            "decoder_input_ids": tokens(batch, write),
        }
        for batch, (read, write) in zip(BATCHES, LENGTHS, strict=True)
    ]
    batch, read = dim("batch"), dim("read", 2, 48)
    text = {0: batch, 1: read}
    return Case(
        model,
        inputs,
        {
            "input_ids": text,
            "attention_mask": text,
            "decoder_input_ids": {0: batch, 1: dim("write", 2, 48)},
        },
    )


def bart_cache() -> Case:
    """Return a bart that continues a text: both of its caches are inputs."""
    seed()
    model = ready(transformers.BartForConditionalGeneration(transformers.BartConfig(**SMALL)))

    def filled(batch: int, length: int) -> Any:
        past = transformers.DynamicCache()
        for layer in range(2):
            past.update(torch.randn(batch, 4, length, 8), torch.randn(batch, 4, length, 8), layer)
        return past

    inputs = [
        {
            "decoder_input_ids": tokens(batch, new),
            "attention_mask": mask(batch, read),
            "encoder_outputs": transformers.modeling_outputs.BaseModelOutput(
                last_hidden_state=torch.randn(batch, read, 32)
            ),
            cache_name(model): transformers.EncoderDecoderCache(
                filled(batch, past), filled(batch, read)
            ),
        }
        for batch, new, past, read in ((2, 3, 6, 8), (1, 1, 4, 5), (3, 2, 11, 13))
    ]
    batch, read = dim("batch"), dim("read")
    return Case(
        model,
        inputs,
        {
            "decoder_input_ids": {0: batch, 1: dim("new", 1, 16)},
            "attention_mask": {0: batch, 1: read},
            "encoder_outputs": [{0: batch, 1: read}],
            cache_name(model): [
                cache_shapes(2, batch, dim("past", 1, 32)),
                cache_shapes(2, batch, read),
            ],
        },
    )


MODELS: dict[str, Factory] = {
    "bart": partial(translator, "bart"),
    "bart_cache": bart_cache,
    "bart_fp16": partial(translator, "bart", torch.float16),
    "t5": partial(translator, "t5", **T5),
    "t5_fp16": partial(translator, "t5", torch.float16, **T5),
    "blenderbot": partial(translator, "blenderbot"),
    "m2m_100": partial(translator, "m2m_100"),
    "marian": partial(translator, "marian", decoder_vocab_size=99),
    "mbart": partial(translator, "mbart"),
    "mt5": partial(translator, "mt5", **T5),
    "pegasus": partial(translator, "pegasus"),
}
