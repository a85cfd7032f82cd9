"""Casts to another floating-point type, and the models that are cast."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import compile_lazily, conditions, dotted_text, last_name, string_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

PART = (
    r"(?:(?:vision|vis|visual|image|audio|speech)_?"
    r"(?:encoder|tower|model|backbone|projector|projection|proj)"
    r"|visual|(?:mm_|multi_modal_|multimodal_)?project(?:or|ion)|connector|q_?former|resampler"
    r"|perceiver|language_model|llm|action_(?:head|expert))"
)
"""What the parts of multimodal models are called."""
_SHORT = {"half": "float16", "bfloat16": "bfloat16", "float": "float32", "double": "float64"}
_TYPES = compile_lazily(r"(?:torch\.)?(b?float(?:16|32|64)|half|float|double)")
_SAYS_DTYPE = compile_lazily(r"(?:^|_)dtype$")
_MOVES = frozenset({"cpu", "cuda", "eval", "train", "to", "requires_grad_", "half", "bfloat16"})
_MERGES = "merge_and_unload"
"""The model without its adapter, whose weights are in those of its base."""
_PRECISION = compile_lazily(r"(?i)fp16|bf16|fp32|half|float|precision|dtype|\bamp\b")


def cast_type(call: cst.Call, source: Source) -> str | None:
    """Return the type that ``.half()``, ``.to(torch.bfloat16)``, ``.type(…)`` casts to.

    It is "dtype" where only a name says that it is one, and None for what is not a cast.
    """
    if not isinstance(call.func, cst.Attribute):
        return None
    name = call.func.attr.value
    if name in _SHORT:
        return None if call.args else _SHORT[name]
    if name not in {"to", "type"}:
        return None
    for each in call.args:
        if each.keyword is None or each.keyword.value == "dtype":
            known = named_type(each.value, source)
            if known:
                return known
            if each.keyword is not None or _SAYS_DTYPE.search(last_name(each.value) or ""):
                return "dtype"
    return None


def named_type(value: cst.BaseExpression, source: Source) -> str | None:
    """Return the floating-point type of torch that an expression names: ``float16``."""
    known = _TYPES.fullmatch(source.resolve(value) or string_value(value) or "")
    return _SHORT.get(known[1], known[1]) if known else None


def without_moves(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return ``model`` for ``model.eval().cuda()`` and other chains of calls that return it."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value not in _MOVES:
            break
        node = node.func.value
    return node


def built_by(model: cst.BaseExpression, cast: cst.Call, source: Source) -> Iterator[cst.Call]:
    """Yield the calls that made a model before it is cast."""
    name = dotted_text(model)
    bindings = [] if name is None else source.bindings(name, cast)
    values = [each.value for each in bindings if each.value is not None]
    calls = [made for made in map(without_moves, (model, *values)) if isinstance(made, cst.Call)]
    before = [
        each
        for each in calls
        if source.span(each) < source.span(cast) and not _in_other_arm(each, cast, source)
    ]
    merged = [source.span(each) for each in before if last_name(each.func) == _MERGES]
    yield from (each for each in before if not merged or source.span(each) >= max(merged))


def _in_other_arm(node: cst.CSTNode, other: cst.CSTNode, source: Source) -> bool:
    """Check whether two nodes stand in branches of one `if` of which only one runs."""
    arms = {id(each.test): each.holds for each in conditions(other, source)}
    return any(
        arms.get(id(each.test), each.holds) is not each.holds for each in conditions(node, source)
    )


def maker(call: cst.Call) -> str:
    """Return what makes a model, with the name before it: ``LlavaModel.from_pretrained``."""
    owner = call.func.value if isinstance(call.func, cst.Attribute) else None
    names = (None if owner is None else last_name(owner), last_name(call.func))
    return ".".join(name for name in names if name is not None)


def precision_tests(node: cst.CSTNode, source: Source) -> list[cst.BaseExpression]:
    """Return the tests around a node that ask for a precision: ``if args.fp16``, its ``else``."""
    tests = (each.test for each in conditions(node, source))
    return [each for each in tests if _PRECISION.search(source.text_of(each))]


def below(node: cst.CSTNode, source: Source) -> str:
    """Return the text of the function (or the file) around a node that comes after its lines."""
    function = source.function(node)
    last = len(source.lines) if function is None else source.span(function).end_line
    lines = source.lines[source.span(node).end_line : last]
    return "\n".join(lines).replace("\\\n", " ")
