"""One function of a file while its statements are rewritten."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.flow import Liveness, Reaching, parameters
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.python.scopes import FUNCTIONS, SCOPES, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rocmlint.models.control_flow.flow import Values


class Scope:
    """A function: what reaches its statements, and which names are free for new functions."""

    def __init__(
        self,
        node: FunctionNode,
        outermost: FunctionNode,
        around: ast.AST | None,
    ) -> None:
        """Take the function, the one that contains it in the end, and what is around it."""
        self.node = node
        self._around = around
        self.outermost = outermost
        self._number = 0

    @cached_property
    def _reaching(self) -> Mapping[ast.stmt, Values]:
        return Reaching(self.node.body, parameters(self.node.args)).before

    @cached_property
    def _liveness(self) -> Mapping[ast.stmt, frozenset[str]]:
        return Liveness(self.node.body).after

    @cached_property
    def names(self) -> frozenset[str]:
        """All names in the outermost function, whatever they are."""
        names: set[str] = set()
        for each in ast.walk(self.outermost):
            if isinstance(each, ast.Name):
                names.add(each.id)
            elif isinstance(each, ast.arg):
                names.add(each.arg)
            elif isinstance(each, (*FUNCTIONS, ast.ClassDef)):
                names.add(each.name)
        return frozenset(names)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the outermost function, or one in it, binds itself."""
        return frozenset(
            each.id if isinstance(each, ast.Name) else each.arg
            for each in ast.walk(self.outermost)
            if isinstance(each, ast.arg)
            or (isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load))
        )

    @cached_property
    def own_name(self) -> str:
        """The name of the object or class that a method gets; empty for other functions."""
        arguments = [*self.node.args.posonlyargs, *self.node.args.args]
        names = {each.id for each in self.node.decorator_list if isinstance(each, ast.Name)}
        is_method = isinstance(self._around, ast.ClassDef) and "staticmethod" not in names
        return arguments[0].arg if is_method and arguments else ""

    @cached_property
    def has_closures(self) -> bool:
        """Whether functions in functions, or lambdas, may see what it holds."""
        return any(
            isinstance(each, SCOPES) and each is not self.outermost
            for each in ast.walk(self.outermost)
        )

    @cached_property
    def bound_around(self) -> frozenset[str]:
        """The names that the function sees in functions around it."""
        return self.bound if self.node is not self.outermost else frozenset()

    def is_within(self, names: Collection[str]) -> bool:
        """Return whether the function is one of these, or in one of them."""
        return self.node.name in names or self.outermost.name in names

    def reaching(self, statement: ast.stmt) -> Values:
        """Return what reaches a statement, nothing for one that nothing reaches."""
        return self._reaching.get(statement, {})

    def before(self, statement: ast.stmt) -> Values:
        """Return what reaches a statement. Raises RefusedError for one that nothing reaches."""
        if statement not in self._reaching:
            raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, "it is never reached")
        return self._reaching[statement]

    def live_after(self, statement: ast.stmt) -> frozenset[str]:
        """Return the names that may be read after a statement, before they are bound again."""
        return self._liveness.get(statement, frozenset())

    def new_number(self, *stems: str) -> int:
        """Return a number that makes free names of all stems, ``then`` becoming ``then_1``."""
        while True:
            self._number += 1
            if not any(f"{stem}_{self._number}" in self.names for stem in stems):
                return self._number
