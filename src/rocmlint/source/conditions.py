"""The conditions under which a node of a file runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.source.python import Source


class Condition(NamedTuple):
    """The test of an ``if`` around a node, and its value when the node is reached."""

    test: cst.BaseExpression
    holds: bool


def conditions(node: cst.CSTNode, source: Source) -> Iterator[Condition]:
    """Yield the tests of ``if``, ``elif`` and ``a if b else c`` around a node, innermost first.

    The node is in one of their branches, not in the test itself.
    """
    below = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.If, cst.IfExp)) and above.test is not below:
            yield Condition(above.test, above.body is below)
        below = above
