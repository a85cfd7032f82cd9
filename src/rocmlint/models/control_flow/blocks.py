"""The blocks of an ``if`` as lines that can stand in a function."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.layout import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.models.control_flow.file import File


def is_chain(node: ast.If) -> bool:
    """Return whether ``elif`` follows a block, or an ``else`` with nothing but an ``if``.

    For the latter the tree is the same, and it is told from the text by its column.
    """
    if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
        return False
    return node.orelse[0].col_offset == node.col_offset


def block_lines(file: File, node: ast.If, body: Sequence[ast.stmt], indent: str) -> list[Line]:
    """Return the lines of one block of an ``if``, those of a one-line suite with an indent."""
    layout = file.layout
    if body is node.body:
        colon = _colon(file, node.test)
    else:
        _, colon = layout.token_after(layout.end(node.body[-1]), "else")
        _, colon = layout.token_after(colon, ":")
    return _block(file, colon, body, _last_line(file, node, body), indent)


def loop_lines(file: File, node: ast.While, indent: str) -> list[Line]:
    """Return the lines of the body of a ``while``."""
    last = node.body[-1].end_lineno
    assert last is not None
    return _block(file, _colon(file, node.test), node.body, last, indent)


def _colon(file: File, test: ast.expr) -> int:
    _, colon = file.layout.token_after(file.layout.end(test), ":")
    return colon


def _block(file: File, colon: int, body: Sequence[ast.stmt], last: int, indent: str) -> list[Line]:
    """Return the lines between a colon and the last line of its block."""
    layout = file.layout
    line = layout.text.count("\n", 0, colon) + 1
    comments = [each.string for each in layout.comments(colon, layout.line_end(line))]
    if body[0].lineno == line:
        above = [Line(indent + each, line) for each in comments]
        return [*above, *(each for part in body for each in _part(file, part, indent))]
    lines = layout.spliced(layout.line_start(line + 1), layout.line_end(last), file.edits)
    while not lines[-1].text.strip():
        lines.pop()
    own = layout.indent(body[0].lineno)
    return [*(Line(own + each, line) for each in comments), *lines]


def _part(file: File, node: ast.stmt, indent: str) -> list[Line]:
    lines = file.layout.spliced(file.layout.start(node), file.layout.end(node), file.edits)
    lines[0] = Line(indent + lines[0].text, lines[0].origin)
    return lines


def _last_line(file: File, node: ast.If, body: Sequence[ast.stmt]) -> int:
    last = body[-1].end_lineno
    assert last is not None
    if body is not node.body or not node.orelse:
        return last
    if is_chain(node):
        return node.orelse[0].lineno - 1
    line, _ = file.layout.token_after(file.layout.end(body[-1]), "else")
    return max(line - 1, last)
