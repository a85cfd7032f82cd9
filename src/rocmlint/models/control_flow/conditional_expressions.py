"""``a if t else b`` on a tensor: both values become functions without arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.branches import check_captured, check_expression
from rocmlint.models.control_flow.layout import WIDTH, Line, call
from rocmlint.models.control_flow.loops import stacked
from rocmlint.models.control_flow.outputs import check_alike, check_value
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.control_flow.shapes import check_sizes
from rocmlint.models.tensors.value_facts import Kind

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

if TYPE_CHECKING:
    from rocmlint.models.control_flow.file import File


def choice_lines(file: File, node: ast.IfExp) -> list[Line]:
    """Return the lines for a conditional expression. Raises RefusedError."""
    split = file.predicates.split(node.test)
    if split.guards:
        raise RefusedError(Refusal.MIXED_AND_OR)
    file.check_nested([node.body, node.orelse, *ast.iter_child_nodes(node.test)])
    for each in ast.walk(node):
        check_expression(each)
    for value in (node.body, node.orelse):
        check_value("conditional expression", value, file.inference)
        if file.inference.kind_of(value) is not Kind.TENSOR:
            raise RefusedError(Refusal.NOT_A_TENSOR, file.text_of(value))
        for each in ast.walk(value):
            check_captured(each, file.inference)
    file.aliases.check_expression(file.scope_of(node), node)
    check_alike(file, "conditional expression", [node.body, node.orelse])
    check_sizes(file, [node.body, node.orelse])
    _check_loop(file, node)
    then, other = (_value(file, each) for each in (node.body, node.orelse))
    if split.is_negated:
        then, other = other, then
    arguments = [split.test, then, other, *(["()"] if file.plain_torch else [])]
    head = "torch.cond" if file.plain_torch else "rocmlint.export.cond"
    text = f"{head}({', '.join(arguments)})"
    line = file.layout.lines[node.lineno - 1]
    if len(line) - len(file.text_of(node)) + len(text) > WIDTH:
        first, *rest = call(file.layout.indent(node.lineno), "    ", head, arguments)
        text = "\n".join([first.lstrip(), *rest])
    return [Line(each, node.lineno) for each in text.split("\n")]


def _check_loop(file: File, node: ast.IfExp) -> None:
    """Check that no loop over the rows of a tensor is left around. Raises RefusedError."""
    inner: ast.AST = node
    while isinstance(inner, (ast.expr, ast.comprehension, ast.keyword)):
        if isinstance(inner, _COMPREHENSIONS):
            rows = [each.iter for each in inner.generators]
            is_rewritten = stacked(file, inner) in file.unsettled
            if not is_rewritten and any(file.inference.kind_of(e) is Kind.TENSOR for e in rows):
                raise RefusedError(Refusal.UNSUPPORTED_LOOP, "the loop around it stays")
        around = file.parent(inner)
        if around is None:
            return
        inner = around


def _value(file: File, node: ast.expr) -> str:
    text = file.text_of(node)
    if file.plain_torch:
        text = f"({text}).clone()"
    return f"lambda: {text}"
