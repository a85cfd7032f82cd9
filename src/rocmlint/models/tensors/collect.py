"""Collecting the places of a function where Python needs the content of a tensor."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.models.tensors.conditions import asks_for_export, both, is_of_loss
from rocmlint.models.tensors.dependence import Dependence
from rocmlint.models.tensors.loops import looped_over
from rocmlint.models.tensors.torch_names import JUDGING
from rocmlint.models.tensors.value_facts import UNKNOWN, Held, Kind, element, is_container
from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocmlint.models.tensors.definitions import Definitions, Function
    from rocmlint.models.tensors.dependence import Reach, What
    from rocmlint.models.tensors.reach import Reaches
    from rocmlint.models.tensors.skippable_parameters import Spared

_CONVERTS = frozenset({"int", "float", "bool", "complex"})
_STATED = ("_check", "torch_compilable_check")
"""How the names of functions begin that state something about a tensor to an export."""
_LOGGERS = re.compile(r"(?:\w*_)?(?:logger|log|logging|warnings)")
"""Objects whose methods write messages."""


class Collector:
    """Finds the places in one function."""

    def __init__(
        self,
        definitions: Definitions,
        held: Mapping[ast.expr, Held],
        function: Function,
        reaches: Reaches,
        spared: Spared,
    ) -> None:
        """Take what the expressions of the file hold, and when its functions run."""
        self._definitions = definitions
        self._held = held
        self._function = function
        self._reach = reaches.of(function)
        self._spared = spared
        self._asked: set[ast.AST] = set()
        """Parts of conditions that were reported, or of what states something."""

    def of(self, placed: Iterable[tuple[ast.AST, Reach]]) -> Iterator[Dependence]:
        """Yield the places among the nodes of the function."""
        for node, reach in placed:
            yield from self._of_node(node, both(self._reach, reach))

    def _of_node(self, node: ast.AST, reach: Reach) -> Iterator[Dependence]:
        match node:
            case ast.If(test=test):
                yield from self._of_test(node, test, _what_if(node), reach)
                self._asked.update(self._parts_of_messages(node))
            case ast.Raise():
                self._asked.update(ast.walk(node))
            case ast.While(test=test) | ast.IfExp(test=test):
                yield from self._of_test(node, test, "branch", reach)
            case ast.Assert(test=ast.Compare() as test) if self._kind(test) is Kind.VALUE:
                self._asked.update(ast.walk(node))  # an export takes it for a `torch._check`
            case ast.Assert(test=test, msg=message):
                yield from self._of_test(node, test, "assert", reach)
                self._asked.update(ast.walk(message) if message is not None else ())
            case ast.For(iter=over):
                yield from self._of_loop(node, over, reach)
            case ast.comprehension(iter=over, ifs=tests):
                yield from self._of_loop(node, over, reach)
                for test in tests:
                    yield from self._of_test(node, test, "branch", reach)
            case ast.BoolOp(values=values) if node not in self._asked:
                for each in values[:-1]:
                    if self._truth(each) is not None:
                        yield from self._of_test(node, node, "branch", reach)
                        break
            case ast.UnaryOp(op=ast.Not(), operand=operand) if node not in self._asked:
                if self._truth(operand) is not None:
                    yield from self._of_test(node, node, "branch", reach)
            case ast.Call():
                yield from self._of_call(node, reach)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
                if node not in self._asked and self._kind(right) is Kind.TENSOR:
                    yield self._found(node, "read", node, reach)

            case ast.Subscript(value=value, slice=index, ctx=ast.Load()):
                if node not in self._asked and self._chooses(value, index):
                    self._asked.update(ast.walk(index))
                    yield self._found(node, "read", node, reach)

    def _chooses(self, value: ast.expr, index: ast.expr) -> bool:
        """Check whether the content of a tensor says which element of a list is taken."""
        held = self._held.get(value, UNKNOWN)
        if not held.sure or not (is_container(held) or held.of == "modules"):
            return False
        parts = (index.lower, index.upper) if isinstance(index, ast.Slice) else (index,)
        return any(each is not None and self._is_content(each) for each in parts)

    def _is_content(self, index: ast.expr) -> bool:
        held = self._held.get(index, UNKNOWN)
        return held.depends and (held.sure or not isinstance(index, ast.Name))

    def _of_test(
        self,
        node: ast.expr | ast.stmt | ast.comprehension,
        test: ast.expr,
        what: What,
        reach: Reach,
    ) -> Iterator[Dependence]:
        held = self._truth(test)
        if held is None:
            return
        self._asked.update(_parts_of_condition(test))
        if any(isinstance(each, ast.Call) and asks_for_export(each) for each in ast.walk(test)):
            reach = both(reach, "guarded")
        yield self._found(node, what, test, both(reach, held.gate))

    def _parts_of_messages(self, node: ast.If) -> Iterator[ast.AST]:
        """Yield what only makes the message below a condition, which is what is reported."""
        if _what_if(node) == "raise":
            yield from (part for each in node.body for part in ast.walk(each))
        elif self._truth(node.test) is not None:
            for each in ast.walk(node):
                if isinstance(each, ast.Call) and _writes_message(each):
                    yield from ast.walk(each)

    def _truth(self, test: ast.expr) -> Held | None:
        """Return what makes the truth of a condition depend on a tensor, None if nothing does."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._truth(test.operand)
        if isinstance(test, ast.BoolOp):
            if not any(self._truth(each) is not None for each in test.values):
                return None
            return self._held.get(test)
        held = self._held.get(test, UNKNOWN)
        return held if held.depends else None

    def _of_loop(
        self, node: ast.stmt | ast.comprehension, over: ast.expr, reach: Reach
    ) -> Iterator[Dependence]:
        if looped_over(over, self._held) and not self._goes_through_modules(node, over):
            yield self._found(node, "loop", over, reach)

    def _goes_through_modules(self, node: ast.stmt | ast.comprehension, over: ast.expr) -> bool:
        """Check whether a loop takes a submodule for each row, which says how many there are."""
        if isinstance(over, ast.Call) and any(map(self._is_module_list, ast.walk(over))):
            return True
        target = node.target if isinstance(node, (ast.For, ast.comprehension)) else None
        counters = {each.id for each in ast.walk(target or over) if isinstance(each, ast.Name)}
        return isinstance(node, ast.For) and any(
            isinstance(each, ast.Subscript)
            and isinstance(each.slice, ast.Name)
            and each.slice.id in counters
            and self._is_module_list(each.value)
            for statement in node.body
            for each in ast.walk(statement)
        )

    def _is_module_list(self, node: ast.AST) -> bool:
        return isinstance(node, ast.expr) and self._held.get(node, UNKNOWN).of == "modules"

    def _of_call(self, node: ast.Call, reach: Reach) -> Iterator[Dependence]:
        name = last_name(node.func)
        if name.startswith(_STATED):
            for each in (*node.args, *node.keywords):
                self._asked.update(ast.walk(each))
        elif name == "cond":
            predicates = [each.value for each in node.keywords if each.arg == "pred"]
            for predicate in (*node.args[:1], *predicates):
                self._asked.update(ast.walk(predicate))
        elif node not in self._asked and self._reads(node, name):
            yield self._found(node, "read", node, reach)

    def _reads(self, node: ast.Call, name: str) -> bool:
        """Check whether a call makes a Python value of a tensor."""
        if isinstance(node.func, ast.Name):
            return self._builtin_reads(node, name)
        if not isinstance(node.func, ast.Attribute):
            return False
        dotted = self._definitions.dotted(node.func)
        if dotted.startswith("torch."):
            return dotted.startswith("torch.") and name in JUDGING and dotted.count(".") == 1
        if dotted.startswith(("numpy.", "math.")):
            return any(self._is_tensor(each) for each in node.args)
        kind = self._kind(node.func.value)
        if kind is Kind.TENSOR:
            return name in {"item", "tolist", "numpy", *JUDGING}
        return kind is Kind.UNKNOWN and name in {"item", "tolist"} and not node.args

    def _builtin_reads(self, node: ast.Call, name: str) -> bool:
        if name in _CONVERTS and len(node.args) == 1:
            return self._is_tensor(node.args[0]) or self._is_read(node.args[0])
        if name in {"max", "min"} and node.args:
            if len(node.args) > 1:
                return any(self._is_tensor(each) for each in node.args)
            held = self._held.get(node.args[0], UNKNOWN)
            return element(held).kind is Kind.TENSOR and held.sure
        if name in {"any", "all", "sorted"} and node.args:
            held = self._held.get(node.args[0], UNKNOWN)
            return element(held).kind is Kind.TENSOR and held.sure
        return False

    def _is_read(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._reads(node, last_name(node.func))

    def _is_tensor(self, node: ast.expr) -> bool:
        return self._kind(node) is Kind.TENSOR

    def _kind(self, node: ast.expr) -> Kind:
        return self._held.get(node, UNKNOWN).kind

    def _found(
        self,
        node: ast.expr | ast.stmt | ast.comprehension,
        what: What,
        expression: ast.expr,
        reach: Reach,
    ) -> Dependence:
        if is_of_loss(expression):
            reach = both(reach, "labels")
        spared_by = self._spared.by(self._function, expression)
        return Dependence(
            node, what, expression, self._function.qualified, reach, spared_by=spared_by
        )


def _what_if(node: ast.If) -> What:
    """Return ``raise`` for an `if` that does nothing but raise."""
    return "raise" if not node.orelse and isinstance(node.body[-1], ast.Raise) else "branch"


def _writes_message(node: ast.Call) -> bool:
    match node.func:
        case ast.Name(id="print"):
            return True
        case ast.Attribute(value=value):
            return _LOGGERS.fullmatch(last_name(value)) is not None
    return False


def _parts_of_condition(test: ast.expr) -> Iterator[ast.AST]:
    """Yield the parts of a condition that are asked for their truth."""
    yield test
    if isinstance(test, ast.UnaryOp):
        yield from _parts_of_condition(test.operand)
    elif isinstance(test, ast.BoolOp):
        for each in test.values:
            yield from _parts_of_condition(each)
