"""Where the control flow of a file depends on the content of a tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import ast

What = Literal["branch", "assert", "raise", "loop", "read"]
"""What depends on a tensor.

``branch``: an ``if``, ``while``, conditional expression, ``and``, ``or`` or ``not``. ``raise``: an
``if`` whose body only raises. ``loop``: a ``for`` or a comprehension over a tensor or over values
read from one. ``read``: an expression that makes a Python value of a tensor.
"""
Reach = Literal["live", "dtype-gated", "training", "labels", "guarded", "bypassed", "unreached"]
"""When an export gets there.

``live``: whenever ``forward`` runs. ``dtype-gated``: only for some dtype. ``training``: only while
training. ``labels``: only where labels are given, for a loss. ``guarded``: not while exporting,
tracing or compiling, or only with several ranks, which a condition asks. ``bypassed``: in the loop
over experts of a class that chooses another implementation for exports. ``unreached``: no
``forward`` of the file calls it.
"""


@dataclass(frozen=True)
class Dependence:
    """One place at which Python needs the content of a tensor."""

    node: ast.expr | ast.stmt | ast.comprehension
    """The statement or expression that asks; for comprehensions the ``for`` part."""
    what: What
    expression: ast.expr
    """The predicate, what is looped over, or the expression that reads."""
    function: str
    """The qualified name of the function, such as ``BartEncoderLayer.forward``."""
    reach: Reach
    spared_by: str = ""
    """The parameter of ``forward`` that a caller can pass so that this does not run."""

    @property
    def line(self) -> int:
        """The line of the expression, from 1."""
        return self.expression.lineno

    @property
    def column(self) -> int:
        """The column of the expression in characters of UTF-8, from 1."""
        return self.expression.col_offset + 1
