"""What ``prepare_inputs_for_generation`` hands to every step of the generation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    calls_in,
    compile_lazily,
    conditions,
    constant,
    dotted_text,
    last_name,
    string_value,
    walk,
)

from ._packed import is_of_transformers, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.rule import Source

METHOD = "prepare_inputs_for_generation"
_METHOD = compile_lazily(rf"def[\s\\]+{METHOD}\b")
_VISION = compile_lazily(r"(?:pixel_values(?:_\w+)?|images?|videos?)$")
"""How arguments are called that hold pixels."""
_GATES = compile_lazily(
    r"past_key_values|past_length|cache|is_first_iteration|next_sequence_length|prefill|pre_fill"
    r"|first_(?:step|iteration)|shape|size\(|\blen\(|step"
)
"""What a condition names that tells the first step from those that follow."""
_SINGLE_TOKEN = compile_lazily(
    r"(?:shape\[-?1\]|size\((?:dim=)?-?1\)|seq_?len\w*|\w+_length|len\(\w+\[0\]\))(?:[=!]=|[<>]=?)[012]\b"
    r"|past_key_values|cacheis(?:not)?None|cache_position|past_length|get_seq_length"
)
"""How a model asks whether a step has more than the one new token, without blanks."""
_CACHES = {"past_key_values", "cache"}
"""How the cache is called, and since transformers 5.24."""
_MODELS = compile_lazily(r"PreTrainedModel|GenerationMixin|LMHead|For[A-Z]\w+")

_TOWERS = compile_lazily(r"vision|visual|vit|tower|encode|image_features|projector|clip|backbone")
"""How the part of a model is called that is given pixels alone, and knows nothing of tokens."""


class HandedOn(NamedTuple):
    """An argument with pixels that a method puts among the inputs of every step."""

    node: cst.CSTNode
    name: str
    method: cst.FunctionDef


def methods(source: Source) -> Iterator[re.Match[str]]:
    """Find where the method is defined, outside of transformers itself."""
    return _METHOD.finditer("" if is_of_transformers(source) else source.text)


def handed_on(method: cst.FunctionDef, source: Source) -> HandedOn | None:
    """Return the first vision input that a method of a model hands on on every step."""
    found = [each for each in _set(method) if not _is_gated(each, source)]
    return min(found, key=lambda each: source.span(each.node), default=None)


def is_no_model(found: HandedOn, source: Source) -> bool:
    """Methods of serving engines and of other frameworks, which have another contract.

    Written for InternLM/lmdeploy, lmdeploy/pytorch/models/kimi_k25.py.
    """
    owner = source.enclosing(found.method, cst.ClassDef)
    bases = () if owner is None else owner.bases
    if owner is None or not any(_MODELS.search(last_name(each.value) or "") for each in bases):
        return True
    parameters = found.method.params
    names = {each.name.value for each in (*parameters.params, *parameters.kwonly_params)}
    is_flax = owner.name.value.startswith(("Flax", "TF"))
    return is_flax or (parameters.star_kwarg is None and "attention_mask" not in names)


def drops_it(found: HandedOn, source: Source) -> bool | None:
    """Return whether the model leaves vision inputs alone where a step has one token.

    None where that is unknown, where nothing generates with the model, and where a step with one
    token asks whether there are any: then it needs them.
    """
    owner = source.whole_class(found.method)
    members = () if owner is None else owner.body.body
    methods = {each.name.value: each for each in members if isinstance(each, cst.FunctionDef)}
    forward = methods.get("forward")
    if forward is None or not _decodes(forward, found.name):
        return None
    if _asks(_tests(forward, source), found.name):
        return True
    answers = [
        _drops(call, found.name, methods, source)
        for call in calls_in(forward)
        if any(_is_name(each.value, found.name) for each in call.args)
    ]
    if True in answers or None in answers:
        return True if True in answers else None
    return None if "generate" in methods else False


def gate(found: HandedOn, source: Source) -> str:
    """Return what to do: how to tell the first step."""
    line = source.named_line(source.span(found.node).line)
    return (
        f"Set `{found.name}` ({line}) only in the first step: where the cache is empty, "
        "or transformers 5 passes `is_first_iteration`."
    )


def _drops(
    call: cst.Call, pixels: str, methods: Mapping[str, cst.FunctionDef], source: Source
) -> bool | None:
    """Return whether a method that is given the pixels asks for single tokens; None if unknown."""
    if any(pixels not in source.text_of(each.test) for each in conditions(call, source)):
        return None
    method = last_name(call.func) or ""
    if dotted_text(call.func) == f"self.{method}":
        if method in methods:
            return _asks(_tests(methods[method], source), pixels)
        defined = source.modules_with(source.project.folders[-1], (rf"def {method}\b",))
        if defined:
            return _asks("\n".join(map(source.read, defined)), pixels) or None
    return False if _TOWERS.search(method) else None


def _asks(tests: str, pixels: str) -> bool | None:
    """Return whether tests ask for a single token; None where one asks for pixels with it."""
    tight, pixels = _tight(tests), re.escape(pixels)
    if re.search(rf"{pixels}isnotNoneand[^:]{{0,80}}(?:shape\[-?1\]|size\(1\))==1", tight):
        return None
    return _SINGLE_TOKEN.search(tight) is not None


def _decodes(forward: cst.FunctionDef, pixels: str) -> bool:
    """Return whether a model takes pixels, and the cache that ``generate`` hands on."""
    parameters = forward.params
    names = {each.name.value for each in (*parameters.params, *parameters.kwonly_params)}
    takes_cache = parameters.star_kwarg is not None or names & _CACHES
    return pixels in names and bool(takes_cache)


def _tests(function: cst.FunctionDef, source: Source) -> str:
    """Return the conditions of a function, one a line."""
    return "\n".join(
        source.text_of(each.test)
        for each in walk(function)
        if isinstance(each, (cst.If, cst.IfExp, cst.Assert, cst.While))
    )


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _set(method: cst.FunctionDef) -> Iterator[HandedOn]:
    """Yield the vision inputs that a method puts into a dictionary."""
    for each in walk(method.body):
        if isinstance(each, cst.DictElement):
            yield from _named(each, string_value(each.key), each.value, method)
        elif isinstance(each, cst.Assign):
            for target in each.targets:
                key = key_of(target.target) if isinstance(target.target, cst.Subscript) else None
                yield from _named(each, key, each.value, method)
        elif isinstance(each, cst.Call) and last_name(each.func) in {"dict", "update"}:
            for argument in each.args:
                name = argument.keyword.value if argument.keyword else None
                yield from _named(argument, name, argument.value, method)


def _named(
    node: cst.CSTNode, name: str | None, value: cst.BaseExpression, method: cst.FunctionDef
) -> Iterator[HandedOn]:
    if name is not None and _VISION.match(name) and constant(value) is None:
        yield HandedOn(node, name, method)


def _is_gated(found: HandedOn, source: Source) -> bool:
    """Return whether a condition keeps the input out of the steps that follow the first."""
    for each in walk(found.method.body):
        if not isinstance(each, (cst.If, cst.IfExp)):
            continue
        test, text = source.text_of(each.test), source.text_of(each)
        body = source.text_of(each.body) if isinstance(each, cst.If) else ""
        if _resets(found.name, body):
            return True
        if _GATES.search(test) and (found.name in text.replace(test, "", 1) or _leaves(each)):
            return True
    return False


def _resets(name: str, text: str) -> bool:
    """Return whether a block takes an input away again."""
    tight = _tight(text)
    quoted = (f"'{name}'", f'"{name}"')
    away = (f"{name}=None", *(f"[{each}]=None" for each in quoted))
    return any(each in tight for each in (*away, *(f".pop({each}" for each in quoted)))


def _tight(text: str) -> str:
    """Return code without blanks."""
    return "".join(text.replace("\\", " ").split())


def _leaves(condition: cst.If | cst.IfExp) -> bool:
    return isinstance(condition, cst.If) and any(
        isinstance(each, cst.Return) for each in walk(condition.body)
    )
