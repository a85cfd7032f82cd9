"""Sessions around real classes of transformers: what is patched, proven and put back."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import ExportError, session

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
modeling: Any = pytest.importorskip("transformers.models.llama.modeling_llama")

pytestmark = pytest.mark.slow

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 64,
}


@pytest.fixture(scope="module")
def llama() -> Any:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(**SMALL, use_cache=False)
    return transformers.LlamaForCausalLM(config).eval()


def exported(model: Any) -> Any:
    both = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    ids = torch.randint(0, 64, (2, 5))
    return torch.export.export(model, (), {"input_ids": ids}, dynamic_shapes={"input_ids": both})


class PatchedMLP:
    _PATCHED_CLASS_ = modeling.LlamaMLP
    _PATCHES_ = ("forward",)

    down_proj: Any
    up_proj: Any
    gate_proj: Any
    act_fn: Any

    def forward(self, x: Any) -> Any:
        return self.down_proj(self.up_proj(x) * self.act_fn(self.gate_proj(x)))


class PatchedRotary:
    _PATCHED_CLASS_ = modeling.LlamaRotaryEmbedding
    _PATCHES_ = ("compute_default_rope_parameters", "extra_repr")

    @staticmethod
    def compute_default_rope_parameters(*args: Any, **kwargs: Any) -> Any:
        return "patched", args, kwargs

    def extra_repr(self) -> str:
        return "patched"


class PatchedCache:
    _PATCHED_CLASS_ = transformers.LlamaForCausalLM
    _PATCHES_ = ("_from_config",)

    @classmethod
    def _from_config(cls, config: Any) -> Any:
        return cls, config


def test_the_patch_of_a_layer_is_proven_and_undone(llama: Any) -> None:
    before = dict(vars(modeling.LlamaMLP))
    opened = session(patches=[PatchedMLP])
    for _ in range(2):
        with opened:
            program = exported(llama)
            (proof,) = opened.prove(program).patches
        assert (proof.traced_calls, proof.nodes) == (2, 10)
        assert opened.prove(program).proven
        assert dict(vars(modeling.LlamaMLP)) == before


def test_static_inherited_and_class_methods_are_put_back() -> None:
    rotary, model = modeling.LlamaRotaryEmbedding, transformers.LlamaForCausalLM
    before = dict(vars(rotary)), dict(vars(model))
    with session(patches=[PatchedRotary, PatchedCache]):
        assert rotary.compute_default_rope_parameters(1) == ("patched", (1,), {})
        assert rotary.extra_repr(None) == "patched"
        assert torch.nn.Linear(1, 1).extra_repr() != "patched"
        assert model._from_config(3) == (model, 3)
    assert (dict(vars(rotary)), dict(vars(model))) == before
    assert isinstance(vars(rotary)["compute_default_rope_parameters"], staticmethod)
    assert "extra_repr" not in vars(rotary)
    assert "_from_config" not in vars(model)


def test_the_table_of_attention_functions_has_the_patch_too(llama: Any) -> None:
    name = "transformers.integrations.sdpa_attention.sdpa_attention_forward"
    functions = importlib.import_module("transformers.modeling_utils").ALL_ATTENTION_FUNCTIONS
    original = functions["sdpa"]

    def sdpa(*args: Any, **kwargs: Any) -> Any:
        return original(*args, **kwargs)

    with session(patches=[(name, sdpa)]) as opened:
        (proof,) = opened.prove(exported(llama)).patches
    assert any("_global_mapping['sdpa']" in each for each in proof.rebound)
    assert proof.traced_calls == 2
    assert functions["sdpa"] is original


def test_an_error_while_entering_leaves_no_patch() -> None:
    before = dict(vars(modeling.LlamaMLP))
    with pytest.raises(ExportError, match="no attribute 'Missing'"):
        session(patches=[PatchedMLP, ("transformers.Missing.f", print)]).__enter__()
    assert dict(vars(modeling.LlamaMLP)) == before


def names_of(function: Any) -> set[str]:
    """Return the modules that have a function under its own name."""
    return {
        name
        for name, module in list(sys.modules.items())
        if vars(module).get(function.__name__) is function
    }


def test_a_function_of_transformers_is_replaced_in_all_modules_that_imported_it() -> None:
    path = "transformers.utils.import_utils.is_kernels_available"
    home: Any = importlib.import_module("transformers.utils.import_utils")
    importlib.import_module("transformers.exporters.utils")
    original = home.is_kernels_available
    before = names_of(original)
    assert len(before) > 10
    with session(patches=[(path, lambda *_: False)]) as opened:
        assert names_of(original) == set()
        assert names_of(home.is_kernels_available) == before
        (proof,) = opened.proof().patches
    assert len(proof.rebound) >= len(before) - 1
    assert names_of(original) == before


@pytest.fixture
def patch_attribute() -> Callable[..., Any]:
    """Return transformers' own way to patch."""
    utils: Any = pytest.importorskip("transformers.exporters.utils")
    found: Callable[..., Any] = utils.patch_attribute
    return found


class Layer:
    @staticmethod
    def static(x: int) -> int:
        return x

    @classmethod
    def of_class(cls) -> type:
        return cls


class Sub(Layer):
    pass


def test_what_transformers_own_patches_leave_behind_a_session_does_not(
    patch_attribute: Callable[..., Any],
) -> None:
    theirs = type("Layer", (), dict(vars(Layer)))
    sub = type("Sub", (theirs,), {})
    for owner, name in ((theirs, "static"), (theirs, "of_class"), (sub, "static")):
        with patch_attribute(owner, name, lambda original: original):
            pass
    assert not isinstance(vars(theirs)["static"], staticmethod)
    assert not isinstance(vars(theirs)["of_class"], classmethod)
    assert "static" in vars(sub)

    before = dict(vars(Layer)), dict(vars(Sub))
    patches = [(Layer, "static", abs), (Layer, "of_class", len), (Sub, "static", abs)]
    with session(patches=patches):
        pass
    assert (dict(vars(Layer)), dict(vars(Sub))) == before


def test_a_patch_of_transformers_that_is_still_there_is_reported(
    patch_attribute: Callable[..., Any],
) -> None:
    layer = type("Layer", (), dict(vars(Layer)))
    opened = session(patches=[(layer, "static", staticmethod(lambda x: -x))]).__enter__()
    theirs = patch_attribute(layer, "static", lambda original: original)
    theirs.__enter__()
    with pytest.raises(ExportError, match=r"Layer\.static was replaced by something else"):
        opened.__exit__(None, None, None)


BART = """
import torch, transformers
from rocmlint.export import session
from transformers.models.bart import modeling_bart

torch.manual_seed(0)
config = transformers.BartConfig(
    d_model=32, encoder_layers=2, decoder_layers=1, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=64,
    max_position_embeddings=64,
)
model = transformers.BartForConditionalGeneration(config).half().eval()
ids = torch.randint(3, 64, (2, 7))
inputs = {"input_ids": ids, "decoder_input_ids": ids[:, :5], "use_cache": False}
both = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
shapes = {"input_ids": both, "decoder_input_ids": both, "use_cache": None}
expected = model(**inputs).logits
before = dict(vars(modeling_bart.BartEncoderLayer))
with session(model, rewrite=True, register=True) as opened:
    program = torch.export.export(model, (), inputs, dynamic_shapes=shapes)
    opened.prove(program)
proof = opened.prove(program)
assert dict(vars(modeling_bart.BartEncoderLayer)) == before
assert sum("cond" in str(node.target) for node in program.graph.nodes) == 2
assert torch.equal(program.module()(**inputs).logits, expected)
with torch.no_grad():
    model.model.encoder.layers[0].fc2.bias.fill_(60000.0)
    model.model.encoder.layers[0].fc1.bias.fill_(60000.0)
overflow = model(**inputs).logits
result = program.module()(**inputs).logits
assert torch.equal(torch.nan_to_num(result), torch.nan_to_num(overflow))
assert not torch.equal(result, expected)
print([each.target for each in proof.patches])
"""


def test_bart_in_half_precision_is_rewritten_exported_and_proven() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BART], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "BartEncoderLayer.forward" in done.stdout
