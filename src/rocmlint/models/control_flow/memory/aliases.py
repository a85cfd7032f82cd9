"""Whether a rewritten statement loses a change: an export clones the results of its branches.

Where a branch gives a tensor that something else holds too, such as an argument, a buffer or a
view of one, and one of the two is changed in place afterwards, the other sees it only before
rewriting. Such statements are refused, also where it merely cannot be excluded.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.memory.origins import ANYTHING, NOTHING, OUTSIDE, overlaps
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.python.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.models.control_flow.flow import Values
    from rocmlint.models.control_flow.memory.callers import Callers
    from rocmlint.models.control_flow.memory.effects import Effect, Effects
    from rocmlint.models.control_flow.memory.expressions import Memory
    from rocmlint.models.control_flow.memory.origins import Origins
    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.control_flow.tree import Tree

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Aliases:
    """The checks of one file."""

    def __init__(self, tree: Tree, callers: Callers) -> None:
        """Take the file and who calls what in it."""
        self._tree = tree
        self._callers = callers
        self._checked: set[ast.AST] = set()

    def check_names(
        self, scope: Scope, node: ast.stmt, values: Values, names: Sequence[str]
    ) -> None:
        """Check names that a statement assigns, given what they hold after it.

        Raises RefusedError.
        """
        memory = self._effects(scope).memory
        given = {
            name: NOTHING.union(*(memory.of_binding(name, each) for each in values[name]))
            for name in names
            if name in values
        }
        self._checked = set()
        self._check(scope, node, node, given)

    def check_values(self, scope: Scope, node: ast.stmt, values: list[ast.expr]) -> None:
        """Check what a statement returns on its paths. Raises RefusedError."""
        memory = self._effects(scope).memory
        self._checked = set()
        self._check(scope, node, node, {"return": NOTHING.union(*map(memory.of, values))})

    def check_expression(self, scope: Scope, node: ast.expr) -> None:
        """Check a conditional expression, whatever becomes of it. Raises RefusedError."""
        self._checked = set()
        self._check_expression(scope, node)

    def check_no_writes(self, scope: Scope, nodes: Sequence[ast.AST]) -> None:
        """Check that no call in a branch surely writes to what it gets. Raises RefusedError."""
        summaries = self._callers.summaries
        for node in (inner for each in nodes for inner in ast.walk(each)):
            if isinstance(node, ast.Call) and summaries.surely_writes(scope, node):
                raise RefusedError(Refusal.IN_PLACE_OPERATION, ast.unparse(node.func))

    def _effects(self, scope: Scope) -> Effects:
        return self._callers.summaries.effects(scope)

    def _check_expression(self, scope: Scope, node: ast.expr, *, runs_more: bool = False) -> None:
        memory = self._effects(scope).memory
        if runs_more and isinstance(node, ast.Call):
            done = self._callers.summaries.called.result(scope, node)
            if done.written or done.writes:
                raise RefusedError(Refusal.ALIAS_CHANGED_LATER, f"{ast.unparse(node.func)}()")
        if self._is_used_up(memory, node):
            return
        statement = memory.statement(node)
        name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
        given = {f"{name}()" if isinstance(node, ast.Call) else name: memory.of(node)}
        if isinstance(statement, ast.Assign) and statement.value is node:
            if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                given = {statement.targets[0].id: memory.of(node)}
        self._check(scope, statement, node, given)

    def _is_used_up(self, memory: Memory, node: ast.expr) -> bool:
        """Check whether only new memory comes of an expression."""
        around = self._tree.parent(node)
        inner: ast.AST = node
        while isinstance(around, (ast.expr, ast.keyword, ast.comprehension)):
            if isinstance(around, (ast.BinOp, ast.UnaryOp, ast.Compare)):
                if memory.of(around) == {around}:
                    return True
            elif isinstance(around, ast.Call) and inner is not around.func:
                done = self._callers.summaries.called.result(memory.scope, around)
                if done.written or done.writes or done.kept:
                    return False
                if not done.of and done.origins <= {around}:
                    return True
            elif not isinstance(around, (ast.IfExp, ast.Attribute, ast.Subscript, ast.keyword)):
                return False
            inner, around = around, self._tree.parent(around)
        return False

    def _check(
        self, scope: Scope, statement: ast.stmt, node: ast.AST, given: Mapping[str, Origins]
    ) -> None:
        """Check names or values that a node of a function gives, by their origins."""
        effects = self._effects(scope)
        loop = self._outermost_loop(node)
        escaped = [
            each.kept
            for each in effects.all
            if each.kept and (each.anytime or self._is_before(each.node, node, loop))
        ]
        kept = NOTHING.union(*escaped)
        if not scope.has_closures:
            kept -= {ANYTHING}  # of a list: what was put into it was kept before
        for name, origins in given.items():
            memory = origins | (OUTSIDE if overlaps(kept, origins) else NOTHING)
            others = [each for other, each in given.items() if other != name]
            if not memory & {*OUTSIDE, ANYTHING}:
                live = scope.live_after(statement) - {*given}
                others += [effects.memory.of_name(each, statement) for each in live]
                if not any(overlaps(memory, each) for each in others):
                    continue  # nothing else has it
            later = [each for each in effects.all if self._is_after(each, statement, node, loop)]
            self._check_later(scope, name, memory, later)

    def _check_later(self, scope: Scope, name: str, memory: Origins, later: list[Effect]) -> None:
        for each in later:
            if overlaps(each.written, memory) or overlaps(each.stored, memory):
                line = getattr(each.node, "lineno", 0)
                raise RefusedError(Refusal.ALIAS_CHANGED_LATER, f"{name}, line {line}")
        if scope.node in self._checked:
            return
        keeps = any(overlaps(each.kept, memory) for each in later)
        if keeps or any(overlaps(each.returned, memory) for each in later):
            self._checked.add(scope.node)
            if self._callers.has_hooks(scope):
                raise RefusedError(Refusal.ALIAS_CHANGED_LATER, f"{name}, by a hook")
            for caller, call, runs_more in self._callers.of(scope):
                if keeps:
                    self._check_arguments(caller, call)
                self._check_expression(caller, call, runs_more=runs_more)

    def _check_arguments(self, scope: Scope, node: ast.Call) -> None:
        """Check a call of a function that puts a result into what it gets."""
        memory = self._effects(scope).memory
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        given = [*node.args, *(each.value for each in node.keywords), receiver]
        origins = NOTHING.union(*map(memory.of, given))
        name = ast.unparse(node.func).partition("\n")[0]
        self._check(scope, memory.statement(node), node, {name: origins})

    def _outermost_loop(self, node: ast.AST) -> ast.AST | None:
        """Return the outermost loop around a node in its function."""
        found: ast.AST | None = None
        around: ast.AST | None = node
        while around is not None and not isinstance(around, FUNCTIONS):
            inner, around = around, self._tree.parent(around)
            if isinstance(around, _LOOPS) and inner not in around.orelse:
                found = around
        return found

    def _is_before(self, node: ast.AST, other: ast.AST, loop: ast.AST | None) -> bool:
        if loop is not None and self._tree.is_within(node, loop):
            return True
        return _start(node) < _end(other)

    def _is_after(
        self, effect: Effect, statement: ast.stmt, node: ast.AST, loop: ast.AST | None
    ) -> bool:
        if effect.anytime:
            return True
        if loop is not None and self._tree.is_within(effect.node, loop):
            return True
        if effect.late:
            return _end(effect.node) >= _end(statement)
        if effect.node is statement and statement is not node:
            return True
        if statement is node and self._tree.is_within(effect.node, statement):
            return bool(effect.returned)
        if self._tree.is_within(effect.node, node):
            return False
        if self._tree.is_within(effect.node, statement):
            return True
        return _start(effect.node) >= _end(statement)


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)
