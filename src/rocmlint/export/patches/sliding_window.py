"""Layers of a cache with a sliding window, while a program is traced."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(model: Any) -> Iterator[Patch]:
    """Yield patches of the layer if some configuration in the model has a sliding window."""
    layer: Any = getattr(sys.modules.get("transformers.cache_utils"), LAYER, None)
    if layer is not None and any(map(_has_window, model.modules())):
        dynamic = layer.__mro__[1]
        yield Patch(layer, "update", _update(layer.update, dynamic.update))
        sizes = _get_mask_sizes(layer.get_mask_sizes, dynamic.get_mask_sizes)
        yield Patch(layer, "get_mask_sizes", sizes)


def _has_window(module: Any) -> bool:
    config = getattr(module, "config", None)
    return any(
        getattr(config, name, None) is not None
        for name in ("sliding_window", "attention_chunk_size")
    )


@replaces("transformers.cache_utils.DynamicSlidingWindowLayer.update")
def _update(original: Any, dynamic: Any) -> Any:
    def update(self: Any, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> Any:
        """Keep all tokens while a program is traced: how many are dropped depends on the size."""
        if not is_traced(key_states):
            return original(self, key_states, value_states, *args, **kwargs)
        states = dynamic(self, key_states, value_states, *args, **kwargs)
        self.cumulative_length = self.keys.shape[-2]
        return states

    return update


@replaces("transformers.cache_utils.DynamicSlidingWindowLayer.get_mask_sizes")
def _get_mask_sizes(original: Any, dynamic: Any) -> Any:
    def get_mask_sizes(self: Any, query_length: Any) -> Any:
        """Return the length and the offset for all tokens, which are kept while traced."""
        traced = self.is_initialized and is_traced(self.keys)
        return (dynamic if traced else original)(self, query_length)

    return get_mask_sizes


LAYER = "DynamicSlidingWindowLayer"
BUILTIN = Builtin(
    name="sliding-window",
    reason="The layer drops all but the last tokens and counts them in a Python integer: the "
    "program is for the traced length only, or for none beyond the window.",
    since="4.57",
    before="6",
    links=(
        "https://github.com/huggingface/transformers/pull/49542",
        "https://github.com/huggingface/transformers/issues/44609",
    ),
    find=find,
)
