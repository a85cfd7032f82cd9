"""What a function writes to, keeps and gives back, statement by statement and as a whole."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.control_flow.memory.calls import Called, Summary
from rocmlint.models.control_flow.memory.expressions import Memory
from rocmlint.models.control_flow.memory.operations import is_in_place
from rocmlint.models.control_flow.memory.origins import (
    ANYTHING,
    ATTRIBUTES,
    NOTHING,
    OUTSIDE,
    PARAMETERS,
    STATISTICS,
)
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.scopes import FUNCTIONS, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.control_flow.memory.origins import Origins
    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.control_flow.tree import Tree
    from rocmlint.python.scopes import FunctionNode

_WORDS = frozenset({PARAMETERS, ATTRIBUTES, STATISTICS, ANYTHING})
_VIEWS_SET = frozenset({"data", "real", "imag"})
"""Attributes of a tensor whose assignment writes to it."""
_HARMLESS_CONTEXTS = ("torch.", "contextlib.nullcontext", "contextlib.suppress", "warnings.")


class Effect(NamedTuple):
    """What one node of a function does."""

    node: ast.AST
    written: Origins = NOTHING
    """The memory that it may write to."""
    kept: Origins = NOTHING
    """The memory that it may put where other code finds it."""
    stored: Origins = NOTHING
    """What of this it puts into an attribute or an item."""
    returned: Origins = NOTHING
    late: bool = False
    """It happens at the end of the statement, not where the node is."""
    anytime: bool = False
    """The text does not show when it happens."""


_UNKNOWN = Summary(OUTSIDE, keeps=True, returns=frozenset({*OUTSIDE, ANYTHING}))


class Summaries:
    """The effects of the functions of a file."""

    def __init__(self, tree: Tree) -> None:
        """Take the file; nothing is looked at before it is asked for."""
        self._tree = tree
        self.called = Called(tree, self.of)
        self._effects: dict[ast.AST, Effects] = {}
        self._known: dict[ast.AST, Summary] = {}

    def effects(self, scope: Scope) -> Effects:
        """Return what the nodes of a function do."""
        found = self._effects.get(scope.node)
        if found is None:
            found = self._effects[scope.node] = Effects(self._tree, scope, self.called, self)
        return found

    def of(self, function: FunctionNode) -> Summary:
        """Return what a function does as a whole; anything for one that calls itself."""
        known = self._known.get(function)
        if known is None:
            self._known[function] = _UNKNOWN  # while it is looked at
            known = self._known[function] = self._summary(function)
        return known

    def surely_writes(self, scope: Scope, node: ast.Call) -> bool:
        """Return whether a call writes to what it gets, not only perhaps."""
        if self.called.dotted(scope, node.func):
            return False  # by its name, which branches are checked for
        for each in self.called.targets.of(scope, node) or ():
            if isinstance(each, tuple):
                name, made = each
                if is_in_place(made, name):
                    return True
            elif any(_is_plain(it) for it in self.effects(self._tree.scope_at(each)).all):
                return True
        return False

    def _summary(self, function: FunctionNode) -> Summary:
        if function.decorator_list and not all(
            map(_is_harmless_decorator, function.decorator_list)
        ):
            return _UNKNOWN
        found = self.effects(self._tree.scope_at(function)).all
        written = frozenset[object]().union(*(each.written for each in found))
        kept = frozenset[object]().union(*(each.kept for each in found))
        returned = frozenset[object]().union(*(each.returned for each in found))
        return Summary(
            frozenset(written & _WORDS),  # type: ignore[arg-type]
            bool(kept & {PARAMETERS, ANYTHING}),
            frozenset(returned & _WORDS),  # type: ignore[arg-type]
        )


def _is_harmless_decorator(node: ast.expr) -> bool:
    written = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    return written.startswith("torch.no_grad") or written in {
        *("staticmethod", "classmethod", "property", "torch.inference_mode", "override"),
        *("torch.compiler.disable", "abstractmethod"),
    }


def _is_plain(effect: Effect) -> bool:
    """Check whether a statement itself writes to what a function gets or sees."""
    if not effect.written & {PARAMETERS, ATTRIBUTES, ANYTHING}:
        return False
    node = effect.node
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name.endswith("_") and not name.endswith("__")
    return isinstance(node, (ast.AugAssign, ast.Assign))


class Effects:
    """What the nodes of one function do to memory."""

    def __init__(self, tree: Tree, scope: Scope, called: Called, summaries: Summaries) -> None:
        """Take the function."""
        self._tree = tree
        self._scope = scope
        self._called = called
        self._summaries = summaries
        self.memory = Memory(tree, scope, called)

    @cached_property
    def all(self) -> tuple[Effect, ...]:
        """All effects, in the order of the text."""
        nodes = own_nodes(ast.iter_child_nodes(self._scope.node))
        return tuple(each for node in nodes for each in self._of(node))

    def _of(self, node: ast.AST) -> Iterator[Effect]:
        memory = self.memory
        match node:
            case ast.Call():
                done = self._called.result(self._scope, node)
                written = done.writes.union(*map(memory.of, done.written))
                kept = NOTHING.union(*map(memory.of, done.kept))
                if written or kept:
                    yield Effect(node, written, kept)
            case ast.AugAssign(value=ast.Tuple() | ast.List()):
                pass  # it makes a list or tuple longer
            case ast.AugAssign(target=ast.Name(id=name)):
                yield Effect(node, memory.of_name(name, node))
            case ast.AugAssign(target=ast.Attribute() as target):
                yield Effect(node, memory.of(target), memory.of(node.value))
            case ast.AugAssign(target=ast.Subscript(value=value)):
                yield Effect(node, memory.of(value))
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from self._of_target(node, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from self._of_target(node, target, value)
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield from self._of_target(node, target, value)
            case ast.Return(value=ast.expr() as value):
                yield Effect(node, returned=memory.of(value))
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                given = NOTHING if node.value is None else memory.of(node.value)
                yield Effect(node, given | OUTSIDE, given, returned=given)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                if not all(self._is_harmless_context(each.context_expr) for each in items):
                    reached = (memory.of(each.context_expr) for each in items)
                    yield Effect(node, OUTSIDE.union(*reached), late=True)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if ANYTHING in self._summaries.of(node).writes:
                    yield Effect(node, frozenset({ANYTHING}), anytime=True)
            case ast.Lambda() | ast.ClassDef():
                if self._may_write(node):
                    yield Effect(node, frozenset({ANYTHING}), anytime=True)

    def _of_target(self, node: ast.AST, target: ast.expr, value: ast.expr) -> Iterator[Effect]:
        """Yield what an assignment to a target other than a name does."""
        memory = self.memory
        for each in ast.walk(target):
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                is_view = each.attr in _VIEWS_SET
                written = memory.of(each.value) if is_view else NOTHING
                stored = memory.of(value)
                yield Effect(node, written, stored, stored)
            elif isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store):
                is_tensor = self._tree.inference.kind_of(each.value) is Kind.TENSOR
                stored = NOTHING if is_tensor else memory.of(value)
                yield Effect(node, memory.of(each.value), stored, stored)

    def _is_harmless_context(self, node: ast.expr) -> bool:
        called = node.func if isinstance(node, ast.Call) else node
        return self._called.dotted(self._scope, called).startswith(_HARMLESS_CONTEXTS)

    def _may_write(self, node: ast.AST) -> bool:
        """Check whether a lambda or a class in a function may write to what it sees."""
        if isinstance(node, ast.ClassDef):
            return any(isinstance(each, FUNCTIONS) for each in node.body)
        for each in ast.walk(node):
            if isinstance(each, ast.Call):
                done = self._called.result(self._scope, each)
                if done.writes or done.written:
                    return True
        return False
