"""One file while it is rewritten: the edits so far, and the checks that need the whole file."""

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
from rocmlint.models.control_flow.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.models.control_flow.layout import Layout, Line
    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.tensors.inference import Inference


class File(Tree):
    """A file and the edits to it; inner statements are edited before those around them."""

    def __init__(
        self,
        layout: Layout,
        inference: Inference,
        *,
        plain_torch: bool = False,
        callers: Callers | None = None,
    ) -> None:
        """Take the layout, what is known of it, and whether only torch's functions are called.

        ``callers`` are those of the same file without edits, if they are known.
        """
        super().__init__(layout, inference)
        self.plain_torch = plain_torch
        self._callers = callers
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

    @cached_property
    def callers(self) -> Callers:
        """Who calls the functions of the file."""
        return Callers(self) if self._callers is None else self._callers

    @cached_property
    def aliases(self) -> Aliases:
        """What the results of statements share memory with."""
        return Aliases(self, self.callers)

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node, with the edits inside of it."""
        lines = self.layout.spliced(self.layout.start(node), self.layout.end(node), self.edits)
        return "\n".join(each.text for each in lines)

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
