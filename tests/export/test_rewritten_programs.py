"""Rewritten statements on every path: the program gives, writes and raises what the model does."""

from __future__ import annotations

import copy
import importlib
import itertools
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import session
from rocmlint.models.control_flow.memory.operations import NEW_MEMORY

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("export")]

MODULE = """
import contextlib
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slot", torch.ones(4))
        self.register_buffer("other", torch.full((4,), 2.0))
        self.act = nn.ReLU(inplace=True)

    def pick(self, t: torch.Tensor):
        if t.sum() > 0:
            t = t * 2
        return t

    def forward(self, x: torch.Tensor):
"""
REFUSED = {
    "an argument": """
        residual = x
        if x.abs().max() > 10:
            x = x.clamp(-10, 10)
        x += self.slot
        return x + residual
    """,
    "a buffer": """
        slot = self.slot
        if x.sum() > 0:
            slot = self.other
        slot.add_(x[0])
        return slot * 2
    """,
    "a view": """
        y = x.view(-1)
        if x.sum() > 0:
            y = y * 2
        y[0] = 7
        return x
    """,
    "a module that writes": """
        y = x
        if x.sum() > 100:
            y = y * 2
        self.act(y)
        return x
    """,
    "a caller": """
        y = self.pick(x)
        y += 1
        return x + y
    """,
    "an error that is caught": """
        y = x * 2
        with contextlib.suppress(ValueError):
            if x.min() < 0:
                raise ValueError("negative")
            y = x * 3
        return y
    """,
}
REWRITTEN = {
    "new memory": """
        if x.sum() > 0:
            y = x * 2
        else:
            y = x + 1
        y += 1
        return x + y
    """,
    "a change before": """
        self.slot.add_(1)
        v = x.view(-1)
        x.add_(1)
        if x.sum() > 3:
            y = v[:4] * self.slot
        else:
            y = v[:4] + self.slot
        return y
    """,
    "an alias that nothing changes": """
        if x.abs().max() > 10:
            x = x.clamp(-10, 10)
        return self.pick(x)
    """,
    "a loop until all are done": """
        done = torch.zeros(3, dtype=torch.bool)
        y = x * 1
        while not done.all():
            y = y * 0.5
            done = done | (y.sum(-1) < 1)
        return y
    """,
    "a loop that counts": """
        n = torch.zeros((), dtype=torch.int64)
        y = x.sum()
        while y > 1:
            y = y / 2
            n = n + 1
        return n, y
    """,
    "two tests of one number": """
        norm = x.norm()
        if torch.isfinite(norm) and norm > 5:
            x = x / norm
        return x
    """,
}
INPUTS = [torch.ones(3, 4) * 20, torch.ones(3, 4), -torch.ones(3, 4)]
NUMBERS = itertools.count()


def made(body: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a model whose forward has this body, imported from a file of its own."""
    name = f"rewritten_statements_{next(NUMBERS)}"  # Dynamo remembers modules by name
    (folder / f"{name}.py").write_text(MODULE + indent(dedent(body), "        "))
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module(name).Model()


def run(model: Any, x: Any) -> Any:
    """Return what a model gives, and its argument and buffers afterwards."""
    x = x.clone()
    result = model(x)
    return result, x, dict(model.named_buffers())


def equal(one: Any, other: Any) -> bool:
    """Return whether two results are equal; a program may leave out buffers without a use."""
    if isinstance(one, dict):
        return all(equal(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, torch.Tensor):
        return bool(torch.equal(one, other))
    return all(equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", REWRITTEN)
def test_a_rewritten_statement_does_the_same_in_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, strict: bool
) -> None:
    model = made(REWRITTEN[name], tmp_path, monkeypatch)
    with session(model, rewrite=True) as opened:
        program = torch.export.export(copy.deepcopy(model), (INPUTS[0].clone(),), strict=strict)
    (file,) = opened.rewritten
    assert "Model.forward" in file.rewritten.functions
    for x in INPUTS:
        exported = program.module()
        exported.load_state_dict(model.state_dict(), strict=False)  # what a run before changed
        assert equal(run(copy.deepcopy(model), x), run(exported, x))


@pytest.mark.parametrize("name", REFUSED)
def test_a_statement_whose_program_would_differ_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    model = made(REFUSED[name], tmp_path, monkeypatch)
    with session(model, rewrite=True) as opened:
        (file,) = opened.rewritten
    wanted = {"alias-changed-later", "raise-may-be-caught"}
    assert wanted & {each.reason for each in file.statements}
    assert not file.rewritten.functions


OPERANDS = [
    *(torch.ones(()), torch.ones(1), torch.ones(2, 3), torch.eye(3), torch.ones(1, 2, 3)),
    *(torch.zeros(2, 3, dtype=torch.bool), torch.ones(2, 3, dtype=torch.int64)),
]
ARGUMENTS: list[Any] = [(), (0,), (1,), (1.0,), (-1,), ((1,),), ((1, 1),), ((),), (1, 0), (None,)]
TAKE_IN_PLACE = {"relu", "relu6", "selu", "silu", "mish", "hardswish", "hardsigmoid"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(NEW_MEMORY))
def test_what_is_said_to_give_new_memory_never_gives_that_of_an_operand(name: str) -> None:
    functional = importlib.import_module("torch.nn.functional")
    holders = (torch, functional, torch.linalg, torch.Tensor)
    functions: list[Any] = [getattr(each, name) for each in holders if hasattr(each, name)]
    assert functions
    arguments = [()] if name in TAKE_IN_PLACE else ARGUMENTS
    for function, x, rest in itertools.product(functions, OPERANDS, arguments):
        for first in (x, [x], [x, x]):
            try:
                result = function(first, *rest)
            except (
                TypeError,
                RuntimeError,
                ValueError,
                LookupError,
                ArithmeticError,
                AttributeError,
            ):
                continue
            found = result if isinstance(result, (tuple, list)) else [result]
            for each in found:
                if isinstance(each, torch.Tensor) and each.numel():
                    place = each.untyped_storage().data_ptr()
                    assert place != x.untyped_storage().data_ptr(), (x.shape, rest)
