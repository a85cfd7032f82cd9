"""Casts of whole models whose parts have types of their own: what is found, what excuses it."""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import argument, calls, compile_lazily, dotted_text, last_name, shortened, spaced

from ._cast import (
    PART,
    below,
    built_by,
    cast_type,
    maker,
    named_type,
    precision_tests,
    without_moves,
)

if TYPE_CHECKING:
    from rocmlint.rule import Source

_ENDINGS = "model|pipe|pipeline|policy|vlm|mllm|vla|network"
_OWNERS = rf"(?:\w*(?:{_ENDINGS})|self)"
_IS_MODEL = compile_lazily(rf"(?:.*\.)?{_OWNERS}|.*\b(?:from_pretrained|get_peft_model)")
_MOVES = r"(?:\s*\.\s*(?:eval|cuda|cpu|train)\s*\(\s*\w*\s*\)|\s*\.\s*to\s*\([\w.\"'\s]*\))*"
_CASTS = r"\s*\.\s*(?:(?:half|bfloat16)\s*\(\s*\)|to\s*\([^()]*\b(?:half|b?float16)\b)"
_WHERE = rf"(?:{_ENDINGS}|self){_MOVES}{_CASTS}|\)\s*\.\s*(?:half|bfloat16)\s*\(\s*\)"
_WORDS = (
    *(".half(", ".bfloat16(", "model.to(", "pipe.to(", "pipeline.to(", "policy.to(", "vlm.to("),
    *("vla.to(", "network.to(", "self.to(", "eval().to(", "cuda().to("),
    *(".to(torch.bfloat16", ".to(torch.float16", ".to(torch.half"),
)
_LONGEST_CAST = 40
_REDUCED = {"float16": r"torch\s*\.\s*(?:float16|half)\b", "bfloat16": r"torch\s*\.\s*bfloat16\b"}
_PIPELINE = compile_lazily(r"(?i)\w*pipeline\w*\.from_\w+")
_LOADED_ADAPTER = compile_lazily(r"(?:Auto)?Peft\w*Model\w*\.from_pretrained")
_LOADS = compile_lazily(r"(?:^|\.)from_(?:pretrained|config)$")
_MULTIMODAL = compile_lazily(
    r"VLM?(?![a-z])|VLA(?![a-z])|L[Ll]a[Vv][Aa]|Blip|BLIP|Flamingo|Multi[Mm]odal|Vision2Seq"
    r"|ImageTextToText|VisionEncoderDecoder|PaliGemma|Florence|OmniLMM|Ovis"
)
_TRAINS_BELOW = compile_lazily(
    r"(?i)\boptimi[sz]er\w*\s*=|\boptim\.\w+\(|trainer\s*\(|\.\s*backward\s*\("
)
CASTS_MODEL = calls("half", "bfloat16", "to", words=_WORDS, where=_WHERE)
"""Where :func:`model_cast` may find something."""


class ModelCast(NamedTuple):
    """A cast of all of a model, the calls that made it, and the function around.

    ``scope`` is the text of the function (or file), and ``code`` is it without comments and texts.
    """

    call: cst.Call
    model: cst.BaseExpression
    dtype: str
    made: list[cst.Call]
    scope: str
    code: str

    @property
    def makers(self) -> list[str]:
        """What made the model: ``LlavaModel.from_pretrained``."""
        return [maker(each) for each in self.made]

    @property
    def is_of_pipeline(self) -> bool:
        """Whether the model is a pipeline of several models: not a module, which has `eval()`."""
        name = dotted_text(self.model)
        evaluated = rf"(?<![\w.]){spaced(name or '')}\s*\.\s*eval\s*\("
        if name is not None and re.search(evaluated, self.code) and not self.shows_unet:
            return False
        return any(_PIPELINE.fullmatch(each) for each in self.makers)

    @property
    def shows_unet(self) -> bool:
        """Whether its function reaches into the U-Net of a diffusion pipeline."""
        name = dotted_text(self.model)
        part = rf"(?<![\w.]){spaced(name or '')}\s*\.\s*unet\b"
        return name is not None and re.search(part, self.code) is not None

    @property
    def multimodal_maker(self) -> str | None:
        """The first maker whose name mentions several kinds of input."""
        return next((name for name in self.makers if _MULTIMODAL.search(name)), None)

    @property
    def parts(self) -> list[str]:
        """The parts of the model that its function speaks of; for ``self`` more than one."""
        name = dotted_text(self.model)
        if name is None:
            return []
        inner = r"(?:\s*\.\s*(?:get_model\s*\(\s*\)|(?:base_)?model\b))*"
        part = rf"(?<![\w.]){spaced(name)}{inner}\s*\.\s*(?:get_)?({PART})\b"
        found = re.finditer(part, self.code)
        parts = sorted({match[1] for match in found})
        return [] if name == "self" and len(parts) < 2 else parts


def model_cast(node: cst.Call, source: Source) -> ModelCast | None:
    """Return the cast of a whole model to 16 bits."""
    dtype = cast_type(node, source)
    if dtype not in _REDUCED or not isinstance(node.func, cst.Attribute):
        return None
    model = without_moves(node.func.value)
    named = dotted_text(model.func if isinstance(model, cst.Call) else model)
    if named is None or not _IS_MODEL.fullmatch(named):
        return None
    function = source.function(node)
    scope, code = source.text, source.code
    if function is not None:
        span = source.span(function)
        scope = source.text_of(function)
        code = "\n".join(source.code_lines[span.line - 1 : span.end_line])
    return ModelCast(node, model, dtype, list(built_by(model, node, source)), scope, code)


def parts_of_own_types(cast: ModelCast, *, trains: bool) -> str | None:
    """Return what shows that the parts of a model have types of their own.

    That is an adapter which was loaded, or parts that live code works on. Where a class loads the
    model, its parts have one type; what a module builds for itself is its own affair. In a file
    that trains, an adapter that was just made counts too, and the name of a multimodal class.
    """
    adapted = any(_LOADED_ADAPTER.fullmatch(name) for name in cast.makers)
    if adapted or (trains and "get_peft_model" in cast.makers):
        return "it is an adapter on its base model"
    if trains and cast.multimodal_maker is not None:
        sign = shortened(cast.multimodal_maker, _LONGEST_CAST)
        return f"it is multimodal, as `{sign}` shows"
    loaded = dotted_text(cast.model) == "self" or any(_LOADS.search(each) for each in cast.makers)
    if loaded and not trains:
        return None
    return " and ".join(f"`{name}`" for name in cast.parts[:2]) or None


def contradiction(cast: ModelCast, source: Source) -> str | None:
    """Return the type that the model is loaded in where the cast asks for another one.

    A model in float32 may be worked on before it is cast: that counts in one expression only.
    """
    for made in cast.made:
        loaded = _loaded_type(made, source)
        at_once = made is cast.model
        if loaded not in {None, cast.dtype} and (at_once or loaded in _REDUCED):
            return loaded
    return None


def pipeline_help(cast: ModelCast, source: Source) -> str | None:
    """Return what to do where ``.half()`` or ``.bfloat16()`` of a diffusion pipeline is called.

    It is one of diffusers, or shows its U-Net and is cast to float16, which its VAE may not bear.
    """
    if not cast.is_of_pipeline or last_name(cast.call.func) not in {"half", "bfloat16"}:
        return None
    owners = [each.func.value for each in cast.made if isinstance(each.func, cst.Attribute)]
    is_known = any(map(_is_diffusers_class, owners, repeat(source)))
    if not is_known and not (cast.shows_unet and cast.dtype == "float16"):
        return None
    return (
        f"Pass `torch_dtype=torch.{cast.dtype}` where the pipeline is loaded, or cast only the "
        "U-Net and the text encoder. The VAE is cast too, and that of SDXL overflows in float16."
    )


def cast_message(cast: ModelCast, source: Source) -> str:
    """Return what the cast overwrites, in one sentence."""
    text = source.text_of(cast.call)
    if len(text) > _LONGEST_CAST and isinstance(cast.call.func, cst.Attribute):
        text = text[len(source.text_of(cast.call.func.value)) :]
    return f"`{shortened(text, _LONGEST_CAST)}` casts every part of the model to {cast.dtype}"


def cast_help(reason: str) -> str:
    """Return what to do about a cast of a model whose parts have types of their own."""
    return (
        "Choose the type where the model is loaded (`dtype=`; `torch_dtype=` before transformers "
        "4.56), or cast the one part that needs it. "
        f"Its parts may need types of their own: {reason}."
    )


def is_loaded_so(cast: ModelCast, source: Source) -> bool:
    """Casts to the type that the model was loaded in, said in the call or in its `**kwargs`."""
    return any(_loaded_in(_REDUCED[cast.dtype], each, cast.scope, source) for each in cast.made)


def is_option(cast: ModelCast, source: Source) -> bool:
    """Casts that the user's option asks for (`if args.fp16`)."""
    tests = precision_tests(cast.call, source)
    if cast.is_of_pipeline:  # whose class often has a default type to compare with
        return any(not isinstance(each, cst.Comparison) for each in tests)
    return bool(tests)


def is_of_no_training(cast: ModelCast, source: Source) -> bool:
    """Casts of adapters and known parts that no optimizer follows in the same function."""
    if cast.is_of_pipeline or contradiction(cast, source) is not None:
        return False
    return _TRAINS_BELOW.search(below(cast.call, source)) is None


def _is_diffusers_class(owner: cst.BaseExpression, source: Source) -> bool:
    """Check whether a class, or what a name stands for, is imported from diffusers."""
    bound = source.bindings(owner.value, owner) if isinstance(owner, cst.Name) else []
    known = (owner, *(each.value for each in bound))
    named = (source.resolve(each) for each in known if each is not None)
    return any(each is not None and each.startswith("diffusers.") for each in named)


def _loaded_type(made: cst.Call, source: Source) -> str | None:
    """Return the type that a call which loads a model names."""
    if not (last_name(made.func) or "").startswith("from_"):
        return None
    told = argument(made, None, "torch_dtype") or argument(made, None, "dtype")
    return None if told is None else named_type(told, source)


def _loaded_in(pattern: str, made: cst.Call, scope: str, source: Source) -> bool:
    """Check whether a call, or the options that its function prepares, names a type to load in."""
    if re.search(pattern, source.text_of(made)):
        return True
    key = r"(?:[\"'](?:torch_)?dtype[\"']\s*\]?|(?<![\w.])torch_dtype)"
    return re.search(rf"{key}\s*[=:][^,\n]*{pattern}", scope) is not None
