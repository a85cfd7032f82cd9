"""Where an expression is evaluated: in which file, and in which call of the function around it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocmlint.verify.variables import program
from rocmlint.verify.variables.functions import UnknownError

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from rocmlint.verify.variables.program import Function, Program

DEEPEST = 25
"""Calls, and files, inside each other."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A file and, inside a function, its call.

    ``arguments`` are expressions of the ``caller``; ``values`` are what loops bind.
    """

    file: Program
    function: Function | None = None
    arguments: Mapping[str, ast.expr] = field(default_factory=dict)
    caller: Frame | None = None
    call: ast.expr | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    depth: int = 0

    def calling(self, file: Program, function: Function, call: ast.Call) -> Frame:
        """Return the frame of a call that stands here. Raises UnknownError for too many."""
        if self.depth > DEEPEST:
            raise UnknownError
        is_method = program.parameters_of(function)[:1] in (["self"], ["cls"])
        given = program.bound(function, call, is_method=is_method)
        return Frame(file, function, given, self, call, {}, self.depth + 1)

    def with_value(self, name: str, value: object) -> Frame:
        """Return the frame inside a loop that binds a name."""
        return replace(self, values={**self.values, name: value})
