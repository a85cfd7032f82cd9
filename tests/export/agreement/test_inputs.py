"""The parts that make and compare inputs and outputs, on tensors and caches as they are."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import pytest

from rocmlint.export import session

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("export")]

torch: Any = importlib.import_module("torch")
transformers: Any = importlib.import_module("transformers")
agreement = "rocmlint.export.agreement"
asked: Any = importlib.import_module(f"{agreement}.asked")
cases: Any = importlib.import_module(f"{agreement}.cases")
compare: Any = importlib.import_module(f"{agreement}.compare")
leaves: Any = importlib.import_module(f"{agreement}.leaves")
outcome: Any = importlib.import_module(f"{agreement}.outcome")
running: Any = importlib.import_module(f"{agreement}.running")
resize: Any = importlib.import_module(f"{agreement}.resize")
Dim: Any = importlib.import_module("torch.export").Dim

WINDOW, PAST, NEW = 12, 6, 3


def decoding() -> Any:
    """Return inputs after a past, in a cache with a sliding window."""
    config = transformers.MistralConfig(num_hidden_layers=1, sliding_window=WINDOW)
    past = transformers.DynamicCache(config=config)
    past.update(torch.randn(2, 2, PAST, 4), torch.randn(2, 2, PAST, 4), 0)
    inputs = {
        "input_ids": torch.arange(2 * NEW).reshape(2, NEW),
        "attention_mask": torch.ones(2, PAST + NEW, dtype=torch.long),
        "past_key_values": past,
    }
    return cases.Case("as traced", (), inputs)


def test_batch_tokens_and_past_are_dynamic_by_their_names() -> None:
    assert asked.guessed(decoding()) == {
        "input_ids": {0: "batch", 1: "tokens=3"},
        "attention_mask": {0: "batch", 1: "tokens=9"},
        "past_key_values.layers[0].keys": {0: "batch", 2: "past"},
        "past_key_values.layers[0].values": {0: "batch", 2: "past"},
    }


def test_a_mask_keeps_the_length_of_past_and_new_tokens_together() -> None:
    case = decoding()
    for made in resize.derived(case, asked.guessed(case), WINDOW, None):
        named = made.named()
        keys = made.kwargs["past_key_values"].layers[0].cumulative_length
        new = named["input_ids"].shape[1]
        assert named["attention_mask"].shape[1] == keys + new, made.name


def test_a_past_beyond_the_window_keeps_what_the_model_would_keep() -> None:
    case = decoding()
    beyond = resize.derived(case, asked.guessed(case), WINDOW, None)[-1]
    layer = beyond.kwargs["past_key_values"].layers[0]
    assert (layer.keys.shape[-2], layer.cumulative_length) == (WINDOW - 1, WINDOW + 5)


def test_the_inputs_of_a_case_are_not_changed_by_making_others() -> None:
    case = decoding()
    before = case.digest
    resize.derived(case, asked.guessed(case), WINDOW, None)
    assert case.digest == before


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        ({"x": {0: Dim("rows")}}, {"x": {0: "rows"}}),
        ({"x": {0: Dim.AUTO, 1: Dim.STATIC}}, {"x": {0: "dim0=4"}}),
        ({"x": {0: 4, 1: None}}, {}),
        ({"x": [Dim.DYNAMIC, None]}, {"x": {0: "dim0=4"}}),
        (({0: Dim("rows")},), {"x": {0: "rows"}}),
        (None, {}),
    ],
)
def test_what_dynamic_shapes_ask_for(shapes: Any, found: Any) -> None:
    case = cases.Case("as traced", (), {"x": torch.ones(4, 8)})
    assert asked.of_shapes(shapes, case) == found


@pytest.mark.parametrize("shapes", [({0: Dim("rows")}, None), {"x": {0: Dim("rows")}, "y": None}])
def test_positional_inputs_have_shapes_by_their_order(shapes: Any) -> None:
    case = cases.Case("as traced", (torch.ones(4, 8),), {"y": torch.ones(4)})
    assert asked.of_shapes(shapes, case) == {"[0]": {0: "rows"}}


def test_shapes_of_a_cache_are_those_of_its_tensors() -> None:
    dims = {0: Dim("batch"), 2: Dim("past")}
    found = asked.of_shapes({"past_key_values": [[dims], [dims]]}, decoding())
    assert found["past_key_values.layers[0].values"] == {0: "batch", 2: "past"}


def difference(one: Any, other: Any) -> Any:
    return compare.differing(list(leaves.leaves(one)), list(leaves.leaves(other)))


def test_nan_is_equal_to_nan_only_at_the_same_place() -> None:
    one, other = torch.tensor([float("nan"), 1.0]), torch.tensor([1.0, float("nan")])
    assert difference(one, one.clone()) is None
    assert difference(one, other) is not None


def test_rounding_of_half_precision_is_no_difference() -> None:
    one = torch.randn(100, generator=torch.Generator().manual_seed(0)).half()
    assert difference(one, one * (1 + torch.finfo(torch.float16).eps)) is None


def test_integers_are_equal_or_not() -> None:
    assert difference(torch.tensor([1000]), torch.tensor([1001])) is not None


def test_a_counter_that_was_traced_is_a_difference() -> None:
    one, other = decoding().kwargs["past_key_values"], decoding().kwargs["past_key_values"]
    other.layers[0].keys, other.layers[0].values = one.layers[0].keys, one.layers[0].values
    other.layers[0].cumulative_length = 99
    assert difference(one, other)["what"] == f"{PAST} became 99"


@pytest.mark.parametrize("other", [torch.ones(2, 1), torch.ones(2).double(), 1.0, None])
def test_another_shape_dtype_or_type_is_a_difference(other: Any) -> None:
    assert difference({"y": torch.ones(2)}, {"y": other}) is not None


def test_the_parts_of_a_value_are_named_as_python_reaches_them() -> None:
    value = {"a": [torch.ones(1)], "b c": (None, {1: 2})}
    assert [path for path, _ in leaves.leaves(value)] == ["a[0]", "['b c'][0]", "['b c'][1][1]"]


def test_a_cache_with_states_of_convolutions_has_one_structure_however_it_was_made() -> None:
    sizes = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2}
    config = transformers.Lfm2Config(
        **sizes, num_attention_heads=4, num_key_value_heads=2, full_attn_idxs=[1]
    )
    with torch.no_grad():
        past = transformers.Lfm2Model(config).eval()(torch.ones(1, 5, dtype=torch.long))[1]
    with session(register=True):
        children, spec = torch.utils._pytree.tree_flatten(past)
        made = torch.utils._pytree.tree_unflatten(children, spec)
    assert leaves.structure(made) == leaves.structure(past)
    assert "layers[0].conv_states[0]" in leaves.tensors(past)


def test_fields_of_an_output_are_compared_by_their_names() -> None:
    names = ["states", "logits"]
    made = dataclasses.make_dataclass("Output", names, bases=(dict,), eq=False, init=False)
    one, other, wrong = made(), made(), made()
    one.update({"logits": torch.zeros(2), "states": torch.ones(2)})  # as a model that adds a field
    other.update({"states": torch.ones(2), "logits": torch.zeros(2)})  # as a program gives it
    wrong.update({"states": torch.zeros(2), "logits": torch.ones(2)})
    assert difference(one, other) is None
    assert leaves.structure(one) == leaves.structure(other)
    assert difference(one, wrong) is not None
    assert difference({**one}, {**other}) is not None


def test_of_two_structures_the_report_shows_where_they_differ() -> None:
    many = {f"output_{number}": torch.ones(1) for number in range(40)}
    one, other = {**many, "last": []}, {**many, "last": ()}
    ran = [running.Ran(structure=leaves.structure(each)) for each in (one, other)]
    found = outcome.judged(cases.Case("as traced", (), {}), *ran)
    assert found["outcome"] == "different"
    assert "last: list()" in found["what"]
    assert "last: tuple()" in found["what"]
