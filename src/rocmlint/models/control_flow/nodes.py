"""Which statements and expressions of a file are to be rewritten, and by what."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.blocks import is_chain
from rocmlint.models.control_flow.checks import assert_text
from rocmlint.models.control_flow.conditional import rewritten_if
from rocmlint.models.control_flow.conditional_expressions import choice_lines
from rocmlint.models.control_flow.layout import Line
from rocmlint.models.control_flow.loops import map_lines, rewritten_while, stacked
from rocmlint.models.control_flow.refusals import Refusal, RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.models.control_flow.file import File
    from rocmlint.models.tensors.dependence import Dependence

_TESTED = (ast.If, ast.While, ast.IfExp, ast.Assert)


def anchors(file: File) -> dict[ast.stmt | ast.expr, Dependence]:
    """Return what is rewritten as a whole, with the first dependence in it."""
    found: dict[ast.stmt | ast.expr, Dependence] = {}
    for each in file.inference.dependences:
        if each.what != "read":
            found.setdefault(anchor(file, each), each)
    return found


def anchor(file: File, dependence: Dependence) -> ast.stmt | ast.expr:
    """Return the statement or expression that is rewritten as a whole for a dependence."""
    node: ast.AST = dependence.node
    if isinstance(node, ast.comprehension):
        return _comprehension(file, node)
    while isinstance(node, (ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call)):
        around = file.parent(node)
        if (isinstance(around, _TESTED) and around.test is node) or isinstance(
            around, (ast.BoolOp, ast.UnaryOp)
        ):
            node = around
        else:
            break
    while isinstance(node, ast.If):
        around = file.parent(node)
        if not (isinstance(around, ast.If) and is_chain(around) and around.orelse[0] is node):
            break
        node = around
    assert isinstance(node, (ast.stmt, ast.expr))
    return node


def _comprehension(file: File, node: ast.comprehension) -> ast.expr:
    around = file.parent(node)
    assert isinstance(around, ast.expr)
    return stacked(file, around) or around


def rewrite_node(file: File, node: ast.stmt | ast.expr) -> None:
    """Put new lines in the place of a node. Raises RefusedError."""
    scope = file.scope_of(node)
    whole = isinstance(node, (ast.If, ast.While))
    lines: Sequence[Line]
    if isinstance(node, ast.If):
        lines = rewritten_if(file, scope, node)
    elif isinstance(node, ast.While):
        lines = rewritten_while(file, scope, node)
    elif isinstance(node, ast.Assert):
        lines = assert_text(file, node, file.layout.indent(node.lineno), "    ")
    elif isinstance(node, ast.IfExp):
        lines = choice_lines(file, node)
    elif isinstance(node, ast.Call):
        lines = map_lines(file, node)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.ListComp, ast.GeneratorExp)):
        raise RefusedError(Refusal.UNSUPPORTED_LOOP)
    else:
        raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, type(node).__name__)
    file.need(scope, "\n".join(each.text for each in lines))
    if whole:
        lines = _spaced(file, node, _with_comments(file, node, lines))
    elif any(True for _ in file.layout.comments(file.layout.start(node), file.layout.end(node))):
        raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, "it contains a comment")
    file.replace(node, lines, whole=whole)


def _with_comments(file: File, node: ast.stmt | ast.expr, lines: Sequence[Line]) -> list[Line]:
    """Return the lines below the comments that are not in them."""
    text = "\n".join(each.text for each in lines)
    comments = file.layout.comments(file.layout.start(node), file.layout.end(node))
    indent = file.layout.indent(node.lineno)
    lost = [each for each in comments if each.string not in text]
    return [*(Line(indent + each.string, each.start[0]) for each in lost), *lines]


def _spaced(file: File, node: ast.stmt | ast.expr, lines: list[Line]) -> list[Line]:
    """Return the lines with a blank line above where a function follows code."""
    before = file.layout.lines[node.lineno - 2].strip() if node.lineno > 1 else ""
    if not lines[0].text.lstrip().startswith("def ") or not before or before.endswith(":"):
        return lines
    return [Line("", node.lineno), *lines]
