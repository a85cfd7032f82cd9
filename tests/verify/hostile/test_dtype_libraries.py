"""``verify dtype``: what a library does in float32 by its own code, and what others do to it."""

from __future__ import annotations

import base64
import hashlib
import importlib
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.dtype.judge import results_of as judgements
from tests.support.dtype_measured import measured
from tests.support.dtype_models import HALF, ask, floats, nn, torch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("dtype")]

MODELS = """\
import torch
from torch import nn
from torch.nn import functional as F


class Router(nn.Linear):
    def forward(self, x):
        return F.linear(x.float(), self.weight.float(), self.bias.float())


class Block(nn.Module):
    scale = None

    def __init__(self):
        super().__init__()
        self.router, self.out = Router(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        x = self.out(x * self.router(x).softmax(-1).to(x.dtype))
        return x if self.scale is None else x * torch.ones(8)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 2, dtype=torch.float32)
        self.inner, self.out = nn.Linear(8, 32), nn.Linear(32, 8)

    def forward(self, x):
        return self.out(self.inner(x) * self.gate(x.float()).sum(-1, keepdim=True).to(x.dtype))
"""
PATCH = """\
from {models} import Block


def forward(self, x):
    return self.out(x).float()


def install():
    Block.forward = forward
"""


class Libraries:
    """A library of models and one that patches it, both installed."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
        self.install(f"tinymodels{number}", MODELS)
        self.install(f"tinypatch{number}", PATCH.format(models=f"tinymodels{number}"))

    def install(self, name: str, text: str) -> None:
        self.file(name).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
        notes = self.folder / f"{name}-1.0.dist-info"
        notes.mkdir()
        (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (notes / "RECORD").write_text(f"{name}.py,sha256={digest.rstrip('=')},{len(text)}\n")

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.py"

    @property
    def models(self) -> Any:
        return importlib.import_module(f"tinymodels{self.number}")

    @property
    def patch(self) -> Any:
        return importlib.import_module(f"tinypatch{self.number}")

    def results(self) -> list[Any]:
        model = self.models.Block().to(HALF)
        assert measured(model, (floats(),)).crash is None
        return list(judgements(ask(lambda: (model, (floats(),)))))


COUNT = iter(range(100))


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Libraries:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Libraries(tmp_path, next(COUNT))


def test_what_a_library_does_by_its_own_code_is_by_design(
    libraries: Libraries, judged: Judged
) -> None:
    results = libraries.results()
    for each in results:
        judged("dtype", "holds", each.verdict)
    assert results[1].evidence[0].value.endswith(f": code of tinymodels{libraries.number} 1.0")
    assert results[2].seen == "2 matmuls, 1 in float32 by design"


def test_a_library_that_was_edited_has_no_design(libraries: Libraries, judged: Judged) -> None:
    libraries.file(f"tinymodels{libraries.number}").write_text(MODELS + "# edited\n")
    _, forward, matmuls = libraries.results()
    for each in (forward, matmuls):
        judged("dtype", "broken", each.verdict)
        assert each.verdict == "contradicted"
    assert f"tinymodels{libraries.number}.py:8" in matmuls.reason


def test_code_without_a_record_has_no_design(libraries: Libraries, judged: Judged) -> None:
    (libraries.folder / f"tinymodels{libraries.number}-1.0.dist-info" / "RECORD").unlink()
    _, forward, matmuls = libraries.results()
    judged("dtype", "broken", forward.verdict)
    judged("dtype", "broken", matmuls.verdict)


def test_what_another_library_does_to_it_is_a_fault(libraries: Libraries, judged: Judged) -> None:
    libraries.patch.install()
    _, forward, _ = libraries.results()
    judged("dtype", "broken", forward.verdict)
    assert forward.verdict == "contradicted"
    assert f"tinypatch{libraries.number}.py:5" in forward.reason


def test_a_dtype_that_the_library_did_not_name_is_not_its_design(
    libraries: Libraries, judged: Judged
) -> None:
    libraries.models.Block.scale = 1
    _, forward, _ = libraries.results()
    judged("dtype", "broken", forward.verdict)
    assert forward.verdict == "contradicted"


def test_a_wrapper_around_a_library_leaves_its_design(libraries: Libraries, judged: Judged) -> None:
    model = libraries.models.Block().to(HALF)
    before = model.router.forward

    def timed(x: Any) -> Any:
        begin = time.monotonic()
        result = before(x)
        assert time.monotonic() >= begin
        return result

    model.router.forward = timed
    for each in judgements(ask(lambda: (model, (floats(),)))):
        judged("dtype", "holds", each.verdict)


def test_a_weight_that_a_library_makes_in_float32_is_by_design(
    libraries: Libraries, judged: Judged
) -> None:
    def build(cast: bool) -> Any:
        torch.set_default_dtype(HALF)
        try:
            model = libraries.models.Gated()
        finally:
            torch.set_default_dtype(torch.float32)
        if cast:
            model.out.float()
            model.out.register_forward_pre_hook(lambda _, given: (given[0].float(),))
        return model, (floats(),)

    results = list(judgements(ask(lambda: build(False))))
    for each in results:
        judged("dtype", "holds", each.verdict)
    assert results[0].seen == "4 of 6 are bfloat16, 2 differ by design"
    tensors, forward, _ = judgements(ask(lambda: build(True)))
    judged("dtype", "broken", tensors.verdict)
    assert tensors.evidence[0].name == "out"
    assert forward.verdict == "contradicted"


def test_autocast_is_not_the_design_of_a_library(libraries: Libraries, judged: Judged) -> None:
    block = libraries.models.Block().to(HALF)
    before = block.out.forward

    def forward(x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.float16):
            return before(x)

    block.out.forward = forward
    model = nn.Sequential(block)
    _, forward_result, _ = judgements(ask(lambda: (model, (floats(),))))
    judged("dtype", "broken", forward_result.verdict)
    assert forward_result.seen == "0.out returns float16"
