"""Rotary positions whose frequencies depend on the longest position (``rope_type="dynamic"``)."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(model: Any) -> Iterator[Patch]:
    """Yield a patch of ``forward`` for each class whose frequencies are replaced in a buffer."""
    for cls in dict.fromkeys(type(each) for each in model.modules() if _is_replaced(each)):
        yield Patch(cls, "forward", _forward(cls.forward))


def _is_replaced(module: Any) -> bool:
    """Tell whether the module recomputes frequencies, in a way that depends on data.

    Since transformers 5.20 at the latest, those of ``longrope`` are chosen by ``torch.where``.
    """
    kinds = getattr(module, "rope_type", None)
    kinds = kinds.values() if isinstance(kinds, dict) else [kinds]
    updates = _updates(type(module).forward)
    return any(
        isinstance(kind, str) and "register_buffer" in updates.get(_kind(kind), ())
        for kind in kinds
    )


def _kind(rope_type: str) -> str:
    return "dynamic" if "dynamic" in rope_type else rope_type


def _updates(forward: Any) -> dict[str, tuple[str, ...]]:
    """Return what the functions use that recompute frequencies before ``forward`` is called."""
    found: dict[str, tuple[str, ...]] = {}
    while forward is not None:
        for cell in getattr(forward, "__closure__", None) or ():
            inner = cell.cell_contents
            name, _, rest = getattr(inner, "__name__", "").partition("_")
            if rest == "frequency_update":
                found[name] = inner.__code__.co_names
        forward = getattr(forward, "__wrapped__", None)
    return found


@replaces(
    "transformers.models.llama.modeling_llama.LlamaRotaryEmbedding.forward",
    "transformers.models.gemma3.modeling_gemma3.Gemma3RotaryEmbedding.forward",
)
def _forward(original: Any) -> Any:
    plain = inspect.unwrap(original)
    kinds = {name for name, used in _updates(original).items() if "register_buffer" in used}

    @functools.wraps(original)
    def forward(self: Any, x: Any, position_ids: Any, layer_type: Any = None) -> Any:
        """Compute the frequencies for the longest position, whatever was there before.

        Up to the original length they are the original ones, as in a model that is new. They are
        written to the buffer, which the model replaces; where that is the original too, they are
        only read from there.
        """
        rest = {} if layer_type is None else {"layer_type": layer_type}
        kind = self.rope_type if layer_type is None else self.rope_type[layer_type]
        if _kind(kind) not in kinds or not is_traced(position_ids):
            return original(self, x, position_ids, **rest)
        name = "inv_freq" if layer_type is None else f"{layer_type}_inv_freq"
        before = self._buffers[name]
        frequencies = _frequencies(self, position_ids, name, kind, rest)
        if name.replace("inv_freq", "original_inv_freq") in self._buffers:
            before.copy_(frequencies)
            return plain(self, x, position_ids, **rest)
        self._buffers[name] = frequencies
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
    original = getattr(self, name.replace("inv_freq", "original_inv_freq")).to(positions.device)
    limit, longest = self.original_max_seq_len, length
    if kind == "longrope":
        limit = _original_length(self.config, rest.get("layer_type"))
        longest = limit + 1
    scaled, _ = ROPE_INIT_FUNCTIONS[kind](self.config, positions.device, seq_len=longest, **rest)
    return torch.where(length > limit, scaled, original)


def _original_length(config: Any, layer_type: Any) -> Any:
    """Return how long the texts were that the model was trained with at first."""
    name = "original_max_position_embeddings"
    scaling = getattr(config, "rope_parameters", None) or {}
    scaling = scaling if layer_type is None else scaling[layer_type]
    return scaling.get(name) or getattr(config, name, None) or config.max_position_embeddings


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
