"""Caches of transformers: taken apart, built again, and inputs of a program of any length."""

from __future__ import annotations

import copy
import io
import types
from typing import Any

import pytest

from rocmlint.export import ExportError, session
from rocmlint.export.containers.packing import pack, unpack

pytest.importorskip("transformers")
pytestmark = pytest.mark.slow

torch: Any = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def no_gradients() -> Any:
    with torch.no_grad():
        yield


def registrations(model: Any = None) -> list[Any]:
    from rocmlint.export.containers import caches, outputs  # noqa: PLC0415

    return [*caches.registrations(model), *outputs.registrations()]


def model_of(kind: str, **changes: Any) -> Any:
    from benchmarks.export_models.case import ready, seed, transformers  # noqa: PLC0415
    from benchmarks.export_models.decoders import SMALL  # noqa: PLC0415

    seed()
    config = transformers.AutoConfig.for_model(kind, **{**SMALL, **changes})
    return ready(transformers.AutoModelForCausalLM.from_config(config))


WINDOWS = {"sliding_window": 12, "layer_types": ["sliding_attention", "full_attention"]}
KINDS: dict[str, dict[str, Any]] = {
    "llama": {},
    "gemma2": {"head_dim": 8, "query_pre_attn_scalar": 8, **WINDOWS},
    "mistral": {"sliding_window": 12},
    "mamba2": {
        "num_heads": 8,
        "head_dim": 8,
        "state_size": 4,
        "n_groups": 1,
        "expand": 2,
        "chunk_size": 4,
    },
    "lfm2": {"block_ff_dim": 48, "layer_types": ["conv", "full_attention"]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_that_was_taken_apart_and_built_again_continues_the_text(kind: str) -> None:
    model = model_of(kind, **KINDS[kind])
    text, following = torch.randint(5, 99, (2, 15)), torch.randint(5, 99, (2, 1))
    outputs = model(input_ids=text, use_cache=True)
    name = "past_key_values" if "past_key_values" in outputs else "cache_params"
    with session(model, register=registrations(model)):
        pytree = torch.utils._pytree
        leaves, spec = pytree.tree_flatten(outputs[name])
        leaves = [each.clone() for each in leaves]
        saved = pytree.treespec_loads(pytree.treespec_dumps(spec))
        again = pytree.tree_unflatten(leaves, saved)
        _, same = pytree.tree_flatten(again)
    expected = model(input_ids=following, **{name: outputs[name]}, use_cache=True)
    found = model(input_ids=following, **{name: again}, use_cache=True)
    assert same == spec == saved
    assert torch.equal(found.logits, expected.logits)


def test_keys_of_a_layer_with_a_window_are_as_long_as_all_tokens_it_has_seen() -> None:
    model = model_of("mistral", sliding_window=12)
    past = model(input_ids=torch.randint(5, 99, (1, 30)), use_cache=True).past_key_values
    with session(model, register=registrations()):
        leaves = torch.utils._pytree.tree_leaves(past)
    assert past.layers[0].keys.shape[2] == 11
    assert {each.shape[2] for each in leaves} == {30}


def test_caches_with_other_windows_are_of_another_structure() -> None:
    def structure(window: int) -> Any:
        model = model_of("mistral", sliding_window=window)
        past = model(input_ids=torch.randint(5, 99, (1, 4)), use_cache=True).past_key_values
        return torch.utils._pytree.tree_structure(past)

    with session(register=registrations()):
        assert structure(12) == structure(12)
        assert structure(12) != structure(8)


@pytest.mark.parametrize("name", ["gemma2", "mistral_sw", "gpt_oss", "mistral_prefill"])
def test_a_program_with_a_window_runs_with_any_length_also_beyond_the_window(name: str) -> None:
    assert max(differences(name)) < 1e-4


@pytest.mark.parametrize("name", ["llama", "bart_cache"])
def test_a_program_with_a_cache_needs_no_patch(name: str) -> None:
    assert max(differences(name, patches=())) < 1e-4


def differences(name: str, patches: Any = None) -> list[float]:
    """Return how far the program and the model are apart, for each size of the inputs."""
    from benchmarks.export_models import MODELS  # noqa: PLC0415
    from rocmlint.export.patches import patches_for  # noqa: PLC0415

    model, inputs, shapes = MODELS[name]()
    expected = [model(**copy.deepcopy(each)) for each in inputs]
    patches = patches_for(model) if patches is None else patches
    with session(model, patches=patches, register=registrations(model)):
        program = torch.export.export(
            model, (), copy.deepcopy(inputs[0]), dynamic_shapes=shapes, strict=False
        )
        found = [program.module()(**copy.deepcopy(each)) for each in inputs]
        return [
            max(
                (one - two).abs().max().item()
                for one, two in zip(tensors_of(a), tensors_of(b), strict=True)
            )
            for a, b in zip(found, expected, strict=True)
        ]


def tensors_of(output: Any) -> list[Any]:
    """Return what a model returned; the features of its images as one, as a program has them."""
    from rocmlint.export.agreement.joined import joined_leaves  # noqa: PLC0415
    from rocmlint.export.agreement.leaves import leaves  # noqa: PLC0415

    found = joined_leaves(leaves(output))
    return [each for _, each in found if isinstance(each, torch.Tensor)]


def test_the_model_itself_is_the_same_while_its_cache_layers_are_patched() -> None:
    from rocmlint.export.patches import patches_for  # noqa: PLC0415

    model = model_of("mistral", sliding_window=12)
    text, following = torch.randint(5, 99, (2, 30)), torch.randint(5, 99, (2, 3))

    def answer() -> Any:
        past = model(input_ids=text, use_cache=True).past_key_values
        return model(input_ids=following, past_key_values=past).logits

    expected = answer()
    with session(model, patches=patches_for(model), register=registrations()):
        assert torch.equal(answer(), expected)


def test_a_program_with_a_cache_is_saved_and_loaded(caplog: pytest.LogCaptureFixture) -> None:
    # torch 2.13 formats one of its warnings wrongly, which fails where logs are captured.
    caplog.set_level("ERROR", logger="torch._export.serde.serialize")
    from benchmarks.export_models import MODELS  # noqa: PLC0415

    model, inputs, shapes = MODELS["llama"]()
    expected = model(**copy.deepcopy(inputs[1])).logits
    with session(model, register=registrations()):
        program = torch.export.export(
            model, (), copy.deepcopy(inputs[0]), dynamic_shapes=shapes, strict=False
        )
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        loaded = torch.export.load(file)
        found = loaded.module()(**copy.deepcopy(inputs[1])).logits
    assert torch.allclose(found, expected, atol=1e-5)


def test_a_static_cache_is_an_input_with_its_counters() -> None:
    from benchmarks.export_models.case import transformers  # noqa: PLC0415

    model = model_of("llama")

    def past() -> Any:
        cache = transformers.StaticCache(config=model.config, max_cache_len=16)
        model(input_ids=torch.arange(5, 12)[None], past_key_values=cache)
        return cache

    inputs = {"input_ids": torch.tensor([[7, 8]]), "past_key_values": past()}
    with session(model, register=registrations()):
        program = torch.export.export(model, (), inputs, strict=False)
        found = program.module()(input_ids=torch.tensor([[9, 6]]), past_key_values=past()).logits
    expected = model(input_ids=torch.tensor([[9, 6]]), past_key_values=past()).logits
    assert torch.allclose(found, expected, atol=1e-5)


def test_what_is_neither_a_tensor_nor_plain_data_is_named() -> None:
    with pytest.raises(ExportError, match="a cache holds a SimpleNamespace"):
        pack({"state": types.SimpleNamespace()}, [])


def test_a_packed_state_is_unpacked_with_its_kinds() -> None:
    tensors: list[Any] = []
    state = {0: torch.ones(2), "kinds": (1, [None, 2.5]), "dtype": torch.float16, "of": dict}
    again = unpack(pack(state, tensors), tensors)
    assert again[0] is state[0]
    assert again == {**state, 0: again[0]}


def test_a_saved_program_cannot_import_a_module_of_its_choice() -> None:
    with pytest.raises(ExportError, match="the class this:Zen of a cache does not exist here"):
        unpack({"class": "this:Zen"}, [])
