"""Rotary positions whose frequencies depend on the longest position (``rope_type="dynamic"``)."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(model: Any) -> Iterator[Patch]:
    """Yield a patch of ``forward`` for each class whose frequencies are dynamic."""
    classes = {
        type(each): None
        for each in model.modules()
        if "dynamic" in _kinds(getattr(each, "rope_type", None)) and _is_updated(type(each).forward)
    }
    for cls in classes:
        yield Patch(cls, "forward", _forward(cls.forward))


def _kinds(rope_type: Any) -> tuple[str, ...]:
    """Return the kinds of positions of a module, which may have one for each type of layer."""
    kinds = rope_type.values() if isinstance(rope_type, dict) else [rope_type]
    return tuple(each for each in kinds if isinstance(each, str))


def _is_updated(forward: Any) -> bool:
    """Tell whether the function has the decorator that recomputes frequencies."""
    while forward is not None:
        if (
            getattr(forward, "__globals__", {}).get("__name__")
            == "transformers.modeling_rope_utils"
        ):
            return True
        forward = getattr(forward, "__wrapped__", None)
    return False


def _forward(original: Any) -> Any:
    plain = inspect.unwrap(original)

    @functools.wraps(original)
    def forward(self: Any, x: Any, position_ids: Any, layer_type: Any = None) -> Any:
        """Compute the frequencies for the longest position, and keep none of them.

        Up to the original length they are the original ones, as in a model that is new.
        """
        rest = {} if layer_type is None else {"layer_type": layer_type}
        kind = self.rope_type if layer_type is None else self.rope_type[layer_type]
        if "dynamic" not in kind or not is_traced(position_ids):
            return original(self, x, position_ids, **rest)
        name = "inv_freq" if layer_type is None else f"{layer_type}_inv_freq"
        before = self._buffers[name]
        self._buffers[name] = _frequencies(self, position_ids, name, kind, rest)
        try:
            return plain(self, x, position_ids, **rest)
        finally:
            self._buffers[name] = before

    del forward.__wrapped__
    return forward


def _frequencies(self: Any, positions: Any, name: str, kind: str, rest: dict[str, Any]) -> Any:
    import torch  # noqa: PLC0415
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS  # noqa: PLC0415

    length = torch.max(positions) + 1
    scaled, _ = ROPE_INIT_FUNCTIONS[kind](self.config, positions.device, seq_len=length, **rest)
    original = getattr(self, name.replace("inv_freq", "original_inv_freq")).to(positions.device)
    return torch.where(length > self.original_max_seq_len, scaled, original)


BUILTIN = Builtin(
    name="dynamic-rope",
    reason="`if seq_len > max_seq_len_cached` depends on data, and the frequencies of the longest "
    "text so far are kept in a buffer.",
    since="4.57",
    before="6",
    links=(
        "https://github.com/huggingface/transformers/pull/32135",
        "https://github.com/huggingface/transformers/pull/46624",
    ),
    find=find,
)
