"""``rocmlint verify export`` on models of transformers: of a configuration, and of a factory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("export")]

SMALL = {
    "vocab_size": 99,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
MISTRAL = {
    **SMALL,
    "architectures": ["MistralForCausalLM"],
    "model_type": "mistral",
    "sliding_window": 12,
}
BERT = {**SMALL, "architectures": ["BertModel"], "model_type": "bert"}
VIT = {
    "architectures": ["ViTModel"],
    "model_type": "vit",
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}

REGISTERED = """\
import inspect
import torch
from transformers import DynamicCache, MistralConfig, MistralForCausalLM
from transformers.integrations.executorch import register_dynamic_cache_export_support

def model():
    register_dynamic_cache_export_support()
    torch.manual_seed(0)
    config = MistralConfig(
        vocab_size=99, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, sliding_window=12,
    )
    past = DynamicCache(config=config)
    for layer in range(2):
        past.update(torch.randn(2, 2, 6, 8), torch.randn(2, 2, 6, 8), layer)
    model = MistralForCausalLM(config).eval()
    has_new_name = "cache" in inspect.signature(model.forward).parameters  # transformers 5.24
    inputs = {
        "input_ids": torch.randint(0, 99, (2, 3)),
        "attention_mask": torch.ones(2, 9, dtype=torch.long),
        "cache" if has_new_name else "past_key_values": past,
    }
    return model, inputs
"""


def exports(project: Project, *arguments: str) -> list[dict[str, Any]]:
    """Return the results about agreement, or about the export where there is none."""
    run = project.run("verify", "export", *arguments, "--output-format", "json")
    assert run.returncode in {0, 1, 3}, run.stderr
    results: list[dict[str, Any]] = json.loads(run.stdout)["results"]
    return results


def agreement(results: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (each["subject"].partition("(")[2].split(", ")[1], each["seen"].partition(":")[0])
        for each in results
        if each["claim"] == "the program agrees with the model"
    ]


def test_a_decoder_with_a_sliding_window_is_exported_for_its_prompt_and_for_its_cache(
    project: Project,
) -> None:
    project.write("tiny/config.json", json.dumps(MISTRAL))
    results = exports(project, "--config", "tiny")
    assert agreement(results) == [("prefill", "PASS"), ("decode", "PASS")]
    cases = [each["name"] for result in results for each in result["evidence"]]
    assert any(each.startswith("past beyond the window") for each in cases)


@pytest.mark.parametrize("config", [BERT, VIT], ids=["bert", "vit"])
def test_an_encoder_is_exported(project: Project, config: dict[str, Any]) -> None:
    project.write("tiny/config.json", json.dumps(config))
    results = exports(project, "--config", "tiny")
    assert {each["verdict"] for each in results} == {"proven"}


def test_a_registration_that_counts_in_python_is_partial_with_its_guard(project: Project) -> None:
    project.write("registered.py", REGISTERED)
    (found,) = (
        each
        for each in exports(project, "registered:model", "--plain")
        if each["claim"] == "the program agrees with the model"
    )
    assert found["seen"] == "PARTIAL"
    assert "the structure of the inputs is fixed" in found["reason"] or "Guard" in found["reason"]


def test_a_cache_that_nobody_registered_fails_with_the_rule(project: Project) -> None:
    project.write("tiny/config.json", json.dumps(MISTRAL))
    results = exports(project, "--config", "tiny", "--plain")
    assert {each["seen"].partition(":")[0] for each in results} == {"FAIL"}
    assert any("ROC806" in each["reason"] for each in results)
