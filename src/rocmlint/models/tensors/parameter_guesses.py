"""What a parameter holds, by its annotation or, where it has none, by its well-known name."""

from __future__ import annotations

import ast
import re

from rocmlint.models.tensors.torch_names import TENSOR_TYPES, words
from rocmlint.models.tensors.value_facts import (
    CONFIG,
    PYTHON,
    TENSOR,
    UNKNOWN,
    Held,
    container,
    fixed,
    join,
    mapping,
)
from rocmlint.python.names import last_name

_GUESS = TENSOR._replace(sure=False)
_NEVER = re.compile(r"(?:output|use|return|is|has|do|with|num|max|min)_\w+")
"""Names of settings, even where an annotation says something else."""
_CONFIGS = re.compile(r"(?:\w*_)?(?:config|cfg|conf|args|hparams|opt)")
_TENSOR_NAMES = re.compile(
    r"""\w+_embeds?|(?:\w+_)?(?:hidden_states?|embeddings?|logits|attention_mask|attn_mask|padding_mask
    |pixel_values|pixel_mask|cu_seqlens|grid_thw|causal_mask|input_features|latents?)
    |input_ids|position_ids|token_type_ids|decoder_input_ids|labels|query|key|query_states
    |key_states|value_states|queries|keys|cos|sin|tensor|q|k|v|timesteps?""",
    re.VERBOSE,
)
_FORWARD_INPUTS = frozenset({"x", "input", "src", "tgt", "feat", "feats", "features", "image"})
"""What the first parameter of ``forward`` is often called; in other functions they are anything."""
_CONTAINERS = words(
    """
    list List Sequence Iterable Collection Iterator MutableSequence set Set frozenset deque Deque
    Generator
    """
)
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict"})
_TUPLES = frozenset({"tuple", "Tuple"})
_PYTHON_TYPES = words(
    """
    int float bool str bytes complex None NoneType dtype device Path Callable Literal Module
    ModuleList Size Generator Type type memory_format
    """
)
_WRAPPERS = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired"})


def of_parameter(name: str, annotation: ast.expr | None, *, first_of_forward: bool) -> Held:
    """Return what a parameter holds before anything is known of the calls."""
    if is_setting(name):
        return PYTHON
    if annotation is not None:
        return of_annotation(annotation)
    if _CONFIGS.fullmatch(name):
        return CONFIG
    if _TENSOR_NAMES.fullmatch(name) or (first_of_forward and name in _FORWARD_INPUTS):
        return _GUESS
    return UNKNOWN


def is_setting(name: str) -> bool:
    """Check whether a parameter is a setting by its name, whatever its annotation says."""
    return _NEVER.fullmatch(name) is not None


def of_annotation(annotation: ast.expr) -> Held:
    """Return what an annotation says; of alternatives, that it may be a tensor."""
    match annotation:
        case ast.Constant(value=None):
            return PYTHON
        case ast.Constant(value=str(text)):
            return _of_text(text)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _alternatives([left, right])
        case ast.Subscript(value=value, slice=inner):
            return _of_subscript(last_name(value), inner)
    name = last_name(annotation)
    if name in TENSOR_TYPES:
        return _GUESS  # lists of tensors are annotated so, too
    if name.endswith(("Config", "Args", "Arguments")):
        return CONFIG
    return PYTHON if name in _PYTHON_TYPES else UNKNOWN._replace(of=f"object {name}")


def _of_subscript(name: str, inner: ast.expr) -> Held:
    inners = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Union":
        return _alternatives(inners)
    if name in _WRAPPERS:
        return of_annotation(inners[0])
    if name in _TUPLES:
        return _of_tuple(inners)
    if name in _CONTAINERS:
        return container(of_annotation(inners[0]))
    if name in _MAPPINGS:
        return mapping(of_annotation(inners[-1]))
    return PYTHON if name in _PYTHON_TYPES else UNKNOWN


def _of_tuple(inners: list[ast.expr]) -> Held:
    if len(inners) == 2 and isinstance(inners[1], ast.Constant) and inners[1].value is ...:
        return container(of_annotation(inners[0]))
    # A tuple of one type is often written for one of any length.
    if len(inners) == 1:
        return container(of_annotation(inners[0]))
    return fixed(of_annotation(each) for each in inners)


def _alternatives(nodes: list[ast.expr]) -> Held:
    found = [of_annotation(each) for each in nodes]
    known = [each for each in found if each.kind is not UNKNOWN.kind] or found
    result = known[0]
    for each in known[1:]:
        result = join(result, each)
    return result


def _of_text(text: str) -> Held:
    try:
        return of_annotation(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return UNKNOWN
