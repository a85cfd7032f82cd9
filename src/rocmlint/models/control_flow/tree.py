"""The tree of one file: what is around its nodes, and what is known of its expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.control_flow.scope import Scope
from rocmlint.python.scopes import FUNCTIONS, SCOPES, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.models.control_flow.layout import Layout
    from rocmlint.models.tensors.inference import Inference


class Tree:
    """A file as it was parsed; nothing here depends on edits."""

    def __init__(self, layout: Layout, inference: Inference) -> None:
        """Take the layout of the text, and what is known of its expressions."""
        self.layout = layout
        self.inference = inference
        self._scopes: dict[ast.AST, Scope] = {}

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node around a node."""
        return self.layout.parent(node)

    def depth(self, node: ast.AST) -> int:
        """Return how many nodes are around a node."""
        depth, around = 0, self.parent(node)
        while around is not None:
            depth, around = depth + 1, self.parent(around)
        return depth

    def is_within(self, node: ast.AST | None, outer: ast.AST) -> bool:
        """Return whether a node is another, or in it."""
        while node is not None and node is not outer:
            node = self.parent(node)
        return node is outer

    def scope_of(self, node: ast.AST) -> Scope:
        """Return the function around a node. Raises RefusedError where there is none."""
        functions = []
        around = self.parent(node)
        inner = node
        while around is not None:
            if isinstance(around, ast.JoinedStr):  # before Python 3.12 its parts have wrong places
                raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, "it is in an f-string")
            if isinstance(around, (*FUNCTIONS, ast.ClassDef)):
                _check_decorators(around.decorator_list)
            if isinstance(around, FUNCTIONS) and inner in around.body:
                functions.append(around)
            elif isinstance(around, SCOPES) and not functions:
                raise RefusedError(Refusal.SCOPE_OF_NAMES, "it is in a lambda or a class body")
            inner, around = around, self.parent(around)
        if not functions:
            raise RefusedError(Refusal.SCOPE_OF_NAMES, "it is in no function")
        return self._scope(functions)

    def function_around(self, node: ast.AST) -> Scope | None:
        """Return the function around a node, whatever it is; None where there is none."""
        functions = []
        around = self.parent(node)
        while around is not None:
            if isinstance(around, FUNCTIONS):
                functions.append(around)
            around = self.parent(around)
        return self._scope(functions) if functions else None

    def scope_at(self, function: FunctionNode) -> Scope:
        """Return a function by its definition."""
        around = self.function_around(function)
        return self._scope([function, *([] if around is None else [around.outermost])])

    def _scope(self, functions: Sequence[FunctionNode]) -> Scope:
        inner = functions[0]
        scope = self._scopes.get(inner)
        if scope is None:
            scope = self._scopes[inner] = Scope(inner, functions[-1], self.parent(inner))
        return scope

    def values_of(self, name: ast.Name) -> list[ast.expr | None]:
        """Return what may have been assigned to a name where it is read; None: something else."""
        node: ast.AST | None = name
        while node is not None and not isinstance(node, ast.stmt):
            if isinstance(node, SCOPES):
                return []
            node = self.parent(node)
        try:
            values = self.scope_of(name).before(node) if isinstance(node, ast.stmt) else {}
        except RefusedError:
            return []
        return [None if each.in_place else each.value for each in values.get(name.id, ())]

    def begins_line(self, node: ast.stmt) -> bool:
        """Return whether nothing stands before a statement on its line, such as ``else:``."""
        start = self.layout.line_start(node.lineno)
        return not self.layout.text[start : self.layout.start(node)].strip()

    def unit(self, node: ast.stmt) -> str:
        """Return by how much the block of a statement is indented more than the statement."""
        body: Sequence[ast.stmt] = getattr(node, "body", [])
        outer = self.layout.indent(node.lineno)
        begins = bool(body) and self.begins_line(body[0])
        inner = self.layout.indent(body[0].lineno) if begins else outer
        return inner.removeprefix(outer) or "    "


def _check_decorators(decorators: Iterable[ast.expr]) -> None:
    """Check that no compiler of its own reads a function: those take no inner functions."""
    for each in decorators:
        written = ast.unparse(each)
        if "jit" in written:
            raise RefusedError(Refusal.SCOPE_OF_NAMES, f"decorated with {written}")
