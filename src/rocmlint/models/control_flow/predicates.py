"""Predicates taken apart: what Python decides first, and what only a tensor's content decides."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeGuard

from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.tensors.torch_names import METHODS, REDUCTIONS
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.names import root

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from rocmlint.models.tensors.inference import Inference

_REDUCTIONS = frozenset({"any", "all", "sum", "mean", "isfinite", "count_nonzero", "numel"})
"""Methods that give one element for any tensor, even an empty one."""
_EXTREMES = frozenset({"min", "max", "amin", "amax"})
"""Those that an empty tensor does not have."""
_ELEMENTWISE = frozenset(
    {"isinf", "isnan", "isfinite", "abs", "logical_not", "bool", "float", "isposinf", "isneginf"}
)


class Guard(NamedTuple):
    """A test that Python decides before the tensor's is made."""

    operator: Literal["and", "or"]
    text: str
    node: ast.expr
    negated: bool


class Split(NamedTuple):
    """A predicate: guards, from the outermost on, around a test that a tensor decides."""

    guards: tuple[Guard, ...]
    test: str
    is_negated: bool = False
    """The predicate holds where the test does not."""
    is_tensor: bool = True
    """Whether the test is a tensor, else a value that was read from one."""


class Predicates:
    """The predicates of one file."""

    def __init__(
        self,
        inference: Inference,
        text_of: Callable[[ast.expr], str],
        values_of: Callable[[ast.Name], Collection[ast.expr | None]],
    ) -> None:
        """Take what is known about the expressions, their text, and the values of a name."""
        self._inference = inference
        self._text_of = text_of
        self._values_of = values_of

    def depends(self, node: ast.expr) -> bool:
        """Return whether a tensor's content decides the truth of an expression, or a part of it."""
        node, _ = _bare(node)
        if isinstance(node, ast.BoolOp):
            return any(self.depends(each) for each in node.values)
        membership = _membership(node)
        if membership is not None and self._kind(membership.comparators[0]) is Kind.TENSOR:
            return True
        return self._kind(node).depends_on_data

    def split(self, node: ast.expr, *, negated: bool = False, plain: bool = False) -> Split:
        """Take a predicate apart. Raises RefusedError where and/or mix in another order.

        With ``plain`` a test is never negated itself.
        """
        node, negates = _bare(node)
        negated = negated != negates
        if not isinstance(node, ast.BoolOp):
            return self._split_test(node, negated=negated, plain=plain)
        operator = _operator(node, negated=negated)
        guards: list[Guard] = []
        values = list(node.values)
        while values and not self.depends(values[0]):
            guards.append(self._guard(operator, values.pop(0), negated=negated))
        if len(values) == 1:
            rest = self.split(values[0], negated=negated, plain=plain)
            return rest._replace(guards=(*guards, *rest.guards))
        return Split(tuple(guards), self._joined(values, operator, negated=negated))

    def _split_test(self, node: ast.expr, *, negated: bool, plain: bool) -> Split:
        """Return a test of one part; it is negated as a tensor only where it surely is one."""
        membership = _membership(node)
        if membership is not None and self._kind(membership.comparators[0]) is not Kind.TENSOR:
            raise RefusedError(Refusal.COMPARES_VALUES, self._text_of(node))
        text = self._leaf(node)
        if negated and not plain and self._is_certain(node):
            return Split((), f"torch.logical_not({text})")
        is_tensor = _membership(node) is not None or self._kind(node) is Kind.TENSOR
        return Split((), text, is_negated=negated, is_tensor=is_tensor)

    def _guard(self, operator: Literal["and", "or"], node: ast.expr, *, negated: bool) -> Guard:
        text = self._text_of(node)
        if negated or "\n" in text:
            text = _wrapped(text, node)
        return Guard(operator, f"not {text}" if negated else text, node, negated)

    def _joined(self, values: Sequence[ast.expr], operator: str, *, negated: bool) -> str:
        """Return one tensor for several tests. Raises RefusedError where Python would skip some."""
        for each in values:
            if not self.depends(each):
                raise RefusedError(Refusal.MIXED_AND_OR, self._text_of(each))
        first, *rest = values
        text = self._tensor_test(first, negated=negated)
        before = [first]
        for each in rest:
            if not self._is_harmless(each, before):
                raise RefusedError(Refusal.SKIPPED_TEST, self._text_of(each))
            text = f"torch.logical_{operator}({text}, {self._tensor_test(each, negated=negated)})"
            before.append(each)
        return text

    def _tensor_test(self, node: ast.expr, *, negated: bool) -> str:
        """Return a test as a part of a larger one. Raises RefusedError for what may be Python's."""
        node, negates = _bare(node)
        negated = negated != negates
        if isinstance(node, ast.BoolOp):
            return self._joined(node.values, _operator(node, negated=negated), negated=negated)
        if not self._is_certain(node):
            is_value = self._kind(node) is Kind.VALUE
            reason = Refusal.COMPARES_VALUES if is_value else Refusal.MAYBE_NO_TENSOR
            raise RefusedError(reason, self._text_of(node))
        text = self._leaf(node)
        return f"torch.logical_not({text})" if negated else text

    def _leaf(self, node: ast.expr) -> str:
        membership = _membership(node)
        if membership is not None:
            right, left = membership.comparators[0], membership.left
            sides = [_wrapped(self._text_of(each), each) for each in (right, left)]
            test = f"({' == '.join(sides)}).any()"
            return (
                f"torch.logical_not({test})" if isinstance(membership.ops[0], ast.NotIn) else test
            )
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            raise RefusedError(Refusal.MIXED_AND_OR, self._text_of(node))
        return self._text_of(node)

    def _is_certain(self, node: ast.expr, *, follows: bool = True) -> bool:
        """Return whether an expression surely gives a tensor, whatever its names hold.

        Annotations may be wrong, and parameters None, but not what torch returns.
        """
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            is_torch = ast.unparse(node.func).startswith("torch.")
            return self._kind(node) is Kind.TENSOR and (is_torch or name in METHODS)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
                return False
            return self._is_certain(node.left, follows=follows) or self._is_certain(
                node.comparators[0], follows=follows
            )
        if isinstance(node, ast.Name):
            values = self._values_of(node) if follows else []
            known = [each for each in values if each is not None]
            certain = (self._is_certain(each, follows=False) for each in known)
            return bool(values) and len(known) == len(values) and all(certain)
        if isinstance(node, ast.BinOp):
            return self._is_certain(node.left, follows=follows) or self._is_certain(
                node.right, follows=follows
            )
        return isinstance(node, ast.UnaryOp) and self._is_certain(node.operand, follows=follows)

    def _kind(self, node: ast.expr) -> Kind:
        return self._inference.kind_of(node)

    def _is_harmless(self, node: ast.expr, before: Sequence[ast.expr]) -> bool:
        """Return whether a test can always be made, though Python may skip it after others."""
        node, _ = _bare(node)
        if isinstance(node, ast.BoolOp):
            return all(self._is_harmless(each, before) for each in node.values)
        if self._is_scalar(node, {each for part in before for each in _extremes(part)}):
            return True
        # Python asks for the truth of a part before, so that what it is computed from is a number.
        numbers = {name for part in before[:1] if (name := self._number(part)) is not None}
        return self._number(node) in numbers

    def _number(self, node: ast.expr) -> str | None:
        """Return the tensor that has one element wherever the truth of a test can be asked."""
        node, _ = _bare(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            right = node.comparators[0]
            plain = isinstance(right, ast.Constant) or self._is_scalar(right, set())
            return self._number(node.left) if plain else None
        called = _called(node)
        if called is not None and called[0] in _ELEMENTWISE:
            return self._number(called[1])
        return ast.unparse(node) if _is_dotted(node) else None

    def _is_scalar(self, node: ast.expr, known: set[str]) -> bool:
        """Return whether an expression has one element, and fails only if what is known did."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.UnaryOp):
            return self._is_scalar(node.operand, known)
        if isinstance(node, ast.Compare):
            return all(self._is_scalar(each, known) for each in (node.left, *node.comparators))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            return self._is_scalar(node.left, known) and self._is_scalar(node.right, known)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return (self._kind(node) is not Kind.TENSOR and _is_dotted(node)) or (
                isinstance(node, ast.Name) and self._is_computed_number(node)
            )
        called = _called(node)
        if called is None:
            return False
        name, argument = called
        if name in _EXTREMES:
            return ast.unparse(argument) in known and self._is_elementwise(argument)
        return name in _REDUCTIONS and self._is_elementwise(argument)

    def _is_computed_number(self, node: ast.Name) -> bool:
        """Return whether a name only holds tensors of one element that were computed before."""
        values = [None if each is None else _called(each) for each in self._values_of(node)]
        return bool(values) and all(each is not None and each[0] in REDUCTIONS for each in values)

    def _is_elementwise(self, node: ast.expr) -> bool:
        """Return whether an expression gives a tensor of any shape, and cannot fail."""
        if _is_dotted(node):
            values = self._values_of(node) if isinstance(node, ast.Name) else []
            held = {self._kind(each) for each in values if each is not None}
            return held <= {Kind.TENSOR, Kind.UNKNOWN}
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            right = node.comparators[0]
            return self._is_elementwise(node.left) and self._is_scalar(right, set())
        called = _called(node)
        return called is not None and called[0] in _ELEMENTWISE and self._is_elementwise(called[1])


def _operator(node: ast.BoolOp, *, negated: bool) -> Literal["and", "or"]:
    return "and" if isinstance(node.op, ast.And) != negated else "or"


def _bare(node: ast.expr) -> tuple[ast.expr, bool]:
    """Return a predicate without each ``not`` and ``bool()`` around it, and whether they negate."""
    negates = False
    while True:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node, negates = node.operand, not negates
        elif _is_bool(node):
            node = node.args[0]
        else:
            return node, negates


def _is_bool(node: ast.expr) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id == "bool" and len(node.args) == 1 and not node.keywords


def _membership(node: ast.expr) -> ast.Compare | None:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return node if isinstance(node.ops[0], (ast.In, ast.NotIn)) else None
    return None


def _is_dotted(node: ast.expr) -> bool:
    return isinstance(root(node), ast.Name)


def _called(node: ast.expr) -> tuple[str, ast.expr] | None:
    """Return the name and the only argument of ``x.any()`` or ``torch.any(x)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return None
    holder = node.func.value
    if isinstance(holder, ast.Name) and holder.id == "torch":
        return (node.func.attr, node.args[0]) if len(node.args) == 1 else None
    return None if node.args else (node.func.attr, holder)


def _extremes(node: ast.expr) -> list[str]:
    """Return of what an expression takes extremes: of one tensor all of them exist, or none."""
    found = [_called(each) for each in ast.walk(node) if isinstance(each, ast.Call)]
    return [ast.unparse(each[1]) for each in found if each is not None and each[0] in _EXTREMES]


def _wrapped(text: str, node: ast.expr) -> str:
    """Return the text of an expression so that an operator can stand beside it."""
    is_simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript))
    return text if is_simple and "\n" not in text else f"({text})"
