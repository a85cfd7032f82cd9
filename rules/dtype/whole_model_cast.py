"""ROC402, whole-model-cast."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import PythonRule, calls, compile_lazily, dotted_text
from rocmlint.rule.claims import dtypes

from ._cast import (
    PART,
    asks_precision,
    below,
    built_by,
    cast_type,
    conditions,
    maker,
    without_moves,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_ENDINGS = "model|pipe|pipeline|policy|vlm|mllm|vla|network"
_OWNERS = rf"(?:\w*(?:{_ENDINGS})|self)"
_IS_MODEL = compile_lazily(rf"(?:.*\.)?{_OWNERS}|.*\b(?:from_pretrained|get_peft_model)")
_MOVES = r"(?:\s*\.(?:eval|cuda|cpu|train)\(\w*\)|\s*\.to\([\w.\"' ]*\))*"
_CASTS = r"\s*\.(?:half\(\)|bfloat16\(\)|to\([^()]*\b(?:half|b?float16)\b)"
_WHERE = rf"(?:{_ENDINGS}|self){_MOVES}{_CASTS}|\)\s*\.(?:half|bfloat16)\(\)"
_WORDS = (
    *(".half()", ".bfloat16()", "model.to(", "pipe.to(", "pipeline.to(", "policy.to("),
    *("vlm.to(", "vla.to(", "network.to(", "self.to(", "eval().to(", "cuda().to("),
)
_REDUCED = {"float16": r"torch\.(?:float16|half)\b", "bfloat16": r"torch\.bfloat16\b"}
_PIPELINE = compile_lazily(r"(?i)\w*pipeline\w*\.from_\w+")
_ADAPTED = compile_lazily(r"(?:Auto)?Peft\w*Model\w*\.from_pretrained|get_peft_model")
_MULTIMODAL = compile_lazily(
    r"VLM?(?![a-z])|VLA(?![a-z])|L[Ll]a[Vv][Aa]|Blip|BLIP|Flamingo|Multi[Mm]odal|Vision2Seq"
    r"|ImageTextToText|VisionEncoderDecoder|PaliGemma|Florence|OmniLMM|Ovis"
)
_PROCESSOR = compile_lazily(r"\w*image_processor\b")
_PART_CAST = compile_lazily(rf"\b({PART})\.to\(\s*(?:dtype\s*=|torch\.)")
_KEEPS_FLOAT32 = compile_lazily(r"float32|^\s*[\w.]+\.float\(\)$", re.MULTILINE)
_CASTING_FUNCTION = compile_lazily(
    r"half|fp16|bf16|float16|dtype|precision|convert|cast|export|save"
)


class WholeModelCast(PythonRule["cst.Call"]):
    """A cast of a whole model or pipeline whose parts have types of their own.

    ## Why it matters
    Vision-language models, action models, pipelines and models with adapters are built of parts
    that want different types: norms, routers and rotary tables stay in float32, the VAE of SDXL
    overflows in float16, adapters train in another type than their base. ``model.half()`` after
    the model was built overwrites all of that, whatever type the checkpoint was loaded in: a
    bfloat16 base becomes float16, and large activations become inf.

    ## Instead
    Say ``dtype=`` where the model is loaded, which respects what the model keeps in float32, or
    cast the one part that needs it, and cast activations at the boundary. A cast that repeats
    the type of loading, that the user's option asks for (``if args.fp16``), or that comes before
    parts are set back to float32 is not reported. What only the class of the model says, and
    casts by option beside parts that are cast on their own, are reported with ``--preview``.

    ## Source
    Seed 000, "Dtype Mismatches": never modify the global model dtype logic.
    """

    code = "ROC402"
    name = "whole-model-cast"
    since = "0.1.0"
    on = calls("half", "bfloat16", "to", words=_WORDS, where=_WHERE)
    severity = "warning"
    skips = frozenset({"test", "script"})

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find casts of all of a model that is known to have parts of their own types."""
        dtype = cast_type(node, source)
        if dtype not in _REDUCED or not isinstance(node.func, cst.Attribute):
            return
        model = without_moves(node.func.value)
        named = dotted_text(model.func if isinstance(model, cst.Call) else model)
        if named is None or not _IS_MODEL.fullmatch(named):
            return
        function = source.function(node)
        if function is not None and _CASTING_FUNCTION.search(function.name.value):
            return
        reason = _reason(node, model, _REDUCED[dtype], source)
        if reason is None or not (reason.certain or self.with_preview):
            return
        lost = "range" if dtype == "float16" else "digits"
        message = (
            f"`{' '.join(source.text_of(node).split())}` casts every part of "
            f"`{dotted_text(model) or 'the model'}` ({reason.text}), whatever type it was built "
            f"in, and in {dtype} it loses {lost}. Say `dtype=` where the model is loaded, or cast "
            "the one part that needs it."
        )
        yield self.finding(node, source, message, claims=(dtypes(),))


class _Reason(NamedTuple):
    """What shows that a model has parts of several types; not certain: a matter of preview."""

    text: str
    certain: bool


def _reason(
    cast: cst.Call, model: cst.BaseExpression, dtype: str, source: Source
) -> _Reason | None:
    function = source.function(cast)
    scope = source.text if function is None else source.text_of(function)
    made = list(built_by(model, cast, source))
    if any(_loaded_in(dtype, each, scope, source) for each in made):
        return None
    makers = [maker(each) for each in made]
    asked = [test for test in conditions(cast, source) if asks_precision(test, source)]
    if any(_PIPELINE.fullmatch(name) for name in makers):
        by_flag = any(not isinstance(test, cst.Comparison) for test in asked)
        return None if by_flag else _Reason("a pipeline, with its VAE", certain=False)
    used = _parts_used(model, scope)
    multimodal = next((name for name in makers if _MULTIMODAL.search(name)), None)
    if asked:
        part = _PART_CAST.search(scope) if used or multimodal else None
        return _Reason(f"`{part[1]}` has its own cast", certain=False) if part else None
    if _KEEPS_FLOAT32.search(below(cast, source)):
        return None
    if any(_ADAPTED.fullmatch(name) for name in makers):
        return _Reason("an adapter on its base model", certain=True)
    if used:
        return _Reason(" and ".join(f"`{name}`" for name in used[:2]), certain=True)
    processor = _PROCESSOR.search(scope)
    sign = multimodal or (processor and processor[0])
    return _Reason(f"multimodal, as `{sign}` tells", certain=False) if sign else None


def _loaded_in(dtype: str, made: cst.Call, scope: str, source: Source) -> bool:
    """Say whether a model was loaded in this type, said in the call or in its ``**kwargs``."""
    if re.search(dtype, source.text_of(made)):
        return True
    key = r"(?:[\"'](?:torch_)?dtype[\"']\]?|(?<![\w.])torch_dtype)"
    return any(each.star == "**" for each in made.args) and bool(
        re.search(rf"{key}\s*[=:][^,\n]*{dtype}", scope)
    )


def _parts_used(model: cst.BaseExpression, scope: str) -> list[str]:
    """Give the parts of a model that its function speaks of; one alone is none for ``self``."""
    name = dotted_text(model)
    if name is None:
        return []
    inner = r"(?:\.get_model\(\)|\.model|\.base_model)*"
    found = re.finditer(rf"(?<![\w.]){re.escape(name)}{inner}\.(?:get_)?({PART})\b", scope)
    parts = sorted({match[1] for match in found})
    return [] if name == "self" and len(parts) < 2 else parts
