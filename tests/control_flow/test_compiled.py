"""One rewritten function as code: with the closure, the globals and the lines that it had."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from rocmlint.models.control_flow.compiled import function_code
from rocmlint.models.control_flow.rewrite import Options, Rewritten, rewrite
from tests.control_flow.programs import Number, instead_of_torch

if TYPE_CHECKING:
    from pathlib import Path

TEXT = '''\
"""A model."""
import torch
from torch import nn


class Base(nn.Module):
    def forward(self, x):
        return x * 2


class Layer(Base):
    @staticmethod
    def scale(x: torch.Tensor, factor=3):
        if x.any():
            x = x * factor
        return x

    @classmethod
    def named(cls, x: torch.Tensor):
        assert x.any(), cls.__name__
        return x

    def forward(self, x: torch.Tensor):
        """Return more."""
        x = super().forward(x)
        if x.sum() > LIMIT:
            x = x + 1
        return self.scale(x) + missing
'''
LOCAL = Options(only=["Layer.scale", "Layer.named", "Layer.forward"], local_imports=True)


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    """Return a module that runs the text as it is, without torch."""
    made = ModuleType("model")
    made.__dict__["LIMIT"] = 1
    with instead_of_torch():
        exec(compile(TEXT, str(tmp_path / "model.py"), "exec"), vars(made))  # noqa: S102
    return made


@pytest.fixture(scope="module")
def rewritten() -> Rewritten:
    return rewrite(TEXT, LOCAL)


def replaced(old: FunctionType, rewritten: Rewritten) -> FunctionType:
    """Return a function with the rewritten code and everything else of the old one."""
    name = old.__qualname__
    code = function_code(rewritten, name, old.__code__.co_filename, old.__code__.co_firstlineno)
    cells = dict(zip(old.__code__.co_freevars, old.__closure__ or (), strict=True))
    closure = tuple(cells[each] for each in code.co_freevars)
    return FunctionType(code, old.__globals__, old.__name__, old.__defaults__, closure)


def test_super_and_globals_are_those_of_the_class(module: ModuleType, rewritten: Rewritten) -> None:
    module.__dict__["missing"] = 0
    layer = module.Layer
    layer.forward = replaced(layer.forward, rewritten)
    assert "missing" in layer.forward.__globals__
    with instead_of_torch():
        assert layer().forward(Number(2.0)) == Number(15.0)
        assert layer().forward(Number(0.0)) == Number(0.0)
    assert "rocmlint" not in vars(module)


def test_defaults_and_descriptors_stay(module: ModuleType, rewritten: Rewritten) -> None:
    layer = module.Layer
    layer.scale = staticmethod(replaced(vars(layer)["scale"].__func__, rewritten))
    layer.named = classmethod(replaced(vars(layer)["named"].__func__, rewritten))
    with instead_of_torch():
        assert layer.scale(Number(2.0)) == Number(6.0)
        with pytest.raises(AssertionError, match=r"^Layer$"):
            layer.named(Number(0.0))


def test_a_traceback_shows_the_line_of_the_file(module: ModuleType, rewritten: Rewritten) -> None:
    layer = module.Layer
    layer.forward = replaced(layer.forward, rewritten)
    line = None
    try:
        with instead_of_torch():
            layer().forward(Number(2.0))
    except NameError:
        trace = sys.exc_info()[2]
        while trace is not None:
            line, trace = trace.tb_lineno, trace.tb_next
    assert TEXT.split("\n")[(line or 0) - 1].strip() == "return self.scale(x) + missing"


def test_an_unknown_function_is_an_error(rewritten: Rewritten) -> None:
    with pytest.raises(LookupError, match=r"no functions with the name Layer\.missing"):
        function_code(rewritten, "Layer.missing", "model.py")
