"""``rocmlint verify dtype``: which module and which line leave the dtype."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.dtype.judge import results_of
from tests.support.dtype_models import (
    HALF,
    Cast,
    Wrapped,
    ask,
    floats,
    linear,
    nn,
    results,
    tokens,
    torch,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dtype")]

GEMMA = """\
import torch
from transformers import GemmaConfig, GemmaForCausalLM

def healthy(**sizes):
    tiny = dict(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                num_attention_heads=4, num_key_value_heads=1, head_dim=16)
    config = GemmaConfig(**{**tiny, **sizes})
    return GemmaForCausalLM._from_config(config, dtype=torch.bfloat16).eval()

def cast():
    model = healthy()
    norm = model.model.layers[0].input_layernorm
    forward = norm.forward
    norm.forward = lambda hidden: forward(hidden).to(torch.float32)  # the cast
    return model

def weight():
    model = healthy()
    model.model.layers[1].mlp.down_proj.float()
    return model

def large():
    return healthy(vocab_size=256000, hidden_size=3072, intermediate_size=24576,
                   num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=16,
                   head_dim=256)
"""


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("transformers")
    folder: Path = tmp_path_factory.mktemp("gemma")
    (folder / "gemmas.py").write_text(GEMMA)
    sys.path.insert(0, str(folder))
    import gemmas  # type: ignore[import-not-found]  # noqa: PLC0415

    yield gemmas
    sys.path.remove(str(folder))


def test_a_healthy_gemma_is_silent(gemma: Any) -> None:
    tensors, forward = results(gemma.healthy)
    assert (tensors.verdict, tensors.strength) == ("proven", "live")
    assert (forward.verdict, forward.strength) == ("proven", "executed")


def test_a_cast_in_gemma_is_named_with_its_module_and_line(gemma: Any) -> None:
    _, forward = results(gemma.cast)
    line = next(n for n, text in enumerate(GEMMA.splitlines(), 1) if "# the cast" in text)
    assert forward.verdict == "contradicted"
    assert forward.seen == "model.layers.0.input_layernorm returns float32"
    evidence = {each.name: each.value for each in forward.evidence}
    assert evidence["cast"].startswith(f"{gemma.__file__}:{line}: ")
    assert "modeling_gemma.py" in evidence["raised at"]


def test_one_float32_weight_of_gemma_is_named(gemma: Any) -> None:
    tensors, forward = results(gemma.weight)
    assert tensors.verdict == "contradicted"
    assert tensors.evidence[0].name == "model.layers.1.mlp.down_proj"
    assert forward.reason.startswith("model.layers.1.mlp.down_proj has float32 weights")


def test_fake_tensors_need_no_memory_for_the_weights(gemma: Any) -> None:
    answer = ask(gemma.large, fake=True)
    assert answer["sizes"] == {"bfloat16": sum(answer["sizes"].values())}
    assert answer["sizes"]["bfloat16"] > 8e9
    assert answer["peak_memory"] < 4e9
    tensors, forward, _ = results_of(answer)
    assert (tensors.verdict, forward.verdict, forward.strength) == ("proven", "proven", "live")


def test_a_cast_is_found_with_fake_tensors(gemma: Any) -> None:
    _, forward = results(gemma.cast, fake=True)
    assert forward.seen == "model.layers.0.input_layernorm returns float32"


def test_to_works_with_fake_tensors_and_keeps_ties() -> None:
    def build() -> Any:
        first, second = nn.Linear(8, 8), nn.Linear(8, 8)
        second.weight = first.weight
        model = nn.Sequential(first, second).to(HALF)
        assert model[0].weight is model[1].weight
        return model, (floats(),)

    original = nn.Module._apply
    tensors, forward = results(build, fake=True)
    assert (tensors.verdict, forward.verdict) == ("proven", "proven")
    assert nn.Module._apply is original


def test_one_dtype_everywhere_is_proven() -> None:
    tensors, forward = results(lambda: (nn.Sequential(linear(), nn.GELU(), linear()), (floats(),)))
    assert (tensors.verdict, forward.verdict) == ("proven", "proven")


def test_without_inputs_only_the_tensors_are_judged() -> None:
    tensors, forward = results(linear)
    assert tensors.verdict == "proven"
    assert (forward.verdict, forward.seen) == ("unproven", "not run")


def test_a_model_offers_its_own_inputs() -> None:
    def build() -> Any:
        model = linear()
        model.dummy_inputs = {"input": floats()}
        return model

    assert results(build)[1].verdict == "proven"


def test_the_innermost_module_is_named_first() -> None:
    model = nn.Sequential(nn.Sequential(linear(), Cast()), nn.ReLU())
    _, forward = results(lambda: (model, (floats(),)))
    assert forward.seen == "0.1 returns float32"


def healthy_cases() -> Iterator[tuple[str, Any]]:
    def normed(self: Any, x: Any) -> Any:
        return self.norm(x.float()).to(x.dtype)

    yield (
        "a norm in float32 that casts back",
        lambda: (Wrapped(normed, norm=nn.LayerNorm(8, elementwise_affine=False)), (floats(),)),
    )
    yield "an embedding", lambda: (nn.Embedding(4, 8, dtype=HALF), (tokens(),))
    yield (
        "two dtypes given and one of them given back",
        lambda: (Wrapped(lambda _, a, b: a + b), {"a": floats(), "b": floats(torch.float32)}),
    )
    yield (
        "a loss in float32",
        lambda: (
            Wrapped(lambda self, x: (self.part(x), x.float().mean()), part=linear()),
            (floats(),),
        ),
    )
    yield (
        "nothing and something that is no tensor",
        lambda: (Wrapped(lambda _self, _x: (None, "text", {"a": 1})), (floats(),)),
    )
    yield (
        "autocast",
        lambda: (Wrapped(_under_autocast, part=nn.Linear(8, 8)), (floats(torch.float32),)),
    )
    yield (
        "a module that is called twice",
        lambda: (Wrapped(lambda self, x: self.part(self.part(x)), part=linear()), (floats(),)),
    )
    yield (
        "an exception that is caught",
        lambda: (
            Wrapped(_caught, part=Wrapped(_raises, inner=linear()), other=linear()),
            (floats(),),
        ),
    )


def _under_autocast(self: Any, x: Any) -> Any:
    with torch.autocast("cpu", dtype=HALF):
        return self.part(x).float()


def _raises(self: Any, x: Any) -> Any:
    self.inner(x)
    raise KeyError


def _caught(self: Any, x: Any) -> Any:
    try:
        return self.part(x)
    except KeyError:
        return self.other(x)


HEALTHY = dict(healthy_cases())


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_healthy_is_silent(name: str) -> None:
    _, forward = results(HEALTHY[name])
    assert forward.verdict == "proven", forward


@dataclasses.dataclass
class Output:
    """An output that torch does not know to flatten."""

    state: Any
    cache: Any = None


def sick_cases() -> Iterator[tuple[str, Any]]:
    yield "in a tuple", lambda: (Wrapped(lambda _, x: (x, x.float())), (floats(),))
    yield "in a dictionary", lambda: (Wrapped(lambda _, x: {"x": [x.float()]}), (floats(),))
    yield "in a dataclass", lambda: (Wrapped(lambda _, x: Output(x.float())), (floats(),))
    yield "given by keyword", lambda: (Wrapped(lambda _, *, x: x.float()), {"x": floats()})
    yield (
        "after token ids",
        lambda: (
            Wrapped(lambda self, ids: self.part(ids).float(), part=nn.Embedding(4, 8, dtype=HALF)),
            (tokens(),),
        ),
    )
    yield (
        "in a later call only",
        lambda: (
            Wrapped(lambda self, x: self.part(self.part(x)), part=Wrapped(_second_call)),
            (floats(),),
        ),
    )
    yield "by promotion with a buffer", lambda: (_promoting(), (floats(),))


def _second_call(self: Any, x: Any) -> Any:
    self.count = getattr(self, "count", 0) + 1
    return x.float() if self.count == 2 else x


def _promoting() -> Any:
    model = Wrapped(lambda self, x: x * self.scale)
    model.register_buffer("scale", torch.ones(8), persistent=False)
    return model


SICK = dict(sick_cases())


@pytest.mark.parametrize("name", SICK)
def test_what_leaves_its_dtype_is_named_with_the_line(name: str) -> None:
    _, forward = results(SICK[name])
    assert forward.verdict == "contradicted", forward
    (cast,) = [each.value for each in forward.evidence if each.name == "cast"]
    assert cast.startswith(f"{__file__}:")


def test_the_line_is_that_of_the_cast_that_reached_the_output() -> None:
    def forward_with_two_casts(self: Any, x: Any) -> Any:
        wide = x.float()  # goes out
        other = x.float().to(x.dtype)  # stays
        return wide + self.part(other).float().sum()

    _, forward = results(lambda: (Wrapped(forward_with_two_casts, part=linear()), (floats(),)))
    (cast,) = [each.value for each in forward.evidence if each.name == "cast"]
    first = forward_with_two_casts.__code__.co_firstlineno + 1
    assert cast.startswith(f"{__file__}:{first}: ")


def test_a_cast_that_the_module_around_takes_back_is_told_as_such() -> None:
    def narrowing(self: Any, x: Any) -> Any:
        return self.part(x).to(x.dtype)

    _, contained = results(lambda: (Wrapped(narrowing, part=Cast()), (floats(),)))
    _, spread = results(lambda: (nn.Sequential(Cast()), (floats(),)))
    assert "the model itself casts back" in contained.reason
    assert "casts back" not in spread.reason


def test_a_crash_is_traced_to_the_code_that_made_the_dtype() -> None:
    def casting(self: Any, x: Any) -> Any:
        wide = x.float()
        return self.part(wide)

    _, forward = results(lambda: (Wrapped(casting, part=linear()), (floats(),)))
    line = casting.__code__.co_firstlineno + 1
    assert forward.verdict == "contradicted"
    assert f"float32 is created at {__file__}:{line}" in forward.reason


def test_inputs_of_another_dtype_are_the_cause_of_a_crash() -> None:
    _, forward = results(lambda: (nn.Sequential(linear()), (floats(torch.float32),)))
    assert "inputs of the model are float32" in forward.reason


@pytest.mark.parametrize(
    "function",
    [lambda _, x: x @ x, lambda _: None, lambda _, x: x.missing],
    ids=["shapes", "arguments", "attribute"],
)
def test_a_crash_for_another_reason_proves_nothing(function: Any) -> None:
    _, forward = results(lambda: (Wrapped(function), (floats(),)))
    assert forward.verdict == "unproven"


def test_a_model_on_the_meta_device_is_simulated() -> None:
    _, forward = results(lambda: (nn.Sequential(linear(device="meta"), Cast()), (floats(),)))
    assert (forward.verdict, forward.strength) == ("contradicted", "live")
    assert forward.seen == "1 returns float32"


def test_the_device_can_be_chosen() -> None:
    answer = ask(lambda: (linear(), (floats(),)), device="meta")
    assert answer["simulated"]


def test_compiled_modules_are_looked_into() -> None:
    def build() -> Any:
        model = nn.Sequential(linear(), Cast())
        model[0].compile()
        return torch.compile(model), (floats(),)

    assert results(build)[1].seen == "1 returns float32"


def test_a_compiled_part_is_looked_into() -> None:
    model = nn.Sequential(torch.compile(nn.Sequential(linear(), Cast())), nn.ReLU())
    answer = ask(lambda: (model, (floats(),)))
    assert answer["forward"]["left"][0]["module"] == "0._orig_mod.1"


def test_a_module_that_raised_did_not_end() -> None:
    parts = {"part": Wrapped(_raises, inner=linear()), "other": linear()}
    answer = ask(lambda: (Wrapped(_caught, **parts), (floats(),)))
    assert list(answer["forward"]["boundaries"]) == ["part.inner", "other", ""]


def test_hooks_are_taken_off() -> None:
    model = nn.Sequential(linear(), Cast())
    ask(lambda: (model, (floats(),)))
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in model.modules())


def test_a_factory_has_to_give_a_model() -> None:
    with pytest.raises(TypeError, match="returned int"):
        ask(lambda: 3)
