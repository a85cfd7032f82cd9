"""Attention of Longformer and LED: a window around each token, and tokens that see all others."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTENTION = ("LongformerSelfAttention", "LEDEncoderSelfAttention")
PADDING = "_pad_to_window_size"


def find(model: Any) -> Iterator[Patch]:
    """Yield patches of the attention, and of the padding to windows that it makes needless."""
    for cls in dict.fromkeys(type(each) for each in model.modules()):
        if cls.__name__ in ATTENTION and cls.__module__ in sys.modules:
            yield Patch(cls, "forward", _attention(cls.forward))
        if PADDING in vars(cls):
            yield Patch(cls, PADDING, _unpadded(vars(cls)[PADDING]))


@replaces(
    "transformers.models.longformer.modeling_longformer.LongformerSelfAttention.forward",
    "transformers.models.led.modeling_led.LEDEncoderSelfAttention.forward",
)
def _attention(original: Any) -> Any:
    def forward(self: Any, hidden_states: Any, *args: Any, **kwargs: Any) -> Any:
        """Attend with one mask to all tokens: the same result, of any length, with more memory."""
        names = ("attention_mask", "layer_head_mask", "is_index_masked", "is_index_global_attn")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        traced = is_traced(hidden_states) and not args and not given.get("output_attentions")
        if not traced or given.get("layer_head_mask") is not None:
            return original(self, hidden_states, *args, **kwargs)
        masked, seeing = given["is_index_masked"], given["is_index_global_attn"]
        near = _near(hidden_states, self.one_sided_attn_window_size)
        ordinary = (given["attention_mask"] == 0)[:, None, None, :]
        seen = (near & ordinary) | seeing[:, None, None, :]
        layers = self.query, self.key, self.value
        local = _attended(self, hidden_states, layers, seen)
        local = local.masked_fill(masked[:, None, :, None], 0.0)
        layers = self.query_global, self.key_global, self.value_global
        everywhere = _attended(self, hidden_states, layers, ~masked[:, None, None, :])
        output = everywhere.where(seeing[:, None, :, None], local).transpose(1, 2)
        return (output.reshape(hidden_states.shape),)

    return forward


def _near(states: Any, window: int) -> Any:
    import torch  # noqa: PLC0415

    place = torch.arange(states.shape[1], device=states.device)
    return (place[:, None] - place[None, :]).abs() <= window


def _attended(self: Any, states: Any, layers: Any, seen: Any) -> Any:
    import torch  # noqa: PLC0415

    batch, length, _ = states.shape
    query, key, value = (
        each(states).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        for each in layers
    )
    scores = (query / math.sqrt(self.head_dim)) @ key.transpose(-1, -2)
    scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
    shares = torch.nn.functional.softmax(scores, dim=-1, dtype=torch.float32)
    return shares.type_as(value) @ value


@replaces(
    "transformers.models.longformer.modeling_longformer.LongformerModel._pad_to_window_size",
    "transformers.models.led.modeling_led.LEDEncoder._pad_to_window_size",
)
def _unpadded(original: Any) -> Any:
    def _pad_to_window_size(self: Any, **given: Any) -> Any:
        """Return what was given: attention needs no whole windows while it is traced."""
        tensors = [each for each in given.values() if is_traced(each)]
        if not tensors:
            return original(self, **given)
        names = ("input_ids", "attention_mask", "token_type_ids", "position_ids", "inputs_embeds")
        return 0, *(given[name] for name in names if name in given)

    return _pad_to_window_size


BUILTIN = Builtin(
    name="window-attention",
    reason="Tokens that see all others are counted with `.item()` and gathered with `nonzero()`; "
    "the rest goes in chunks that fix the length.",
    since="4.57",
    before="6",
    links=("https://github.com/huggingface/transformers/pull/41992",),
    find=find,
)
