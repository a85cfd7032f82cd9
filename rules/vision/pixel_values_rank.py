"""ROC605, pixel-values-rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    argument,
    compile_lazily,
    conditions,
    constant,
    last_name,
    nodes,
    walk,
)

from ._packed import (
    index_of,
    is_of_transformers,
    is_part_of_model,
    key_of,
    names_grid,
    pixels_named,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_IMAGE_RANK = "4"
_COMPLAINS = frozenset({"warn", "warning", "error", "print"})
_BLOCKS = (
    "Repeat each image as a block: split by `image_grid_thw.prod(-1).tolist()` and concatenate, "
    "or give the processor each image that often."
)
_RANKS = "Accept two dimensions as well, [patches, dim], and raise where it is neither."
_KEEP_ALL = "Keep all rows, and `image_grid_thw` with them."


_GAP = r"(?:[\s\\]|#[^\n]*)*"
_KEEPS_LAYOUT = frozenset(
    {"cat", "concat", "clone", "contiguous", "cpu", "cuda", "detach", "float", "half", "to", "type"}
)
_REPEATED_OR_FIRST = compile_lazily(
    rf"repeat_interleave{_GAP}\(|[\"']{_GAP}\]{_GAP}\[{_GAP}0{_GAP}\]"
)
_OF_PIXELS = compile_lazily(rf"pixel_values\w*(?:{_GAP}[\"')\]])*{_GAP}(?=\.)")
_RANK = compile_lazily(
    rf"\.{_GAP}(?:shape\b(?![ \\]*[\[.,])|size{_GAP}\({_GAP}\)|(?:ndim|dim|ndimension)\b)"
)
"""The size of all dimensions, or their number."""


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find what may hold for images one by one, in files that name the grid."""
    text = "" if is_of_transformers(source) or "pixel_values" not in source.text else source.text
    yield from _REPEATED_OR_FIRST.finditer(text)
    for pixels in _OF_PIXELS.finditer(text):
        rank = _RANK.match(text, pixels.end())
        if rank is not None:
            yield rank


class RankAssumed(NamedTuple):
    """An expression that takes packed pixels for a batch of images, and what to say of it."""

    node: cst.CSTNode
    pixels: cst.BaseExpression
    message: str
    help: str


def is_for_other_models(found: RankAssumed, source: Source) -> bool:
    """Code below a condition on the grid, which so tells packed pixels from others."""
    return any(names_grid(each.test) for each in conditions(found.node, source))


def is_by_name_only(found: RankAssumed, source: Source) -> bool:
    """Pixels that a function is given without a grid, so that only their name says it."""
    function, pixels = source.function(found.node), found.pixels
    if function is None or not isinstance(pixels, cst.Name):
        return False
    bound = [each.node for each in source.bindings(pixels.value, pixels)]
    return all(isinstance(each, cst.Param) for each in bound) and not names_grid(function.params)


class PixelValuesRank(PythonRule["cst.CSTNode"]):
    """Packed ``pixel_values`` are treated as a batch of images.

    ## Why it matters
    Most models take ``pixel_values`` of the shape [images, channels, height, width]. Qwen2-VL and
    its successors take [patches, dim]: the patches of all images, one after the other, and in
    ``image_grid_thw`` a row for each image that says how many are its own. ``repeat_interleave``
    along dimension 0 repeats each patch in place, so that the rows belong to other images than
    the grid says; ``[0]`` keeps one patch; a check for four dimensions refuses every batch.
    Nothing fails where only the contents are wrong.

    Reported is code that names the grid, too, outside of models and processors. Not reported:
    pixels that a call other than of a processor makes, whatever their name.

    ## Example
    ```python
    def repeat_images(inputs, count):
        inputs["pixel_values"] = inputs["pixel_values"].repeat_interleave(count, dim=0)
        inputs["image_grid_thw"] = inputs["image_grid_thw"].repeat_interleave(count, dim=0)
        return inputs
    ```

    ## Use instead
    ```python
    import torch

    def repeat_images(inputs, count):
        sizes = inputs["image_grid_thw"].prod(dim=-1).tolist()
        images = inputs["pixel_values"].split(sizes)
        inputs["pixel_values"] = torch.cat([each for each in images for _ in range(count)])
        inputs["image_grid_thw"] = inputs["image_grid_thw"].repeat_interleave(count, dim=0)
        return inputs
    ```

    ## References
    - https://huggingface.co/docs/transformers/model_doc/qwen2_vl
    """

    code = "ROC605"
    name = "pixel-values-rank"
    since = "0.1.0"
    severity = "warning"
    on = nodes(
        "Call",
        "Subscript",
        "Comparison",
        "Assign",
        words=("grid_thw",),
        suspects=_suspects,
        described="what is done with `pixel_values` in code that names `image_grid_thw`",
    )
    skips = frozenset({"test"})
    excuses = (is_for_other_models, is_part_of_model)
    doubts = (is_by_name_only,)

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find what holds for images one by one, and not for rows of patches."""
        found = _assumed(node, source)
        severity = None if found is None else self.severity_of(found, source)
        if found is not None and severity is not None:
            message, help = found.message, found.help
            yield self.finding(found.node, source, message, help=help, severity=severity)


def _assumed(node: cst.CSTNode, source: Source) -> RankAssumed | None:
    if isinstance(node, cst.Subscript):
        return _first_row(node, source)
    function = source.function(node)
    found: RankAssumed | None = None
    if isinstance(node, cst.Call):
        found = _repeated(node)
    elif isinstance(node, cst.Assign):
        found = _unpacked(node)
    elif isinstance(node, cst.Comparison) and function is not None:
        found = _compared(node, function, source)
    if found is None or function is None or _is_made_here(found.pixels, source):
        return None
    return found if names_grid(function) else None  # last, as it looks at the whole function


def _is_made_here(pixels: cst.BaseExpression, source: Source) -> bool:
    """Return whether a call other than of a processor makes pixels, in whatever layout.

    ``torch.cat`` keeps the layout, as does what moves or converts a tensor.
    """
    bound = source.bindings(pixels.value, pixels) if isinstance(pixels, cst.Name) else []
    if len(bound) > 1 and any(
        isinstance(each.value, cst.Call) and last_name(each.value.func) not in {"get", "pop"}
        for each in bound
    ):
        return True
    made = source.value_of(pixels)
    while isinstance(made, cst.Call) and last_name(made.func) in _KEEPS_LAYOUT:
        owner = made.func.value if isinstance(made.func, cst.Attribute) else None
        made = owner if isinstance(owner, (cst.Call, cst.Name, cst.Attribute)) else None
    return isinstance(made, cst.Call) and last_name(made.func) not in {"get", "pop", "getattr"}


def _repeated(call: cst.Call) -> RankAssumed | None:
    """Find ``pixel_values.repeat_interleave(n, dim=0)``."""
    if last_name(call.func) != "repeat_interleave":
        return None
    method = isinstance(call.func, cst.Attribute) and last_name(call.func.value) != "torch"
    first = call.func.value if method and isinstance(call.func, cst.Attribute) else None
    values = first if first is not None else argument(call, 0, "input")
    count = argument(call, 0 if method else 1, "repeats")
    along = argument(call, 1 if method else 2, "dim")
    if values is None or not isinstance(along, cst.Integer) or along.value != "0":
        return None
    is_one_entry = False
    if isinstance(values, cst.Subscript) and constant(index_of(values)) == "None":
        is_one_entry, values = True, values.value
    name = pixels_named(values)
    if name is None or not isinstance(count, (cst.Name, cst.Attribute, cst.Integer)):
        return None
    message = f"`{name}` holds rows of patches: `repeat_interleave` repeats each patch, no image"
    if is_one_entry:
        message = f"`[None]` makes one entry of all images: `{name}` holds rows of patches"
    return RankAssumed(call, values, message, _BLOCKS)


def _first_row(node: cst.Subscript, source: Source) -> RankAssumed | None:
    """Find ``output["pixel_values"] = processor(text=…, images=…)["pixel_values"][0]``."""
    index, inner = index_of(node), node.value
    if not isinstance(index, cst.Integer) or index.value != "0":
        return None
    if not isinstance(inner, cst.Subscript) or pixels_named(inner) is None:
        return None
    kept = source.parent(node)
    if not isinstance(kept, cst.Assign) or not any(
        isinstance(each.target, cst.Subscript) and key_of(each.target) == key_of(inner)
        for each in kept.targets
    ):
        return None
    made = inner.value if isinstance(inner.value, cst.Call) else source.value_of(inner.value)
    if not isinstance(made, cst.Call) or not _processes_text(made):
        return None
    message = f'`["{key_of(inner)}"][0]` keeps one patch of the image for models such as Qwen-VL'
    return RankAssumed(node, inner, message, _KEEP_ALL)


def _processes_text(call: cst.Call) -> bool:
    """Return whether a processor is given images and text, and not asked for an image alone."""
    given = {each.keyword.value for each in call.args if each.keyword is not None}
    return {"text", "images"} <= given


def _unpacked(node: cst.Assign) -> RankAssumed | None:
    """Find ``batch, channels, height, width = pixel_values.shape``."""
    target, value = node.targets[0].target, node.value
    if not isinstance(target, cst.Tuple) or len(target.elements) != int(_IMAGE_RANK):
        return None
    if isinstance(value, cst.Call) and last_name(value.func) == "size" and not value.args:
        value = value.func
    if not isinstance(value, cst.Attribute) or value.attr.value not in {"shape", "size"}:
        return None
    name = pixels_named(value.value)
    if name is None:
        return None
    message = f"`{name}` holds rows of patches, [patches, dim], and has no four dimensions"
    return RankAssumed(node, value.value, message, _RANKS)


def _refuses(node: cst.Comparison, source: Source) -> bool:
    """Return whether what has another rank is refused or complained of."""
    operator, checks = node.comparisons[0].operator, source.parent(node)
    if isinstance(checks, cst.Assert):
        return isinstance(operator, cst.Equal)
    if not isinstance(checks, cst.If) or not isinstance(operator, cst.NotEqual):
        return False
    return any(
        isinstance(each, cst.Raise)
        or (isinstance(each, cst.Call) and (last_name(each.func) or "") in _COMPLAINS)
        for each in walk(checks.body)
    )


def _compared(
    node: cst.Comparison, function: cst.FunctionDef, source: Source
) -> RankAssumed | None:
    """Find ``if pixel_values.ndim != 4: raise``, where no other rank is asked for."""
    if len(node.comparisons) != 1 or _rank_asked(node) != _IMAGE_RANK:
        return None
    pixels = _pixels_asked(node)
    if not _refuses(node, source):
        return None
    asked = {_rank_asked(each) for each in walk(function) if isinstance(each, cst.Comparison)}
    if asked - {None, _IMAGE_RANK} or pixels is None:
        return None
    message = "packed `pixel_values` have two dimensions, [patches, dim], and never four"
    return RankAssumed(node, pixels.value, message, _RANKS)


def _rank_asked(node: cst.Comparison) -> str | None:
    """Return with what number the rank of pixels is compared."""
    right = node.comparisons[0].comparator
    if _pixels_asked(node) is None:
        return None
    return right.value if isinstance(right, cst.Integer) else "other"


def _pixels_asked(node: cst.Comparison) -> cst.Attribute | None:
    """Return the attribute of pixels that says their rank."""
    left = node.left
    if isinstance(left, cst.Call) and last_name(left.func) in {"dim", "ndimension"}:
        left = left.func
    if isinstance(left, cst.Call) and last_name(left.func) == "len" and left.args:
        left = left.args[0].value
    if not isinstance(left, cst.Attribute) or pixels_named(left.value) is None:
        return None
    return left if left.attr.value in {"dim", "ndim", "ndimension", "shape"} else None
