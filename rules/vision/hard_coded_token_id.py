"""ROC607, hard-coded-token-id."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    compile_lazily,
    last_name,
    nodes,
    occurs,
    string_value,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FAMILY = "Qwen2, Qwen2.5 and Qwen3"
_TOKENS = {
    "151643": "<|endoftext|>",
    "151644": "<|im_start|>",
    "151645": "<|im_end|>",
    "151652": "<|vision_start|>",
    "151653": "<|vision_end|>",
    "151654": "<|vision_pad|>",
    "151655": "<|image_pad|>",
    "151656": "<|video_pad|>",
    "151667": "<think>",
    "151668": "</think>",
}
"""What ids mean that no number of another kind is likely to be."""
_OF_CHECKPOINT = "151646"
"""One token or another, by the checkpoint: in LLaVA-OneVision it is the image."""
_VOCABULARY = 151669
"""The first number that no token of Qwen2, Qwen2.5 and Qwen3 has."""
_NAMES_FAMILY = compile_lazily("(?i)qwen")
_ID = compile_lazily(r"(?i)(?:^|_)(?:ids?|idx|index|tokens?|pad|eos|bos)(?:_|$)|id$")
_SEEKS = frozenset({"index", "count", "find", "findall", "eq", "ne", "isin", "rfind"})
_SIZES = compile_lazily(r"(?i)size|len|dim|vocab|shape")
_OWN_BUSINESS = compile_lazily(
    r"(?:^|_)(?:config(?:uration|s)?|token(?:ization|izers?)|processing|processors?|modell?ing"
    r"|modular|convert(?:er)?|export|vocab(?:ulary)?|gguf)(?:_|\.)"
)
"""How files are called that define a model, its vocabulary or a format."""
_ASKS = compile_lazily(r"convert_tokens_to_ids|token_to_id\b|get_vocab\b|added_tokens_encoder")
_CONFIG_OBJECT = compile_lazily(r"(?i)(?:config|cfg)\Z")
_MODEL_CLASS = compile_lazily(r"(?m)^class[\s\\]+\w+[\s\\]*\([^)]*\bnn[\s\\]*\.[\s\\]*Module\b")
_OTHER_MEANING = compile_lazily(r"(?i)audio|music|speech|stop")
_CONFIG = compile_lazily(r"(?i)config|args|arguments|params|settings")
_CONFIGURED = compile_lazily(r"(?i)config|args|arguments|params|settings|^__init__$")


class HardCodedId(NamedTuple):
    """An id of a special token that is written as a number."""

    node: cst.Integer
    use: cst.CSTNode


def names_family(found: HardCodedId, source: Source) -> bool:
    """Files that name Qwen, whose numbers these are."""
    del found
    return occurs(_NAMES_FAMILY, source)


def is_of_model(found: HardCodedId, source: Source) -> bool:
    """Files that define the layers of a model, its configuration, its vocabulary or a format.

    Written for Blaizzy/mlx-vlm, mlx_vlm/models/jina_vlm/image_processor.py.
    """
    del found
    name = os.path.basename(source.path).lower()
    return _OWN_BUSINESS.search(name) is not None or _MODEL_CLASS.search(source.code) is not None


def has_other_meaning(found: HardCodedId, source: Source) -> bool:
    """Names that speak of audio or of where to stop, and lists that go beyond Qwen's vocabulary."""
    del source
    if isinstance(found.use, (cst.Assign, cst.AnnAssign)):
        targets = (
            [each.target for each in found.use.targets]
            if isinstance(found.use, cst.Assign)
            else [found.use.target]
        )
        if any(_OTHER_MEANING.search(last_name(each) or "") for each in targets):
            return True
    if (
        isinstance(found.use, cst.Arg)
        and found.use.keyword is not None
        and _OTHER_MEANING.search(found.use.keyword.value)
    ):
        return True
    numbers = (each.value for each in walk(found.use) if isinstance(each, cst.Integer))
    return any(each.isdecimal() and int(each) >= _VOCABULARY for each in numbers)


def is_in_configuration(found: HardCodedId, source: Source) -> bool:
    """Defaults of parameters, and what a configuration or a base class is given."""
    for above in source.ancestors(found.node):
        if isinstance(above, cst.Param):
            return True
        if isinstance(above, cst.Call) and _CONFIGURED.search(last_name(above.func) or ""):
            return True
        if isinstance(above, cst.Assign) and any(map(_is_setting, above.targets)):
            return True
        if isinstance(above, (cst.FunctionDef, cst.ClassDef)):
            return isinstance(above, cst.ClassDef) and _is_configuration(above)
        if isinstance(above, cst.Dict) and any(map(_is_architecture, above.elements)):
            return True
    return False


def is_compared_with_tokenizer(found: HardCodedId, source: Source) -> bool:
    """Assertions, and functions and constants beside code that asks a tokenizer for ids."""
    if source.enclosing(found.node, cst.Assert) is not None:
        return True
    above = source.enclosing(found.node, cst.FunctionDef, cst.ClassDef)
    text = source.text if above is None else source.text_of(above)
    return _ASKS.search(text) is not None


class HardCodedTokenId(PythonRule["cst.Integer"]):
    """Special token id is hard-coded as a number.

    ## Why it matters
    ``151655`` is ``<|image_pad|>`` in the vocabulary that Qwen2-VL, Qwen2.5-VL and Qwen3-VL share.
    It is another token, or none, in their successors, in other families, and in a checkpoint whose
    vocabulary was extended. Code that looks for the number then finds no image, or masks the wrong
    tokens, and says nothing: the loss is computed on what should be ignored.

    Looked at are the ids of the special tokens of Qwen2, Qwen2.5 and Qwen3. Those of one
    function or class are one finding.

    ## Example
    ```python
    def count_images(input_ids):
        return (input_ids == 151655).sum()
    ```

    ## Use instead
    Ask the tokenizer, or the configuration of the model. Where the number must be in the code,
    compare it with what the tokenizer says when the program starts.
    ```python
    def count_images(input_ids, tokenizer):
        image = tokenizer.convert_tokens_to_ids("<|image_pad|>")
        return (input_ids == image).sum()
    ```

    ## References
    - https://huggingface.co/docs/transformers/main_classes/tokenizer
    """

    code = "ROC607"
    name = "hard-coded-token-id"
    since = "0.1.0"
    severity = "note"
    on = nodes(
        "Integer",
        words=("15164", "15165", "15166"),
        where=r"\b(?:15164[3-6]|15165[2-6]|15166[78])\b",
        described="the ids of special tokens of Qwen2, Qwen2.5 and Qwen3 as numbers",
    )
    skips = frozenset({"test", "benchmark", "docs", "example"})
    excuses = (
        names_family,
        is_of_model,
        has_other_meaning,
        is_in_configuration,
        is_compared_with_tokenizer,
    )

    def check(self, node: cst.Integer, source: Source) -> Iterator[Finding]:
        """Find numbers that are compared with ids, looked for, or called an id."""
        use = _use(node, source) if node.value in {*_TOKENS, _OF_CHECKPOINT} else None
        if use is None or self.is_excused(HardCodedId(node, use), source):
            return
        token = _TOKENS.get(node.value)
        message = f"`{node.value}` is `{token}` in the vocabulary of {_FAMILY} only"
        ask = f'`tokenizer.convert_tokens_to_ids("{token}")`'
        if token is None:
            message = f"`{node.value}` is one token or another, by the checkpoint of {_FAMILY}"
            ask = "`tokenizer.convert_tokens_to_ids(...)`"
        help = f"Take it from {ask} or the model's configuration."
        finding = self.finding(node, source, message, help=help)
        yield replace(finding, once=f"{self.code} {source.path} {_around(node, source)}")


def _use(node: cst.Integer, source: Source) -> cst.CSTNode | None:
    """Return what uses a number as the id of a token; None where it may be something else."""
    below: cst.CSTNode = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.Comparison, cst.ComparisonTarget)):
            below = above
            if isinstance(above, cst.Comparison):
                return above if _compares_id(above, source) else None
        elif isinstance(above, cst.Call):
            return above if last_name(above.func) in _SEEKS else None
        elif isinstance(above, cst.Arg):
            if above.keyword is not None:
                return above if _ID.search(above.keyword.value) else None
            below = above
        elif isinstance(above, cst.DictElement):
            key = string_value(above.key) or ""
            return above if above.value is below and _is_token(key) else None
        elif isinstance(above, (cst.Assign, cst.AnnAssign)):
            targets = (
                [above.target]
                if isinstance(above, cst.AnnAssign)
                else [each.target for each in above.targets]
            )
            return above if any(map(_is_id, targets)) else None
        elif not isinstance(above, (cst.List, cst.Tuple, cst.Set, cst.BaseElement)):
            return None
        else:
            below = above
    return None


def _compares_id(node: cst.Comparison, source: Source) -> bool:
    kinds = (cst.Equal, cst.NotEqual, cst.In, cst.NotIn)
    return all(isinstance(each.operator, kinds) for each in node.comparisons) and not _SIZES.search(
        re.sub(r"\blen\(.*?\)-", "", source.text_of(node))
    )


def _is_id(target: cst.BaseExpression) -> bool:
    if isinstance(target, (cst.Tuple, cst.List)):
        return all(_is_id(each.value) for each in target.elements)
    name = last_name(target) or ""
    return _ID.search(name) is not None and not _SIZES.search(name)


def _is_token(key: str) -> bool:
    return key.startswith("<") or (_ID.search(key) is not None and not _SIZES.search(key))


def _is_setting(target: cst.AssignTarget) -> bool:
    """Return whether an assignment is like ``config.pad_token_id = 151643``."""
    owner = target.target.value if isinstance(target.target, cst.Attribute) else None
    return owner is not None and _CONFIG_OBJECT.search(last_name(owner) or "") is not None


def _is_configuration(node: cst.ClassDef) -> bool:
    """Return whether a class is called a configuration, derives from one, or is a dataclass."""
    names = [node.name.value, *(last_name(each.value) or "" for each in node.bases)]
    decorators = (
        each.decorator.func if isinstance(each.decorator, cst.Call) else each.decorator
        for each in node.decorators
    )
    return any(map(_CONFIG.search, names)) or "dataclass" in map(last_name, decorators)


def _is_architecture(element: cst.BaseDictElement) -> bool:
    key = string_value(element.key) if isinstance(element, cst.DictElement) else None
    return key in {"vocab_size", "hidden_size", "architectures", "model_type", "content"}


def _around(node: cst.CSTNode, source: Source) -> str:
    """Return where the function or class around a node begins, "" at the top of a file."""
    above = source.enclosing(node, cst.FunctionDef, cst.ClassDef)
    return "" if above is None else str(source.span(above).line)
