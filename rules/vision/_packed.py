"""Images of models in the manner of Qwen-VL: rows of patches, and a grid for each image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import libcst as cst

from rocmlint.rule import compile_lazily, last_name, string_value, walk

if TYPE_CHECKING:
    from rocmlint.rule import File, Source

_GRIDS = compile_lazily(r"(?:\w+_)?(?:image|video)_grid_thw$")
"""How the grids of packed images are called."""
_PIXELS = compile_lazily(r"(?:\w+_)?pixel_values(?:_videos)?$")
_MODELS = compile_lazily(
    r"Module|PreTrainedModel|Mixin|For[A-Z]\w+|Processor|Tower|Encoder|Adapter"
)


def pixels_named(node: cst.CSTNode) -> str | None:
    """Return how an expression calls pixels: ``pixel_values``, ``inputs["pixel_values"]``."""
    name = key_of(node) if isinstance(node, cst.Subscript) else last_name(node)
    return name if name is not None and _PIXELS.match(name) else None


def key_of(node: cst.Subscript) -> str | None:
    """Return the key in ``inputs["key"]``."""
    return string_value(index_of(node))


def index_of(node: cst.Subscript) -> cst.BaseExpression | None:
    """Return the one index in ``values[index]``; None for slices and several of them."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return index.value if isinstance(index, cst.Index) else None


def names_grid(node: cst.CSTNode) -> bool:
    """Return whether code names the grid of packed images."""
    for each in walk(node):
        text = each.value if isinstance(each, cst.Name) else None
        if isinstance(each, cst.SimpleString):
            text = string_value(each)
        if text is not None and _GRIDS.match(text):
            return True
    return False


def is_of_transformers(source: File) -> bool:
    """Return whether a file belongs to transformers, which makes the layout itself."""
    return (source.package or ("",))[0] == "transformers"


class Placed(Protocol):
    """What a rule found, with its node."""

    @property
    def node(self) -> cst.CSTNode:
        """Where it was found."""


def is_part_of_model(found: Placed, source: Source) -> bool:
    """Models and processors, which make the layout themselves, and transformers.

    Written for taemin6697/streamingvlm-executorch,
    my_research/foundation/models/qwen2_5_vl/vision_encoder/model.py.
    """
    owner = source.enclosing(found.node, cst.ClassDef)
    return is_of_transformers(source) or (
        owner is not None
        and any(_MODELS.search(last_name(each.value) or "") for each in owner.bases)
    )
