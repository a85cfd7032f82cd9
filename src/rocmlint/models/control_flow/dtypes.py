"""Which dtype an expression gives, where the text shows it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors.torch_names import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    ValuesOf = Callable[[ast.Name], Sequence[ast.expr | None]]

FLOATING = "floating"
"""Some dtype with a fraction; which one depends on operands or on the default dtype."""
_CONVERSIONS = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "byte": "uint8",
    "bool": "bool",
}
_BOOLEAN = words(
    """
    all any eq equal ge greater greater_equal gt isclose isfinite isin isinf isnan isneginf isposinf
    le less less_equal logical_and logical_not logical_or logical_xor lt ne not_equal signbit
    """
)
_INDICES = words(
    """
    argmax argmin argsort argwhere bincount bucketize count_nonzero multinomial nonzero one_hot
    randint randperm searchsorted
    """
)
_FRACTIONS = words(
    """
    atan cos cosh erf exp exp2 gelu log log10 log1p log2 log_softmax logit logsumexp mean norm
    reciprocal rsqrt sigmoid silu sin sinh softmax softplus sqrt std tan tanh true_divide var
    vector_norm
    """
)
_DEFAULT = words("zeros ones empty rand randn linspace eye logspace")
_AS_OPERAND = words(
    """
    abs amax amin clamp clamp_max clamp_min clip clone contiguous cummax cummin detach expand
    expand_as flatten flip gather index_select masked_fill maximum minimum narrow neg permute relu
    repeat reshape roll select squeeze t tile transpose tril triu unsqueeze view
    empty_like full_like new_empty new_full new_ones new_zeros ones_like rand_like randn_like
    zeros_like sign ceil floor round trunc cuda cpu
    """
)
_LOGIC = (ast.BitAnd, ast.BitOr, ast.BitXor)
_DEEPEST = 20


class Dtypes:
    """The dtypes of the expressions of a file."""

    def __init__(self, values_of: ValuesOf) -> None:
        """Take what the values of a name are."""
        self._values_of = values_of
        self._known: dict[ast.expr, str | None] = {}
        self._meanwhile: dict[ast.expr, str | None] = {}
        """What was found for one question, which may rest on what is still being asked for."""
        self._asked: list[ast.expr] = []

    def of(self, node: ast.expr | None) -> str | None:
        """Return the dtype of an expression; None where the text does not show it."""
        if node is None or len(self._asked) > _DEEPEST:
            return None
        known = self._meanwhile if self._asked else self._known
        if node in self._known or node in known:
            return self._known.get(node, known.get(node))
        self._asked.append(node)
        found = self._of(node)
        self._asked.pop()
        if not self._asked:
            self._meanwhile = {}
        known[node] = found
        return found

    def _of(self, node: ast.expr) -> str | None:
        match node:
            case ast.Name():
                return self._of_name(node)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return "bool"
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case ast.Subscript(value=value):
                return self.of(value)
            case ast.IfExp(body=body, orelse=orelse):
                return _same([self.of(body), self.of(orelse)])
            case ast.BinOp():
                return self._of_operation(node)
            case ast.Call():
                return self._of_call(node)
        return None

    def _of_name(self, node: ast.Name) -> str | None:
        """Return the dtype of all values of a name; what is still being asked for tells nothing."""
        values = [each for each in self._values_of(node) if each not in self._asked]
        return _same([self.of(each) for each in values])

    def _of_operation(self, node: ast.BinOp) -> str | None:
        left, right = _number(node.left), _number(node.right)
        if left is not None and right is not None:
            return None
        if left is None and right is None:
            found = _promoted(self.of(node.left), self.of(node.right))
        else:
            operand = node.right if right is None else node.left
            found = _with_number(self.of(operand), left or right or int)
        if isinstance(node.op, ast.Div) and found is not None and not _is_floating(found):
            return FLOATING
        if isinstance(node.op, _LOGIC):
            return found
        return "int64" if found == "bool" and not isinstance(node.op, ast.Mult) else found

    def _of_call(self, node: ast.Call) -> str | None:
        said = next((each.value for each in node.keywords if each.arg == "dtype"), None)
        if said is not None:
            return _written(said)
        if not isinstance(node.func, ast.Attribute):
            return None
        name, holder = node.func.attr, node.func.value
        is_function = isinstance(holder, ast.Name) and holder.id in {"torch", "F", "functional"}
        operand = (node.args[0] if node.args else None) if is_function else holder
        if name in _CONVERSIONS and not node.args:
            return _CONVERSIONS[name]
        if name in {"to", "type"} and node.args:
            return _written(node.args[0])
        if name in _BOOLEAN:
            return "bool"
        if name in _INDICES:
            return "int64"
        if name in _FRACTIONS:
            found = self.of(operand)
            return found if found is not None and _is_floating(found) else FLOATING
        if is_function and name in _DEFAULT:
            return FLOATING
        if is_function and name in {"tensor", "full", "arange"}:
            return _of_numbers(node.args[1:] if name == "full" else node.args)
        if name in {"sum", "cumsum", "prod", "cumprod"}:
            found = self.of(operand)
            return "int64" if found == "bool" or (found or "").startswith("int") else found
        return self.of(operand) if name in _AS_OPERAND else None


def _written(node: ast.expr) -> str | None:
    """Return a dtype that is written as ``torch.float32``."""
    if not isinstance(node, ast.Attribute) or ast.unparse(node.value) != "torch":
        return None
    if node.attr in _CONVERSIONS:
        return _CONVERSIONS[node.attr]
    known = node.attr.startswith(("float", "bfloat", "int", "uint", "complex"))
    return node.attr if known else None


def _number(node: ast.expr) -> type | None:
    if isinstance(node, ast.UnaryOp):
        return _number(node.operand)
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))
    return type(node.value) if isinstance(node, ast.Constant) and is_number else None


def _of_numbers(nodes: Sequence[ast.expr]) -> str | None:
    """Return the dtype that torch makes of numbers, or lists of them."""
    flat: list[ast.expr] = []
    for each in nodes:
        flat += each.elts if isinstance(each, (ast.List, ast.Tuple)) else [each]
    kinds = [_number(each) for each in flat]
    if not kinds or None in kinds:
        return FLOATING if float in kinds else None
    if set(kinds) == {bool}:
        return "bool"
    return FLOATING if float in kinds else "int64"


def _with_number(dtype: str | None, number: type) -> str | None:
    if dtype is None or number is not float or _is_floating(dtype):
        return "int64" if dtype == "bool" and number is int else dtype
    return FLOATING


def _promoted(one: str | None, other: str | None) -> str | None:
    if one is None or other is None or one == other:
        return one if one == other else None
    pair = {one, other}
    if "bool" in pair:
        return (pair - {"bool"}).pop()
    floating = [each for each in pair if _is_floating(each)]
    if len(floating) == 1:
        return floating[0]
    return FLOATING if floating else None


def _is_floating(dtype: str) -> bool:
    return dtype == FLOATING or dtype.startswith(("float", "bfloat", "complex"))


def _same(dtypes: Sequence[str | None]) -> str | None:
    found = set(dtypes)
    return found.pop() if len(found) == 1 else None


def differ(dtypes: Iterable[str | None]) -> bool:
    """Check whether some paths visibly give different dtypes."""
    known = {each for each in dtypes if each is not None}
    if FLOATING in known:
        return any(not _is_floating(each) for each in known)
    return len(known) > 1


def may_differ(dtypes: Iterable[str | None]) -> bool:
    """Check whether a path gives one dtype, and another path does not show which it gives."""
    found = set(dtypes)
    return None in found and bool(found - {None, FLOATING})
