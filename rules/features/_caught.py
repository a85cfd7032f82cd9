"""What catches the error of a piece of code: a handler of a `try`, or `contextlib.suppress`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import last_name, walk

if TYPE_CHECKING:
    from rocmlint.rule import Source

ANY_ERROR = frozenset({"BaseException", "Exception"})
"""What catches every error, besides a bare `except`."""


def handler_of(
    node: cst.CSTNode, source: Source, errors: frozenset[str]
) -> cst.ExceptHandler | cst.With | None:
    """Return what catches one of these errors, in the function around: a handler, or `suppress`."""
    below: cst.CSTNode = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            return None
        if isinstance(above, cst.Try) and above.body is below:
            fitting = (each for each in above.handlers if takes(each.type, errors))
            handler = next(fitting, None)
            if handler is not None:
                return handler
        if isinstance(above, cst.With) and above.body is below:
            if any(_suppresses(each.item, errors, source) for each in above.items):
                return above
        below = above
    return None


def takes(kind: cst.BaseExpression | None, errors: frozenset[str]) -> bool:
    """Return whether an `except` is for one of these errors; a bare one is for all."""
    return kind is None or any(
        isinstance(each, (cst.Attribute, cst.Name)) and last_name(each) in errors
        for each in walk(kind)
    )


def _suppresses(item: cst.BaseExpression, errors: frozenset[str], source: Source) -> bool:
    if not isinstance(item, cst.Call) or source.resolve(item.func) != "contextlib.suppress":
        return False
    return any(takes(each.value, errors) for each in item.args)
