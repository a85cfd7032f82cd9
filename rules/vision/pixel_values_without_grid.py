"""ROC604, pixel-values-without-grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    compile_lazily,
    constant,
    last_name,
    nodes,
    string_value,
    walk,
)

from ._packed import is_of_transformers, is_part_of_model

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Severity, Source

_PAIRS = {
    "pixel_values": "image_grid_thw",
    "pixel_values_videos": "video_grid_thw",
    "image_grid_thw": "pixel_values",
    "video_grid_thw": "pixel_values_videos",
}
_INSTEAD = frozenset({"inputs_embeds", "image_embeds", "position_ids", "mm_token_type_ids"})
"""What a model that is given it needs no pixels for."""
_MAKERS = ("Qwen", "qwen", "QWEN", "Paddle", "paddle", "Glm4", "glm4")
_PACKED = compile_lazily(
    r"(?:[Qq]wen|QWEN)(?:[23](?:[._]?5)?[-_]?(?:[Oo]mni|OMNI|VL|vl)|3[._]5)"
    r"|[Pp]addleOCR_?VL|paddleocr_?vl|[Gg]lm4v"
)
_CLASS = compile_lazily(r"Qwen(?<!\wQwen)[23]\w*(?:VL|Omni)\w*")
_OTHER_CLASS = compile_lazily(
    r"\b(?!Qwen)(?:Auto\w*Model\w*|\w+For(?:ConditionalGeneration|CausalLM|Vision\w+|Image\w+))\b"
    r"|\b(?:CLIP|Siglip|ViT|Dino\w*|Llava\w*|InternVL\w*)Model\b"
)
"""Models whose images may have no grid."""
_RUNS = frozenset({"model", "generate", "forward"})
_ARGUMENT = compile_lazily(r"(?:pixel_values(?:_videos)?|(?:image|video)_grid_thw)[\s\\]*=")


def _given(source: Source) -> Iterator[re.Match[str]]:
    """Find the arguments, in files that name such a model."""
    if is_of_transformers(source):
        return iter(())
    names_one = _PACKED.search(source.text) or _CLASS.search(source.text)
    return _ARGUMENT.finditer(source.text if names_one else "")


class Unpaired(NamedTuple):
    """A call of a model that gives it one of two arguments that belong together."""

    node: cst.Call
    given: str
    missing: str


class PixelValuesWithoutGrid(PythonRule["cst.Call"]):
    """Qwen-VL model gets ``pixel_values`` without ``image_grid_thw``.

    ## Why it matters
    These models take the patches of all images in one tensor, and the grid says which patches
    are an image. Without it the vision tower fails on ``None`` deep in its rotary embedding, and a
    grid without pixels numbers the tokens of images that the model never sees. The same holds for
    videos. Hand on all that the processor returns, or check for both where the batch is made.

    ## Example
    ```python
    from transformers import Qwen2_5_VLForConditionalGeneration

    model = Qwen2_5_VLForConditionalGeneration.from_pretrained("Qwen/Qwen2.5-VL-3B-Instruct")

    def answer(inputs):
        return model.generate(input_ids=inputs["input_ids"], pixel_values=inputs["pixel_values"])
    ```

    ## Use instead
    ```python
    from transformers import Qwen2_5_VLForConditionalGeneration

    model = Qwen2_5_VLForConditionalGeneration.from_pretrained("Qwen/Qwen2.5-VL-3B-Instruct")

    def answer(inputs):
        if ("pixel_values" in inputs) != ("image_grid_thw" in inputs):
            raise ValueError("pixel_values and image_grid_thw belong together")
        return model.generate(**inputs)
    ```

    ## References
    - https://huggingface.co/docs/transformers/model_doc/qwen2_5_vl
    """

    code = "ROC604"
    name = "pixel-values-without-grid"
    since = "0.1.0"
    on = nodes(
        "Call",
        words=_MAKERS,
        suspects=_given,
        described="calls with `pixel_values` or `image_grid_thw`, in files that name a model that "
        "needs both",
    )
    skips = frozenset({"test"})
    excuses = (is_part_of_model,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls of a packed model with one of the two."""
        found = _unpaired(node)
        severity = None if found is None else _severity(node, source)
        if found is None or severity is None or self.is_excused(found, source):
            return
        message = f"`{found.given}` is passed without `{found.missing}`, which belongs to it"
        help = (
            f"Pass `{found.missing}={found.missing}` as well, or all that the processor returned. "
            "Raise where only one of them is there."
        )
        yield self.finding(node, source, message, help=help, severity=severity)


def _unpaired(call: cst.Call) -> Unpaired | None:
    if any(each.star == "**" for each in call.args):
        return None
    given = {
        each.keyword.value: each.value
        for each in call.args
        if each.keyword is not None and constant(each.value) != "None"
    }
    if not given.keys().isdisjoint(_INSTEAD):
        return None
    for name, other in _PAIRS.items():
        if name in given and other not in given:
            return Unpaired(call, name, other)
    return None


def _severity(call: cst.Call, source: Source) -> Severity | None:
    """Return how sure it is that what is called is a model that needs both; None if it is not.

    The class that makes it says so; else the only classes of models that the file names.
    """
    receiver = call.func
    if isinstance(receiver, cst.Attribute) and receiver.attr.value in {"generate", "forward"}:
        receiver = receiver.value
    made = source.value_of(receiver)
    if isinstance(made, cst.Call):
        return "error" if _PACKED.search(_named(made)) else None
    if last_name(receiver) != "model" or (last_name(call.func) or "") not in _RUNS:
        return None
    is_packed = _CLASS.search(source.code) is not None
    return "warning" if is_packed and _OTHER_CLASS.search(source.code) is None else None


def _named(made: cst.Call) -> str:
    """Return the names and strings in what makes a model."""
    names = (
        each.value if isinstance(each, cst.Name) else string_value(each) or ""
        for each in walk(made)
        if isinstance(each, (cst.Name, cst.SimpleString))
    )
    return " ".join(names)
