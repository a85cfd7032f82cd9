"""The code object of one rewritten function, with the lines of the file before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

    from rocmlint.control_flow.rewrite import Rewritten


def function_code(rewritten: Rewritten, function: str, filename: str) -> CodeType:
    """Return the code of a function of the rewritten text, by its qualified name.

    Its free variables have the names of those before (perhaps in another order, and
    ``__class__`` is among them for zero-argument ``super()``), so that a closure can be made of
    the old cells by name. Its lines are those of the text before, for tracebacks and debuggers.
    Raises LookupError where the text has no such function, or several.
    """
    raise NotImplementedError
