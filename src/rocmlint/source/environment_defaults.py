"""What Python code takes where a variable of the environment is not set, and what it sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.formats.scripts.handed_on import names_command
from rocmlint.syntax.nodes import argument, string_value

if TYPE_CHECKING:
    from rocmlint.source.python import Source

GETTERS = frozenset({"os.environ.get", "os.getenv", "os.environ.setdefault"})


def command_default(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """Return the default of a variable that holds a command; None for all other calls."""
    if source.resolve(call.func) not in GETTERS:
        return None
    name = argument(call, 0, "key")
    default = argument(call, 1, "default")
    is_command = name is not None and names_command(string_value(name) or "")
    return default if is_command else None


def default_of(node: cst.BaseExpression, source: Source) -> cst.BaseExpression | None:
    """Return what an expression is where a variable is not set; None if it asks for none.

    What holds a command is None too: that is a command of its own.
    """
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        is_asked = isinstance(node.left, cst.Call) and source.resolve(node.left.func) in GETTERS
        return node.right if is_asked else None
    if not isinstance(node, cst.Call) or source.resolve(node.func) not in GETTERS:
        return None
    return None if command_default(node, source) is not None else argument(node, 1, "default")


def is_default(node: cst.CSTNode, source: Source) -> bool:
    """Check whether a node is what a variable is by default, or is set to."""
    above = next(source.ancestors(node), None)
    if isinstance(above, cst.BooleanOperation):
        return default_of(above, source) is node
    if isinstance(above, cst.Arg):
        call = next(source.ancestors(above), None)
        return isinstance(call, cst.Call) and default_of(call, source) is node
    return isinstance(above, cst.Assign) and any(
        isinstance(each.target, cst.Subscript) and source.resolve(each.target.value) == "os.environ"
        for each in above.targets
    )
