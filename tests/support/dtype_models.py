"""Small models for ``verify dtype``, and what it says of them. Needs torch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.interpreter.inside.dtype import answer as inside
from rocmlint.verify.dtype.judge import results_of

if TYPE_CHECKING:
    from rocmlint.verify.result import Result


torch = pytest.importorskip("torch")
nn: Any = torch.nn
HALF = torch.bfloat16


def ask(build: Any, *, fake: bool = False, device: str | None = None) -> dict[str, Any]:
    """Ask about a model of this process: what a child process would answer."""
    here = sys.modules[__name__]
    here.__dict__["asked_factory"] = build
    return inside.answer({"factory": f"{__name__}:asked_factory", "fake": fake, "device": device})


def results(build: Any, **how: Any) -> tuple[Result, Result]:
    tensors, forward, *_ = results_of(ask(build, **how))
    return tensors, forward


class Cast(nn.Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return x.float()


class Wrapped(nn.Module):  # type: ignore[misc]
    """Calls a function with its parts."""

    def __init__(self, function: Any, **parts: Any) -> None:
        super().__init__()
        self.function = function
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        return self.function(self, *arguments, **keywords)


def tokens() -> Any:
    return torch.zeros(1, 3, dtype=torch.long)


def floats(dtype: Any = HALF) -> Any:
    return torch.ones(2, 8, dtype=dtype)


def linear(**how: Any) -> Any:
    return nn.Linear(8, 8, dtype=HALF, **how)


def tiny(name: str, dtype: Any) -> tuple[Any, dict[str, Any]]:
    """Return a model of the export benchmark in a dtype, and what its processor gives for it.

    That are pixels in float32 and token ids; a cache has the dtype of the model.
    """
    from benchmarks.export_models import MODELS  # noqa: PLC0415 - it imports transformers

    case = MODELS[name]()
    for cache in case.inputs[0].values():
        for layer in getattr(cache, "layers", ()):
            layer.keys, layer.values = layer.keys.to(dtype), layer.values.to(dtype)
    return case.model.to(dtype), case.inputs[0]
