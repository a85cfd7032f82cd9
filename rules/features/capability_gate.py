"""ROC306, capability-gate."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, fitted, last_name, statements, walk
from rocmlint.rule.closed_projects import is_in_unused_function

from ._same_code import same_code
from ._vendor import is_for_cuda_alone, knows_amd, names_nvidia

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.rule import Finding, Source

Value = int | float | str | tuple["Value", ...]
AMPERE = ((8, 0), (8, 6))
"""What a GPU of NVIDIA answers that has what PyTorch needs for its usual features."""
OF_AMD = {
    "gfx90a": (9, 0),
    "gfx942": (9, 4),
    "gfx950": (9, 5),
    "gfx1030": (10, 3),
    "gfx1100": (11, 0),
    "gfx1151": (11, 5),
    "gfx1201": (12, 0),
}
"""What PyTorch answers on ROCm: the number of the architecture."""
_ADVICE = (
    "On ROCm the two numbers name the gfx architecture, not a generation of NVIDIA's. Ask "
    "`torch.version.hip` first, and there `get_device_properties().gcnArchName`."
)


def only_complains(condition: cst.CSTNode, source: Source) -> bool:
    """Conditions that only raise an error or print something."""
    user = source.parent(condition)
    return isinstance(user, cst.If) and all(map(_complains, statements(user.body)))


def is_for_one_generation(condition: cst.CSTNode, source: Source) -> bool:
    """Comparisons with one number: what is known of one generation of NVIDIA's, and no minimum.

    Written for InternLM/lmdeploy, lmdeploy/pytorch/kernels/cuda/awq_kernels.py.
    """
    del source
    signs = [
        part.operator
        for each in walk(condition)
        if isinstance(each, cst.Comparison)
        for part in each.comparisons
    ]
    return all(isinstance(each, cst.Equal) for each in signs)


class CapabilityGate(PythonRule["cst.Call"]):
    """NVIDIA compute capability decides on AMD GPUs as well.

    ## Why it matters
    ``torch.cuda.get_device_capability()`` returns the number of the gfx architecture on ROCm:
    (9, 0) on MI200 (gfx90a), (9, 4) on MI300 (gfx942), (11, 0) on a Radeon RX 7900 (gfx1100).
    Code that takes ``>= (8, 9)`` for "has fp8" or ``>= 9`` for "is a Hopper" gets a yes from GPUs
    that have neither, and chooses kernels and types that fail or give wrong numbers there.

    Looked at are conditions whose answer for an AMD GPU is none that Ampere (8.0 and 8.6) gets:
    ``>= (8, 0)`` holds for all AMD GPUs that PyTorch supports, and is not reported. One condition
    of a function is, and copies of the function in a project are reported once. Not reported is
    what asks for one generation alone (``== 10``).

    ## Example
    ```python
    import torch

    def has_fp8():
        return torch.cuda.get_device_capability() >= (8, 9)
    ```

    ## Use instead
    ```python
    import torch

    FP8 = ("gfx942", "gfx950", "gfx1200", "gfx1201")

    def has_fp8():
        if torch.version.hip is not None:
            return torch.cuda.get_device_properties(0).gcnArchName.startswith(FP8)
        return torch.cuda.get_device_capability() >= (8, 9)
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/notes/hip.html
    - https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html
    """

    code = "ROC306"
    name = "capability-gate"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test", "setup"})
    on = calls("get_device_capability", "get_device_properties")
    excuses = (
        is_for_cuda_alone,
        knows_amd,
        names_nvidia,
        only_complains,
        is_for_one_generation,
        is_in_unused_function,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find conditions whose answer for an AMD GPU is one that no A100 gets."""
        if not (source.resolve(node.func) or "").startswith("torch.cuda."):
            return
        misled = [gate for gate in _gates(node, source) if gate.misled()]
        misled.sort(key=_asks_for_equality)
        for gate in misled[:1]:
            if self.is_excused(gate.condition, source):
                continue
            gpu = gate.misled()
            message = fitted(
                "`{}` is {answer} on {gpu}, whose capability reads {capability}",
                source.text_of(gate.comparison),
                answer=str(gate.compares(gpu)),
                gpu=gpu,
                capability=str(OF_AMD[gpu]),
            )
            finding = self.finding(gate.comparison, source, message, help=_ADVICE)
            yield replace(finding, once=same_code(finding, gate.comparison, source))


def _asks_for_equality(gate: Gate) -> bool:
    """Return whether a gate asks for one generation: what asks for the least one tells more."""
    return isinstance(gate.comparison.comparisons[0].operator, (cst.Equal, cst.NotEqual))


def _complains(statement: cst.CSTNode) -> bool:
    """Return whether a statement raises an error, or calls something and drops what it returns."""
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, cst.Call)
    return isinstance(statement, cst.Raise)


@dataclass(frozen=True)
class Gate:
    """A comparison with a capability, the whole condition, and what holds the capability in it."""

    comparison: cst.Comparison
    condition: cst.BaseExpression
    parts: dict[cst.CSTNode, str]

    def misled(self) -> str:
        """Return an AMD GPU for which it holds where it holds for no A100, or the other way."""
        usual = {self.answer(each) for each in AMPERE}
        if None in usual:
            return ""
        return next((gpu for gpu, each in OF_AMD.items() if self.answer(each) not in usual), "")

    def answer(self, capability: tuple[int, int]) -> bool | None:
        """Return what the condition is for a GPU, None where that cannot be told."""
        return self._holds(self.condition, capability)

    def compares(self, gpu: str) -> bool:
        """Return what the comparison alone is for a GPU of AMD."""
        return self._compares(self.comparison, OF_AMD[gpu]) is True

    def _holds(self, node: cst.BaseExpression, capability: tuple[int, int]) -> bool | None:
        """Return whether a condition holds, as far as it is about the capability."""
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            inner = self._holds(node.expression, capability)
            return None if inner is None else not inner
        if isinstance(node, cst.BooleanOperation):
            sides = [self._holds(each, capability) for each in (node.left, node.right)]
            known = [each for each in sides if each is not None]
            needs_all = isinstance(node.operator, cst.And)
            return (all(known) if needs_all else any(known)) if known else None
        return self._compares(node, capability) if isinstance(node, cst.Comparison) else None

    def _compares(self, node: cst.Comparison, capability: tuple[int, int]) -> bool | None:
        try:
            left = self._value(node.left, capability)
            for each in node.comparisons:
                right = self._value(each.comparator, capability)
                if not _sign(each.operator)(left, right):
                    return False
                left = right
        except (KeyError, TypeError, ValueError):
            return None
        return True

    def _value(self, node: cst.BaseExpression, capability: tuple[int, int]) -> Value:
        """Return the value of an operand; a ValueError where it is unknown."""
        if node in self.parts:
            major, minor = capability
            return {"major": major, "minor": minor}.get(self.parts[node], capability)
        if isinstance(node, (cst.Tuple, cst.List, cst.Set)):
            return tuple(self._value(each.value, capability) for each in node.elements)
        if isinstance(node, (cst.Integer, cst.Float)):
            return node.evaluated_value
        if isinstance(node, cst.BinaryOperation):
            left = self._value(node.left, capability)
            right = self._value(node.right, capability)
            if isinstance(left, (int, float)) and isinstance(right, (int, float)):
                if isinstance(node.operator, cst.Add):
                    return left + right
                if isinstance(node.operator, cst.Multiply):
                    return left * right
                if isinstance(node.operator, cst.Divide):
                    return left / right
        raise ValueError(node)


def _sign(sign: cst.BaseCompOp) -> Callable[[Value, Value], bool]:
    return {
        cst.GreaterThan: operator.gt,
        cst.GreaterThanEqual: operator.ge,
        cst.LessThan: operator.lt,
        cst.LessThanEqual: operator.le,
        cst.Equal: operator.eq,
        cst.NotEqual: operator.ne,
        cst.In: lambda left, right: operator.contains(right, left),
        cst.NotIn: lambda left, right: not operator.contains(right, left),
    }[type(sign)]


def _gates(call: cst.Call, source: Source) -> Iterator[Gate]:
    """Yield the conditions, in the same function, on the capability that a call returns."""
    kind = "properties" if last_name(call.func) == "get_device_properties" else "both"
    start, kind = _narrowed(call, kind, source)
    held = _held(start, kind, source)
    scope: cst.CSTNode = source.function(call) or _statement(call, source)
    if held and source.function(call) is None:
        scope = source.module
    found: dict[cst.BaseExpression, tuple[cst.Comparison, dict[cst.CSTNode, str]]] = {}
    for comparison in (each for each in walk(scope) if isinstance(each, cst.Comparison)):
        parts = dict(_parts(comparison, held))
        if any(each is start for each in walk(comparison)):
            parts[start] = kind
        if parts:
            found.setdefault(_whole(comparison, source), (comparison, {}))[1].update(parts)
    for condition, (first, parts) in found.items():
        yield Gate(first, condition, parts)


def _whole(condition: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """Return the condition that a comparison is a part of, with what else it asks."""
    parent = source.parent(condition)
    while isinstance(parent, (cst.BooleanOperation, cst.UnaryOperation)):
        condition, parent = parent, source.parent(parent)
    return condition


def _statement(node: cst.CSTNode, source: Source) -> cst.CSTNode:
    above = [each for each in source.ancestors(node) if not isinstance(each, cst.Module)]
    return above[-1] if above else node


def _narrowed(node: cst.CSTNode, kind: str, source: Source) -> tuple[cst.CSTNode, str]:
    """Follow `[0]`, `.major` behind a call."""
    parent = source.parent(node)
    if isinstance(parent, (cst.Subscript, cst.Attribute)) and parent.value is node:
        part = _part_of(parent, kind)
        if part:
            return parent, part
    return node, kind


def _part_of(node: cst.Subscript | cst.Attribute, kind: str) -> str:
    if isinstance(node, cst.Attribute):
        name = node.attr.value
        return name if kind == "properties" and name in {"major", "minor"} else ""
    index = node.slice[0].slice
    if (
        kind != "both"
        or not isinstance(index, cst.Index)
        or not isinstance(index.value, cst.Integer)
    ):
        return ""
    return {"0": "major", "1": "minor"}.get(index.value.value, "")


def _held(node: cst.CSTNode, kind: str, source: Source) -> dict[str, str]:
    """Return the names that a statement gives to a capability, or to its parts."""
    statement = source.parent(node)
    if isinstance(statement, (cst.Assign, cst.AnnAssign)) and statement.value is node:
        targets = (
            [each.target for each in statement.targets]
            if isinstance(statement, cst.Assign)
            else [statement.target]
        )
        found: dict[str, str] = {}
        for target in targets:
            if isinstance(target, cst.Name):
                found[target.value] = kind
            elif isinstance(target, cst.Tuple) and kind == "both":
                names = [each.value for each in target.elements]
                for part, name in zip(("major", "minor"), names, strict=False):
                    if isinstance(name, cst.Name):
                        found[name.value] = part
        return found
    return {}


def _parts(comparison: cst.Comparison, held: dict[str, str]) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield the operands of a comparison that hold a capability by their name."""
    taken: set[cst.CSTNode] = set()
    for each in walk(comparison):
        if isinstance(each, (cst.Subscript, cst.Attribute)) and isinstance(each.value, cst.Name):
            part = _part_of(each, held.get(each.value.value, ""))
            if part:
                taken.add(each.value)
                yield each, part
        elif isinstance(each, cst.Name) and each not in taken and held.get(each.value):
            if held[each.value] != "properties":
                yield each, held[each.value]
