"""``verify dtype``: healthy models of transformers with the inputs that their processors give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.dtype.judge import results_of as judgements
from tests.support.dtype_measured import measured
from tests.support.dtype_models import HALF, ask, tiny, torch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("dtype")]
transformers: Any = pytest.importorskip("transformers")

REAL = (
    *("llama", "mistral_sw", "gemma2", "gemma3_text", "gpt_neox", "phi", "phi3_sw", "olmo2"),
    *("mixtral", "qwen3_moe", "deepseek_v3", "gpt_oss", "mamba2", "t5", "bert", "internvl"),
    *("siglip", "clip", "dinov2", "vit", "llava", "gemma3_mm", "paligemma", "idefics3"),
    *("qwen2_vl", "qwen2_5_vl", "qwen3_vl"),
)
IN_FLOAT32 = {"mixtral", "qwen3_moe", "deepseek_v3", "olmo2", "mamba2"}
"""Models of which some module returns float32 by the code of transformers."""


def judge_all(judged: Judged, results: list[Any]) -> None:
    assert len(results) == 3
    for each in results:
        judged("dtype", "holds", each.verdict)


@pytest.mark.parametrize("dtype", [HALF, torch.float16], ids=["bf16", "fp16"])
@pytest.mark.parametrize("name", REAL)
def test_a_healthy_model_is_proven(name: str, dtype: Any, judged: Judged) -> None:
    model, inputs = tiny(name, dtype)
    judge_all(judged, list(judgements(ask(lambda: (model, inputs)))))


@pytest.mark.parametrize("name", sorted(IN_FLOAT32))
def test_what_transformers_keeps_in_float32_is_listed(name: str) -> None:
    seen = measured(*tiny(name, HALF))
    odd = {module for module, new in seen.new.items() if new - {HALF}}
    answer = ask(lambda: tiny(name, HALF))
    assert {each["module"] for each in answer["forward"]["designed"]} == odd
    assert all(
        each["why"].startswith("code of transformers") for each in answer["forward"]["designed"]
    )


@pytest.mark.parametrize("dtype", [HALF, torch.float16], ids=["bf16", "fp16"])
def test_whisper_needs_features_in_its_own_dtype(dtype: Any, judged: Judged) -> None:
    model, inputs = tiny("whisper", dtype)
    assert measured(model, inputs).crash
    _, forward = judgements(ask(lambda: (model, inputs)))
    judged("dtype", "broken", forward.verdict)
    assert "the inputs of the model are float32" in forward.reason
    inputs["input_features"] = inputs["input_features"].to(dtype)
    judge_all(judged, list(judgements(ask(lambda: (model, inputs)))))


def loaded(kind: Any, config: Any, folder: Path, dtype: Any) -> Any:
    """Save a model and load it, as people do."""
    kind(config).save_pretrained(folder)
    return kind.from_pretrained(folder, torch_dtype=dtype).eval()


@pytest.mark.parametrize("dtype", [HALF, torch.float16], ids=["bf16", "fp16"])
def test_t5_keeps_its_wo_in_float32(dtype: Any, judged: Judged, tmp_path: Path) -> None:
    config = transformers.T5Config(
        vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4
    )
    config.decoder_start_token_id = 0
    model = loaded(transformers.T5ForConditionalGeneration, config, tmp_path, dtype)
    if dtype == HALF:  # transformers itself keeps it only beside float16
        for block in model.encoder.block:
            block.layer[1].DenseReluDense.wo.float()
    ids = torch.ones(1, 4, dtype=torch.long)
    inputs = {"input_ids": ids, "decoder_input_ids": ids, "attention_mask": torch.ones(1, 4)}
    assert measured(model, inputs).products[torch.float32]
    results = list(judgements(ask(lambda: (model, inputs))))
    judge_all(judged, results)
    assert "_keep_in_fp32_modules" in results[0].evidence[0].value
    assert "in float32 as their weights are" in results[2].seen


def test_a_router_that_is_kept_in_float32(judged: Judged, tmp_path: Path) -> None:
    config = transformers.MixtralConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_local_experts=4,
    )
    model = loaded(transformers.MixtralForCausalLM, config, tmp_path, HALF)
    gate = model.model.layers[0].mlp.gate.float()
    before = gate.forward
    gate.forward = lambda hidden: before(hidden.float())
    model._keep_in_fp32_modules_strict = {"gate"}
    inputs = {"input_ids": torch.ones(1, 4, dtype=torch.long)}
    assert measured(model, inputs).products[torch.float32] == 1
    results = list(judgements(ask(lambda: (model, inputs))))
    judge_all(judged, results)
    assert "_keep_in_fp32_modules_strict" in results[0].evidence[0].value


def test_what_a_processor_gives_is_passed_as_keywords(judged: Judged) -> None:
    model, inputs = tiny("siglip", HALF)
    batch = transformers.BatchFeature(inputs)
    judge_all(judged, list(judgements(ask(lambda: (model, batch)))))


def test_float32_attention_is_told_and_no_fault(judged: Judged) -> None:
    model, inputs = tiny("mistral_prefill", HALF)
    attention = model.model.layers[0].self_attn
    before = attention.forward

    def forward(*args: Any, **kwargs: Any) -> Any:
        output, weights = before(*args, **kwargs)
        wide = output.float() @ output.float().transpose(1, 2) @ output.float()
        return wide.to(output.dtype), weights

    attention.forward = forward
    assert measured(model, inputs).products[torch.float32] == 2
    results = list(judgements(ask(lambda: (model, inputs))))
    judge_all(judged, results)
    assert results[2].seen.endswith("2 in float32 without weights")


@pytest.mark.parametrize("attention", ["eager", "sdpa", "flex_attention"])
def test_each_attention_of_transformers_is_seen(attention: str, judged: Judged) -> None:
    config = transformers.LlamaConfig(
        vocab_size=64,
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = transformers.LlamaForCausalLM._from_config(
        config, dtype=HALF, attn_implementation=attention
    )
    inputs = {"input_ids": torch.ones(1, 16, dtype=torch.long)}
    judge_all(judged, list(judgements(ask(lambda: (model.eval(), inputs)))))
