"""One file while it is rewritten: its tree, what is known of it, and the edits so far."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.dtypes import Dtypes
from rocmlint.models.control_flow.imports import binds_otherwise
from rocmlint.models.control_flow.layout import Edit
from rocmlint.models.control_flow.memory.aliases import Aliases
from rocmlint.models.control_flow.memory.callers import Callers
from rocmlint.models.control_flow.predicates import Predicates
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.control_flow.scope import Scope
from rocmlint.python.scopes import FUNCTIONS, SCOPES, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.models.control_flow.layout import Layout, Line
    from rocmlint.models.control_flow.rewrite import Options
    from rocmlint.models.tensors.inference import Inference


class File:
    """A file and the edits to it; inner statements are edited before those around them."""

    def __init__(
        self,
        layout: Layout,
        inference: Inference,
        options: Options,
        unedited: File | None = None,
    ) -> None:
        """Take the layout, what is known of it, and what is wanted.

        Who calls what is taken from the same file without edits, if that is given.
        """
        self._unedited = unedited
        self.layout = layout
        self.inference = inference
        self.options = options
        self.predicates = Predicates(inference, self.text_of, self.values_of)
        self.dtypes = Dtypes(self.values_of)
        self.shapes: dict[ast.expr, tuple[int, ...] | None] = {}
        """The shapes that were asked for; None where the text does not show one."""
        self.edits: list[Edit] = []
        self.imported: dict[ast.AST, set[str]] = {}
        """The modules that the edits of each function need."""
        self.unsettled: set[ast.AST] = set()
        """The statements and expressions that depend on tensors and are as they were."""
        self._settled: set[ast.AST] = set()
        self._scopes: dict[ast.AST, Scope] = {}

    @cached_property
    def callers(self) -> Callers:
        """Who calls the functions of the file."""
        return Callers(self) if self._unedited is None else self._unedited.callers

    @cached_property
    def aliases(self) -> Aliases:
        """What the results of statements share memory with."""
        return Aliases(self, self.callers)

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

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node, with the edits inside of it."""
        lines = self.layout.spliced(self.layout.start(node), self.layout.end(node), self.edits)
        return "\n".join(each.text for each in lines)

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

    def replace(self, node: ast.expr | ast.stmt, lines: Iterable[Line], *, whole: bool) -> None:
        """Put lines in the place of a node, or of all its lines."""
        start, end = self.layout.start(node), self.layout.end(node)
        if whole:
            assert node.end_lineno is not None
            start, end = self.layout.line_start(node.lineno), self.layout.line_end(node.end_lineno)
        self.edits.append(Edit(start, end, tuple(lines)))
        self._settled.add(node)
        self.unsettled.discard(node)

    def is_settled(self, node: ast.AST) -> bool:
        """Return whether a node has been rewritten."""
        return node in self._settled

    def check_nested(self, body: Iterable[ast.AST]) -> None:
        """Check that nothing in some nodes still depends on a tensor. Raises RefusedError."""
        for node in body:
            for each in ast.walk(node):
                if each in self.unsettled:
                    raise RefusedError(
                        Refusal.NESTED_STATEMENT, f"line {getattr(each, 'lineno', '')}"
                    )

    def need(self, scope: Scope, text: str) -> None:
        """Note which modules a text needs in a function. Raises RefusedError for taken names."""
        for module in ("rocmlint.export", "torch"):
            if f"{module}." not in text:
                continue
            name = module.partition(".")[0]
            if name in scope.bound or binds_otherwise(self.inference.tree, name):
                raise RefusedError(Refusal.NAME_TAKEN, name)
            self.imported.setdefault(scope.node, set()).add(module)


def _check_decorators(decorators: Iterable[ast.expr]) -> None:
    """Check that no compiler of its own reads a function: those take no inner functions."""
    for each in decorators:
        written = ast.unparse(each)
        if "jit" in written:
            raise RefusedError(Refusal.SCOPE_OF_NAMES, f"decorated with {written}")
