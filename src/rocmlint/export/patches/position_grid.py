"""Positions of image patches that are resized, unless the image has the model's own size."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator

METHOD = OPTION = "interpolate_pos_encoding"


def find(model: Any) -> Iterator[Patch]:
    """Yield a patch for each class that resizes its positions, and may be asked to by the model."""
    asked = _takes(type(model), OPTION)
    for cls in dict.fromkeys(type(each) for each in model.modules()):
        if callable(vars(cls).get(METHOD)) and (asked or not _takes(cls, OPTION)):
            yield Patch(cls, METHOD, _resizing(vars(cls)[METHOD]))


def _takes(cls: type, name: str) -> bool:
    return name in inspect.signature(cls.forward).parameters  # type: ignore[attr-defined]


@replaces(
    "transformers.models.vit.modeling_vit.ViTEmbeddings.interpolate_pos_encoding",
    "transformers.models.dinov2.modeling_dinov2.Dinov2Embeddings.interpolate_pos_encoding",
)
def _resizing(original: Any) -> Any:
    def interpolate_pos_encoding(self: Any, embeddings: Any, height: Any, width: Any) -> Any:
        """Resize positions for all sizes, as the model itself does for torch.jit.trace.

        Resizing to the same size changes nothing.
        """
        torch: Any = importlib.import_module("torch")
        if not isinstance(height, torch.SymInt) and not isinstance(width, torch.SymInt):
            return original(self, embeddings, height, width)
        before = torch.jit.is_tracing
        torch.jit.is_tracing = lambda: True
        try:
            return original(self, embeddings, height, width)
        finally:
            torch.jit.is_tracing = before

    return interpolate_pos_encoding


BUILTIN = Builtin(
    name="position-grid",
    reason="Positions are not resized if the image has the model's own size, so that the program "
    "of any other size refuses this one; only torch.jit.trace is told apart.",
    since="4.57",
    before="6",
    links=("https://github.com/huggingface/transformers/pull/33226",),
    find=find,
)
