"""Small questions about LibCST nodes that many rules ask.

Nothing of LibCST is touched at import time, so that a run that parses nothing need not load it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator


def dotted_text(node: cst.CSTNode) -> str | None:
    """Return ``a.b.c`` for a name or a chain of attributes as written, else None."""
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join([node.value, *reversed(names)])


def string_value(node: cst.CSTNode | None) -> str | None:
    """Return the value of a string literal (joined ones too), None for all else and for bytes.

    Raises UnparsableError where Python refuses the literal, which LibCST does not look into.
    """
    if not isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        return None
    values: list[str] = []
    for each in joined_strings(node):
        value = _literal(each) if isinstance(each, cst.SimpleString) else None
        if not isinstance(value, str):
            return None
        values.append(value)
    return "".join(values)


def joined_strings(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the literals that are written one after another as one string."""
    while isinstance(node, cst.ConcatenatedString):
        yield node.left
        node = node.right
    yield node


def _literal(node: cst.SimpleString) -> str | bytes:
    try:
        return node.evaluated_value
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UnparsableError(reason) from error


def constant(node: cst.CSTNode | None) -> str | None:
    """Return the name of ``True``, ``False`` or ``None`` written as such, else None."""
    if isinstance(node, cst.Name) and node.value in {"True", "False", "None"}:
        return node.value
    return None


def argument(
    call: cst.Call, position: int | None, keyword: str | None
) -> cst.BaseExpression | None:
    """Return the argument at a position (from 0) or with a keyword; None if there is none."""
    for index, each in enumerate(call.args):
        if each.star:
            return None if position is not None and index <= position else _keyword(call, keyword)
        if each.keyword is None and index == position:
            return each.value
    return _keyword(call, keyword)


def statements(block: cst.CSTNode) -> list[cst.BaseStatement | cst.BaseSmallStatement]:
    """Return the statements directly in a block, small ones of one line one by one."""
    found: list[cst.BaseStatement | cst.BaseSmallStatement] = []
    for statement in getattr(block, "body", ()):
        if isinstance(statement, cst.SimpleStatementLine):
            found.extend(statement.body)
        else:
            found.append(statement)
    return found


def calls_in(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield every call at or below a node."""
    return (each for each in walk(node) if isinstance(each, cst.Call))


def _keyword(call: cst.Call, keyword: str | None) -> cst.BaseExpression | None:
    for each in call.args:
        if keyword is not None and each.keyword is not None and each.keyword.value == keyword:
            return each.value
    return None
