"""Exports a tiny BART in float16 whose module was rewritten; run in a process of its own.

Prints a line of JSON: the number of conditions, and whether the results are equal for inputs that
overflow and for those that do not.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import BartConfig

from rocmlint.models.control_flow.rewrite import rewrite

if TYPE_CHECKING:
    from types import ModuleType

NAME = "transformers.models.bart.modeling_bart"


def load(*, rewritten: bool) -> ModuleType:
    """Load the module anew, as it is or rewritten."""
    spec = importlib.util.find_spec(NAME)
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text()
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    exec(compile(rewrite(text).text if rewritten else text, spec.origin, "exec"), vars(module))  # noqa: S102
    return module


def model_of(module: ModuleType) -> Any:
    """Return the model of a module, with the same weights each time."""
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"vocab_size": 64, "d_model": 8, "max_position_embeddings": 32}
    for part in ("encoder", "decoder"):
        sizes |= {f"{part}_layers": 2, f"{part}_ffn_dim": 16, f"{part}_attention_heads": 2}
    config = BartConfig(use_cache=False, **sizes)
    config._attn_implementation = "eager"
    return module.BartModel(config).eval().half()


class Whole(torch.nn.Module):  # type: ignore[misc]
    """The model with tensors for inputs and outputs."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, offset: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        embeds = self.model.shared(ids) + offset
        found = self.model(inputs_embeds=embeds, decoder_input_ids=ids)
        return found.encoder_last_hidden_state, found.last_hidden_state


def whole(*, rewritten: bool) -> Whole:
    """Return a model whose last encoder layer overflows if the first feature is large."""
    model = model_of(load(rewritten=rewritten))
    model.encoder.layers[-1].final_layer_norm.weight.data[0] = 60000
    return Whole(model)


def main() -> None:
    """Compare the original with the rewritten module, and with its export."""
    ids = torch.tensor([[0, 5, 6, 7, 2]])
    before, after = whole(rewritten=False), whole(rewritten=True)
    offsets = torch.zeros(2, 8).half()
    offsets[0, 1] = offsets[1, 0] = 100
    program = torch.export.export(after, (ids, offsets[0])).module()
    answer: dict[str, object] = {
        "conditions": sum(str(each.target) == "cond" for each in program.graph.nodes)
    }
    for name, offset in zip(("normal", "overflow"), offsets, strict=True):
        expected = before(ids, offset)
        answer[name] = {
            "clamped": 60000 < float(expected[0].detach().abs().max()) < float("inf"),
            "eager": same(expected, after(ids, offset)),
            "exported": same(expected, program(ids, offset)),
        }
    print(json.dumps(answer))  # noqa: T201 - the answer to the test


def same(one: tuple[torch.Tensor, ...], other: tuple[torch.Tensor, ...]) -> bool:
    """Return whether all tensors are equal, NaN too."""
    pairs = zip(one, other, strict=True)
    return all(torch.allclose(a, b, rtol=0, atol=0, equal_nan=True) for a, b in pairs)


if __name__ == "__main__":
    main()
