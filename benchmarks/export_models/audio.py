"""Models that read sound."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.export_models.case import (
    BATCHES,
    Case,
    Factory,
    dim,
    ready,
    seed,
    tokens,
    torch,
    transformers,
)


def whisper(dtype: Any = torch.float32) -> Case:
    """Return a whisper: the length of the sound is fixed by its positions."""
    seed()
    config = transformers.WhisperConfig(
        vocab_size=99,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        num_mel_bins=8,
        max_source_positions=20,
        max_target_positions=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=3,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    model = ready(transformers.WhisperForConditionalGeneration(config)).to(dtype)
    inputs = [
        {
            "input_features": torch.randn(batch, 8, 40, dtype=dtype),
            "decoder_input_ids": tokens(batch, write),
        }
        for batch, write in zip(BATCHES, (4, 3, 7), strict=True)
    ]
    batch = dim("batch")
    return Case(
        model,
        inputs,
        {
            "input_features": {0: batch},
            "decoder_input_ids": {0: batch, 1: dim("write", 2, 30)},
        },
    )


def waves(kind: str, **changes: Any) -> Case:
    """Return an encoder of raw waves, of any length."""
    seed()
    config = transformers.AutoConfig.for_model(
        kind,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        conv_dim=(16, 16),
        conv_kernel=(8, 4),
        conv_stride=(4, 2),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=4,
        **changes,
    )
    model = ready(transformers.AutoModel.from_config(config))
    inputs = [
        {"input_values": torch.randn(batch, length)}
        for batch, length in zip(BATCHES, (400, 256, 777), strict=True)
    ]
    return Case(model, inputs, {"input_values": {0: dim("batch"), 1: dim("length", 64, 100000)}})


MODELS: dict[str, Factory] = {
    "whisper": whisper,
    "whisper_fp16": partial(whisper, torch.float16),
    "hubert": partial(waves, "hubert"),
    "wav2vec2": partial(waves, "wav2vec2", do_stable_layer_norm=False),
}
