"""One place that looks an environment variable up, and what its expression makes of a value."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocmlint.verify.variables import functions
from rocmlint.verify.variables.evaluate import Evaluator
from rocmlint.verify.variables.functions import ProgramFunction, RaisedError, UnknownError
from rocmlint.verify.variables.program import FUNCTIONS, target_of
from rocmlint.verify.variables.reaching import MISSING, Reaching
from rocmlint.verify.variables.writes_before_read import Written, settings

if TYPE_CHECKING:
    from rocmlint.verify.variables.flow import Sink
    from rocmlint.verify.variables.frame import Frame
    from rocmlint.verify.variables.program import Lookup
    from rocmlint.verify.variables.writes_before_read import When, Write

Kind = Literal["reads", "may read"]


@dataclass(frozen=True)
class Reading:
    """One place that looks a variable up.

    ``expression`` is the largest expression around it whose value follows from the variable alone.
    """

    kind: Kind
    line: int
    when: When
    expression: str
    name: str = ""
    is_guard: bool = False
    """Whether it only asks if the variable is set, before another reading takes the value."""
    is_chained: bool = False
    """Whether the same look-up decides by several conditions of one function."""
    is_check: bool = False
    """Whether the code raises an exception where the expression is true."""
    lookup: Lookup | None = None
    frame: Frame | None = None
    sink: Sink | None = None

    def outcome(self, value: str | None) -> object:
        """Return what the expression makes of a value; None means not set.

        Raises UnknownError where that cannot be told, and ValueError as the code itself would.
        """
        if self.sink is None:
            raise UnknownError
        write = self.write(value)
        evaluator = Evaluator(self.name, write.value if write and write.is_certain else value)
        try:
            result = evaluator.outcome(self.sink.node, self.sink.frame)
        except RaisedError as error:
            result = self._handled(evaluator, error)
        if isinstance(result, ProgramFunction):
            raise UnknownError
        return bool(result) if self.sink.is_condition else result

    def _handled(self, evaluator: Evaluator, error: RaisedError) -> object:
        """Return what the name is that should have got the value, behind a handler.

        Raises ValueError where nothing handles it, and UnknownError.
        """
        sink = self.sink
        around = list(sink.frame.file.around(sink.node)) if sink else []
        statement = next((each for each in around if isinstance(each, ast.stmt)), None)
        tried = next((each for each in around if isinstance(each, (ast.Try, *FUNCTIONS))), None)
        if not isinstance(tried, ast.Try) or not functions.handler_of(tried, error.error):
            raise error.error if isinstance(error.error, ValueError) else UnknownError
        target = target_of(statement) if statement else None
        if not sink or not isinstance(target, ast.Name):
            raise UnknownError
        try:
            found = Reaching(evaluator.outcome, target.id, sink.frame).after(tried)
        except RaisedError as inner:
            raise UnknownError from inner
        if found is MISSING:
            raise UnknownError
        return found

    def default(self) -> object:
        """Return what the look-up gives without the variable. Raises UnknownError."""
        lookup = self.lookup
        if not lookup or not lookup.default or not self.frame or lookup.present is not None:
            raise UnknownError
        try:
            return Evaluator(self.name, None).outcome(lookup.default, self.frame)
        except RaisedError as error:
            raise UnknownError from error

    def write(self, value: str | None) -> Write | None:
        """Return what the program sets the variable to before it reads it here."""
        if self.lookup is None or self.frame is None or not self.frame.file.once(settings):
            return None
        return Written(Evaluator(self.name, value), self.frame).write(self.lookup.node)
