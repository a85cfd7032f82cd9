"""What the statements before a place make of a name, or of a variable of the environment.

The walk goes backwards from a place: what stands before it in the same block has run. A branch is
followed where its condition is known; what may have run, or not, makes the answer unknown.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from rocmlint.verify.variables import functions, program
from rocmlint.verify.variables.frame import Frame
from rocmlint.verify.variables.functions import RaisedError, UnknownError
from rocmlint.verify.variables.program import COMPREHENSIONS, FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Outcome = Callable[[ast.expr, Frame], Any]
    """Evaluates an expression. Raises UnknownError, and RaisedError where the code raises."""

MISSING: Final = object()
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Walk:
    """Goes backwards from a place; what it looks for is up to the classes below."""

    def __init__(self, outcome: Outcome, frame: Frame) -> None:
        self.outcome = outcome
        self.frame = frame
        self.file = frame.file
        self._touched: set[ast.AST] = set()

    def touch(self, nodes: Iterable[ast.AST]) -> None:
        """Say where something may happen: the statements around these nodes."""
        for node in nodes:
            self._touched.add(node)
            for around in self.file.around(node):
                if isinstance(around, FUNCTIONS) or around in self._touched:
                    break
                self._touched.add(around)

    def leaf(self, statement: ast.stmt) -> Any:
        """Return what a simple statement does; MISSING for nothing. Raises UnknownError."""
        raise NotImplementedError

    def outside(self, function: program.Function) -> Any:
        """Return what is so when a function is entered."""
        raise NotImplementedError

    def before(self, node: ast.AST) -> Any:
        """Return what is so where a node is evaluated. Raises UnknownError."""
        while node in self.file.parents:
            parent = self.file.parents[node]
            if isinstance(parent, _LOOPS) and parent in self._touched:
                raise UnknownError(parent)
            if isinstance(parent, (ast.With, ast.AsyncWith)) and node in parent.body:
                if any(each in self._touched for each in parent.items):
                    raise UnknownError(parent)
            if isinstance(node, ast.stmt):
                found = self._before_in_block(node, parent)
                if found is not MISSING:
                    return found
                if isinstance(parent, ast.If) and parent.test in self._touched:
                    return self.leaf(parent)
            if isinstance(parent, FUNCTIONS) and node in program.body_of(parent):
                return self.outside(parent)
            node = parent
        return MISSING

    def after(self, statement: ast.stmt) -> Any:
        """Return what is so when a statement has run. Raises UnknownError."""
        found = self._statement(statement) if statement in self._touched else MISSING
        return self.before(statement) if found is MISSING else found

    def _before_in_block(self, node: ast.stmt, parent: ast.AST) -> Any:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if not isinstance(block, list) or node not in block:
                continue
            found = self.block(block[: block.index(node)])
            if found is not MISSING:
                return found
            if isinstance(parent, ast.Try) and name != "body":
                if name == "finalbody" and parent in self._touched:
                    raise UnknownError(parent)
                return self.block(parent.body)
        if isinstance(parent, ast.ExceptHandler):
            around = self.file.parents[parent]
            found = self.block(parent.body[: parent.body.index(node)])
            if found is MISSING and any(each in self._touched for each in around.body):  # type: ignore[attr-defined]
                raise UnknownError(around)
            return found
        return MISSING

    def block(self, statements: Sequence[ast.stmt]) -> Any:
        """Return what is so after some statements. Raises UnknownError."""
        for statement in reversed(statements):
            if statement in self._touched:
                found = self._statement(statement)
                if found is not MISSING:
                    return found
        return MISSING

    def _statement(self, statement: ast.stmt) -> Any:
        if isinstance(statement, ast.If):
            return self._branch(statement)
        if isinstance(statement, ast.Try):
            return self._tried(statement)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            if any(each in self._touched for each in statement.items):
                raise UnknownError(statement)
            return self.block(statement.body)
        if isinstance(statement, ast.ClassDef):
            return self.block(statement.body)
        if isinstance(statement, (*_LOOPS, ast.Match)):
            raise UnknownError(statement)
        if isinstance(statement, FUNCTIONS):
            return MISSING
        return self.leaf(statement)

    def _branch(self, statement: ast.If) -> Any:
        try:
            is_taken = bool(self.outcome(statement.test, self.frame))
        except (UnknownError, RaisedError) as error:
            raise UnknownError(statement) from error
        found = self.block(statement.body if is_taken else statement.orelse)
        if found is MISSING and statement.test in self._touched:
            return self.leaf(statement)
        return found

    def _tried(self, statement: ast.Try) -> Any:
        found = self.block(statement.finalbody)
        if found is not MISSING:
            return found
        try:
            for each in statement.body:
                passes(each, self.frame, self.outcome)
            return self.block([*statement.body, *statement.orelse])
        except RaisedError as error:
            handler = functions.handler_of(statement, error.error)
            if handler is None:
                raise UnknownError(statement) from error
            return self.block(handler.body)


class Reaching(Walk):
    """What a name is."""

    def __init__(self, outcome: Outcome, name: str, frame: Frame) -> None:
        super().__init__(outcome, frame)
        self._name = name
        self.touch(self.file.stores.get(name, ()))

    def before(self, node: ast.AST) -> Any:
        """Return what the name is where a node is evaluated. Raises UnknownError."""
        for around in self.file.around(node):
            if isinstance(around, COMPREHENSIONS):
                bound = (n for each in around.generators for n in ast.walk(each.target))
                if any(isinstance(n, ast.Name) and n.id == self._name for n in bound):
                    raise UnknownError
            if isinstance(around, ast.stmt):
                break
        for store in self.file.stores.get(self._name, ()):
            named = self.file.parents[store]
            if isinstance(named, ast.NamedExpr) and _is_earlier(named, node):
                if self.file.statement_around(named) is self.file.statement_around(node):
                    return self.outcome(named.value, self.frame)
        return super().before(node)

    def at_end(self) -> Any:
        """Return what the name is when the module has run. Raises UnknownError."""
        if self._name in self.file.globals:
            raise UnknownError
        return self.block(self.file.module.body)

    def outside(self, function: program.Function) -> Any:
        """Return what the name is when a function is entered: its parameter, or of the module."""
        arguments = function.args
        if self._name in program.parameters_of(function):
            return self._parameter()
        if self._name in {each.arg for each in (arguments.vararg, arguments.kwarg) if each}:
            raise UnknownError
        outer = self.file.function_around(function)
        if outer is None:
            return self.at_end()
        statements = [each for each in program.body_of(outer) if isinstance(each, ast.stmt)]
        found = self.block(statements)
        return self.outside(outer) if found is MISSING else found

    def _parameter(self) -> Any:
        """Return what the parameter of this name is in the call of the frame."""
        frame = self.frame
        if frame.caller is None or self._name not in frame.arguments:
            raise UnknownError
        given = frame.arguments[self._name]
        is_default = given in program.defaults_of(frame.function).values() if frame.function else 0
        return self.outcome(given, Frame(frame.file) if is_default else frame.caller)

    def leaf(self, statement: ast.stmt) -> Any:
        """Return what a statement makes of the name."""
        stores = [
            each
            for each in self.file.stores[self._name]
            if self.file.statement_around(each) is statement
        ]
        target = stores[-1]
        parent = self.file.parents[target]
        if isinstance(statement, ast.AugAssign) and parent is statement:
            before = ast.Name(self._name, ast.Load())
            self.file.parents[before] = statement  # it is read where it is changed
            changed = ast.BinOp(before, statement.op, statement.value)
            return self.outcome(changed, self.frame)
        if isinstance(parent, ast.Tuple) and isinstance(statement, ast.Assign):
            values = statement.value
            if isinstance(values, ast.Tuple) and len(values.elts) == len(parent.elts):
                return self.outcome(values.elts[parent.elts.index(target)], self.frame)
        value = program.value_of(parent, target)
        if value is None:
            raise UnknownError(statement)
        return self.outcome(value, self.frame)


def passes(statement: ast.stmt, frame: Frame, outcome: Outcome) -> None:
    """Raise RaisedError where a simple statement raises; what is not known does not."""
    value = getattr(statement, "value", None)
    if isinstance(value, ast.expr):
        with suppress(UnknownError):
            outcome(value, frame)


def _is_earlier(first: ast.expr, then: ast.AST) -> bool:
    """Return whether an expression ends before another begins."""
    end = (first.end_lineno or 0, first.end_col_offset or 0)
    return end <= (getattr(then, "lineno", 0), getattr(then, "col_offset", 0))
