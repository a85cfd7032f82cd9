"""What a model of the benchmark is: the model, inputs of several sizes, dynamic shapes."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

torch: Any = importlib.import_module("torch")
transformers: Any = importlib.import_module("transformers")

Inputs = dict[str, Any]
BATCHES = (2, 1, 3)
"""Tracing takes the first; batch 1 and an odd one are what programs most often break on."""


class Case(NamedTuple):
    """A model in eval mode, keyword arguments of at least 3 sizes, and their dynamic shapes."""

    model: Any
    inputs: list[Inputs]
    dynamic_shapes: dict[str, Any]


Factory = Callable[[], Case]


def dim(name: str, low: int = 1, high: int = 4096) -> Any:
    """Return a named dynamic dimension."""
    return torch.export.Dim(name, min=low, max=high)


def seed() -> None:
    """Make weights and inputs the same in each process."""
    torch.manual_seed(0)


def ready(model: Any) -> Any:
    """Return the model in eval mode, with weights large enough that each of them matters.

    The usual start of 0.02 makes the outputs of so small a model nearly the same whatever it does.
    """
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim >= 2:
                weight.normal_(0, (weight.shape[0] / weight.numel()) ** 0.5)
    return model.eval()


def tokens(batch: int, length: int, vocabulary: int = 99) -> Any:
    """Return token ids that are none of the special ones."""
    return torch.randint(5, vocabulary, (batch, length))


def mask(batch: int, length: int, padding: int = 1) -> Any:
    """Return an attention mask whose last row starts with padding."""
    ones = torch.ones(batch, length, dtype=torch.long)
    ones[-1, :padding] = 0
    return ones


def cache(config: Any, batch: int, length: int) -> Any:
    """Return a cache as the model itself makes it, filled with `length` random tokens."""
    text = config.get_text_config(decoder=True)
    past = transformers.DynamicCache(config=config)
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    width = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    for layer in range(text.num_hidden_layers):
        size = (batch, heads, length, width)
        past.update(torch.randn(size), torch.randn(size), layer)
    return past


def cache_name(model: Any) -> str:
    """Return what a model calls the argument for a cache; another name since transformers 5.24."""
    names = inspect.signature(model.forward).parameters
    return "cache" if "cache" in names else "past_key_values"


def cache_shapes(layers: int, batch: Any, length: Any) -> list[list[dict[int, Any]]]:
    """Return the dynamic shapes of a cache: those of its keys, then those of its values."""
    return [[{0: batch, 2: length}] * layers, [{0: batch, 2: length}] * layers]
