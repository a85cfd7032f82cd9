"""ROC404, uncast-boundary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls_in,
    compile_lazily,
    dotted_text,
    last_name,
    nodes,
    shortened,
    spaced,
)
from rocmlint.rule.claims import dtypes

from ._cast import PART, cast_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_REDUCED = compile_lazily(r"\b(?:torch\s*\.\s*)?(bfloat16|float16|half)\b")
_FLOAT = compile_lazily(r"\.\s*float\s*\(\s*\)")
_FED_FLOAT = compile_lazily(r"\w\s*\([^()]*\.\s*float\s*\(\s*\)")
_LONGEST_NAME = 30
_REDUCED_TYPES = ("bfloat16", "float16", "half")
_WORDS = (
    *(
        f"{before}torch.{dtype}"
        for before in ("dtype=", "dtype = ", "(", "( ")
        for dtype in _REDUCED_TYPES
    ),
    *(f"torch.{dtype}\n" for dtype in _REDUCED_TYPES),
    *(".half(", ".half (", ". half", ".bfloat16(", ".bfloat16 (", ". bfloat16"),
)
_PARTS = compile_lazily(rf"{PART}|(?:\w+_)?(?:encoder|backbone|expert|vae)")


def _floats(source: Source) -> Iterator[re.Match[str]]:
    """Find casts to float32."""
    return _FLOAT.finditer(source.text)


def _fed_floats(source: Source) -> Iterator[re.Match[str]]:
    """Find calls with such a cast as an argument."""
    return _FED_FLOAT.finditer(source.code)


def is_under_autocast(node: cst.Call, source: Source) -> bool:
    """Files that use autocast."""
    del node
    return "autocast" in source.code


class UncastBoundary(PythonRule["cst.Call"]):
    """Float32 output enters a bfloat16 or float16 module without a cast.

    ## Why it matters
    A part that is fed ``x.float()`` runs in float32 and returns float32. The next part was cast
    to bfloat16, so its first matrix product stops with ``expected scalar type Float but found
    BFloat16``. Casting the whole model to get rid of the message loses the precision that the
    first part needs.

    ## Example
    ```python
    import torch

    class Policy(torch.nn.Module):
        def __init__(self, tower, projector):
            self.vision_tower = tower
            self.projector = projector.to(torch.bfloat16)

        def forward(self, x):
            return self.projector(self.vision_tower(x.float()))
    ```

    ## Use instead
    Cast at the boundary, and only there.
    ```python
    import torch

    class Policy(torch.nn.Module):
        def __init__(self, tower, projector):
            self.vision_tower = tower
            self.projector = projector.to(torch.bfloat16)

        def forward(self, x):
            return self.projector(self.vision_tower(x.float()).to(torch.bfloat16))
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/amp.html
    - https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype
    """

    code = "ROC404"
    name = "uncast-boundary"
    since = "0.1.0"
    on = nodes(
        "Call",
        words=_WORDS,
        finder=_fed_floats,
        suspects=_floats,
        described="calls with an argument `….float()`",
    )
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    excuses = (is_under_autocast,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find where what a part made of float32 becomes an argument of a part in another type."""
        part = dotted_text(node.func)
        if part is None or not _PARTS.fullmatch(last_name(node.func) or ""):
            return
        if not any(_is_float(each.value, source) for each in node.args):
            return
        if self.is_excused(node, source):
            return
        for value, user in _uses(node, source):
            other = dotted_text(user.func)
            dtype = None if other in {None, part} else _reduced_type(user.func, source)
            if other is not None and dtype is not None:
                text = source.text_of(value)
                text = text if len(text) <= _LONGEST_NAME else f"{part}()"
                message = f"`{text}` is float32, but `{shortened(other, _LONGEST_NAME)}` is {dtype}"
                help = (
                    f"Cast at the boundary: `{text}.to(torch.{dtype})`. `{part}` is fed "
                    "`.float()`, so it returns float32, and the next matrix product fails."
                )
                yield self.finding(value, source, message, help=help, claims=(dtypes(),))


def _is_float(node: cst.BaseExpression, source: Source) -> bool:
    return isinstance(node, cst.Call) and cast_type(node, source) == "float32"


def _reduced_type(module: cst.BaseExpression, source: Source) -> str | None:
    """Return the 16-bit type in which a module is made, or to which the file casts it."""
    made = source.value_of(module)
    name = spaced(dotted_text(module) or "")
    found = made is not None and _REDUCED.search(source.text_of(made))
    found = found or re.search(
        rf"(?<![\w.]){name}\s*\.\s*(?:to\s*\([^()]*?)?{_REDUCED.pattern}", source.code
    )
    return found[1].replace("half", "float16") if found else None


def _uses(call: cst.Call, source: Source) -> Iterator[tuple[cst.BaseExpression, cst.Call]]:
    """Yield where the result of a call, or a part of it, is an argument, and of what call."""
    result: cst.CSTNode = call
    above = source.parent(call)
    while isinstance(above, (cst.Attribute, cst.Subscript)):
        result, above = above, source.parent(above)
    user = source.parent(above) if isinstance(above, cst.Arg) else None
    if isinstance(above, cst.Arg) and isinstance(user, cst.Call):
        yield above.value, user
    function = source.function(call)
    if function is None or not isinstance(above, cst.Assign):
        return
    for each in calls_in(function):
        for argument in each.args:
            if isinstance(argument.value, cst.Name) and source.value_of(argument.value) is result:
                yield argument.value, each
