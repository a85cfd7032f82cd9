"""Positions of Funnel, which are lists with one Python integer for each token."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.export.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin
from rocmlint.export.patches.edit import edited

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Positions:
    """A list of positions: the first, then others at a constant distance. Sizes may be symbols."""

    first: Any
    second: Any
    step: int
    count: Any

    @classmethod
    def of(cls, count: Any) -> Positions:
        """Return the positions of so many tokens."""
        return cls(0, 1, 1, count)

    @property
    def last(self) -> Any:
        """Return the last position."""
        return self.second + (self.count - 2) * self.step if self.count > 1 else self.first


def find(model: Any) -> Iterator[Patch]:
    """Yield the patches of a model that has Funnel's positions."""
    module: Any = sys.modules.get("transformers.models.funnel.modeling_funnel")
    cls = getattr(module, "FunnelAttentionStructure", None)
    if cls is None or not any(isinstance(each, cls) for each in model.modules()):
        return
    embeds = edited(
        cls.get_position_embeds,
        (r"list\(range\(seq_len\)\)", "positions(seq_len)"),
        positions=Positions.of,
    )
    attention = module.FunnelRelMultiheadAttention
    shifts = edited(attention.relative_positional_attention, *SHIFTS, same=_is_same)
    if embeds is not None and shifts is not None:
        yield Patch(cls, "get_position_embeds", embeds)
        yield Patch(cls, "stride_pool_pos", stride_pool_pos)
        yield Patch(cls, "relative_pos", relative_pos)
        yield Patch(cls, "pool_tensor", _pooled(cls.pool_tensor))
        yield Patch(module, "_relative_shift_gather", _relative_shift_gather)
        yield Patch(attention, "relative_positional_attention", shifts)


SHIFTS = ((r"q_head\.shape\[1\] != context_len", "not same(q_head.shape[1], context_len)"),)


def _is_same(first: Any, second: Any) -> bool:
    """Tell whether two sizes are equal for every length: pooled queries are never as long."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true  # noqa: PLC0415

    return bool(statically_known_true(first == second))


def _relative_shift_gather(positional_attn: Any, context_len: Any, shift: int) -> Any:
    """Return the scores at the distance of each token from each other, by their index."""
    import torch  # noqa: PLC0415

    length, distances = positional_attn.shape[2:]
    device = positional_attn.device
    row = torch.arange(length, device=device)[:, None] * (distances - shift) + shift * length
    return positional_attn.flatten(2)[..., row + torch.arange(context_len, device=device)]


def _pooled(original: Any) -> Any:
    def pool_tensor(self: Any, tensor: Any, mode: str = "mean", stride: int = 2) -> Any:
        """Pool pairs of tokens; the last one is a pair with itself if their number is odd."""
        import torch  # noqa: PLC0415

        if not is_traced(tensor) or stride != 2:
            return original(self, tensor, mode=mode, stride=stride)
        if self.config.separate_cls:
            tensor = torch.cat([tensor[:, :1], _without_last(tensor, self.config)], dim=1)
        length = tensor.shape[1]
        even = tensor[:, ::2]
        place = torch.arange(even.shape[1], device=tensor.device) * 2 + 1
        odd = tensor[:, place.clamp(max=length - 1)]
        if mode == "mean":
            return (even + odd) / 2
        return torch.maximum(even, odd) if mode == "max" else torch.minimum(even, odd)

    return pool_tensor


def _without_last(tensor: Any, config: Any) -> Any:
    return tensor[:, :-1] if config.truncate_seq else tensor


def stride_pool_pos(self: Any, pos_id: Positions, block_index: int) -> Positions:
    """Keep every second position, and the first token as it is if it is a class of its own."""
    if not self.config.separate_cls:
        count = (pos_id.count + 1) // 2
        return Positions(pos_id.first, pos_id.second + pos_id.step, 2 * pos_id.step, count)
    count = pos_id.count - 1 if self.config.truncate_seq else pos_id.count
    return Positions(1 - 2**block_index, pos_id.second, 2 * pos_id.step, 1 + count // 2)


def relative_pos(  # noqa: PLR0913, PLR0917 - as in transformers
    self: Any,  # noqa: ARG001 - a method
    pos: Positions,
    stride: int,
    pooled_pos: Positions | None = None,
    shift: int = 1,
    device: Any = None,
) -> Any:
    """Return the distances between two lists of positions, in descending order."""
    import torch  # noqa: PLC0415

    pooled_pos = pos if pooled_pos is None else pooled_pos
    longest = pooled_pos.first - pos.first + shift * pooled_pos.count * stride
    shortest = pooled_pos.first - pos.last
    return torch.arange(longest, shortest - 1, -stride, dtype=torch.long, device=device)


BUILTIN = Builtin(
    name="funnel-positions",
    reason="Positions are lists with one Python integer for each token: the length of the text is "
    "fixed.",
    since="5.20",
    before="6",
    links=("https://github.com/huggingface/transformers/pull/41992",),
    find=find,
)
