"""``rocmlint verify dtype``: which weights and buffers differ in dtype, but not by design."""

from __future__ import annotations

import pytest

from tests.support.dtype_models import HALF, Wrapped, linear, nn, results, torch

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dtype")]


def test_tensors_of_another_dtype_are_told_by_the_highest_module() -> None:
    tower = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8))
    model = Wrapped(lambda *_: None, tower=tower, text=nn.Linear(8, 512, dtype=HALF))
    tensors, _ = results(lambda: model)
    assert tensors.verdict == "contradicted"
    assert tensors.evidence[0].name == "tower"
    assert "tower.0.weight" in tensors.evidence[0].value


def test_tensors_that_differ_by_design_are_no_fault() -> None:
    model = Wrapped(lambda *_: None, text=nn.Linear(8, 512, dtype=HALF))
    model.register_buffer("inv_freq", torch.ones(4), persistent=False)
    model.register_buffer("mask", torch.ones(4, dtype=torch.bool))
    model.register_buffer("steps", torch.ones(4, dtype=torch.long))
    packed = Wrapped(lambda *_: None)
    packed.weight = nn.Parameter(torch.ones(4, dtype=torch.uint8), requires_grad=False)
    packed.register_buffer("weight_scale", torch.ones(4))
    model.packed = packed
    model.router = nn.Linear(8, 4)
    model._keep_in_fp32_modules = ["router"]
    tensors, _ = results(lambda: model)
    assert tensors.verdict == "proven"
    assert tensors.seen == "2 of 6 are bfloat16, 4 differ by design"


def test_a_saved_float32_buffer_is_a_fault() -> None:
    model = linear()
    model.register_buffer("scale", torch.ones(4))
    tensors, _ = results(lambda: model)
    assert tensors.verdict == "contradicted"


def test_a_model_without_tensors_proves_nothing() -> None:
    assert results(nn.ReLU)[0].verdict == "unproven"
