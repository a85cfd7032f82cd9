"""Models that read text and answer at once."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.export_models.case import (
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

SMALL: dict[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
}
SIZES = ((2, 8), (1, 5), (3, 13))


def encoder(kind: str, **changes: Any) -> Case:
    """Return a masked language model of that type, with padded texts."""
    seed()
    config = transformers.AutoConfig.for_model(kind, **{**SMALL, **changes})
    model = ready(transformers.AutoModel.from_config(config))
    inputs = [{"input_ids": tokens(*size), "attention_mask": mask(*size)} for size in SIZES]
    shape = {0: dim("batch"), 1: dim("length", 2, 48)}
    return Case(model, inputs, {"input_ids": shape, "attention_mask": shape})


def funnel() -> Case:
    """Return a funnel transformer, which halves the text after each block."""
    seed()
    config = transformers.FunnelConfig(
        vocab_size=99,
        d_model=32,
        n_head=4,
        d_head=8,
        d_inner=48,
        block_sizes=[1, 1],
        num_decoder_layers=1,
    )
    model = ready(transformers.FunnelModel(config))
    inputs = [{"input_ids": tokens(*size), "attention_mask": mask(*size)} for size in SIZES]
    shape = {0: dim("batch"), 1: dim("length", 5, 48)}
    return Case(model, inputs, {"input_ids": shape, "attention_mask": shape})


def longformer() -> Case:
    """Return a longformer: its window is 4, and one token sees the whole text."""
    seed()
    model = ready(
        transformers.LongformerModel(transformers.LongformerConfig(**SMALL, attention_window=4))
    )
    inputs = []
    for batch, length in ((2, 16), (1, 7), (3, 26)):
        wide = torch.zeros(batch, length, dtype=torch.long)
        wide[:, 0] = 1
        inputs.append(
            {
                "input_ids": tokens(batch, length),
                "attention_mask": torch.ones(batch, length, dtype=torch.long),
                "global_attention_mask": wide,
            }
        )
    shape = {0: dim("batch"), 1: dim("length", 2, 48)}
    return Case(model, inputs, dict.fromkeys(inputs[0], shape))


MODELS: dict[str, Factory] = {
    "bert": partial(encoder, "bert"),
    "deberta_v2": partial(
        encoder, "deberta-v2", relative_attention=True, pos_att_type=["p2c", "c2p"]
    ),
    "funnel": funnel,
    "longformer": longformer,
    "albert": partial(encoder, "albert", embedding_size=16),
    "distilbert": partial(encoder, "distilbert", dim=32, n_heads=4, n_layers=2, hidden_dim=48),
    "electra": partial(encoder, "electra", embedding_size=16),
    "modernbert": partial(encoder, "modernbert", local_attention=8),
    "mpnet": partial(encoder, "mpnet"),
    "roberta": partial(encoder, "roberta"),
    "xlm_roberta": partial(encoder, "xlm-roberta"),
}
