"""Loops that an export keeps: recurrences over tensors, and one result for each row of a tensor."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.blocks import loop_lines
from rocmlint.models.control_flow.branches import (
    check_branch,
    check_captured,
    check_expression,
    check_scope,
)
from rocmlint.models.control_flow.flow import (
    UNBOUND,
    Reaching,
    exposed,
    joined,
    names_bound,
    names_read,
)
from rocmlint.models.control_flow.layout import Line, as_tuple, at, call
from rocmlint.models.control_flow.outputs import bound_values, check_alike, check_values
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.control_flow.shapes import check_sizes
from rocmlint.models.tensors.value_facts import Kind

if TYPE_CHECKING:
    from rocmlint.models.control_flow.file import File
    from rocmlint.models.control_flow.scope import Scope


def rewritten_while(file: File, scope: Scope, node: ast.While) -> list[Line]:
    """Return the lines for a ``while`` that carries tensors only. Raises RefusedError."""
    if file.plain_torch:
        raise RefusedError(Refusal.UNSUPPORTED_LOOP, "torch has no public while_loop")
    if node.orelse:
        raise RefusedError(Refusal.UNSUPPORTED_LOOP, "else")
    check_branch(node.body, file.inference, may_return=False, settled=file.is_settled)
    file.check_nested(node.body)
    check_sizes(file, [node.test, *node.body])
    for each in ast.walk(node.test):
        check_expression(each)
    split = file.predicates.split(node.test)
    if split.guards or split.is_negated:
        raise RefusedError(Refusal.MIXED_AND_OR)
    carried = _carried(file, scope, node)
    number = scope.new_number("test", "body")
    indent, unit = file.layout.indent(node.lineno), file.unit(node)
    names = ", ".join(carried)
    test, body = f"test_{number}", f"body_{number}"
    lines = at(
        node.lineno, [f"{indent}def {test}({names}):", f"{indent}{unit}return {split.test}", ""]
    )
    lines += at(node.lineno, [f"{indent}def {body}({names}):"])
    lines += loop_lines(file, node, indent + unit)
    lines += at(node.lineno, [f"{indent}{unit}return {as_tuple(carried)}", ""])
    target = as_tuple(carried) if len(carried) == 1 else names
    head = f"{target} = rocmlint.export.while_loop"
    return [*lines, *at(node.lineno, call(indent, unit, head, [test, body, as_tuple(carried)]))]


def _carried(file: File, scope: Scope, node: ast.While) -> list[str]:
    """Return the names that a loop hands from one iteration to the next. Raises RefusedError."""
    assigned = list(dict.fromkeys(name for each in node.body for name in names_bound(each)))
    check_scope(scope.node, assigned)
    before = scope.before(node)
    needed = exposed(node.body) | {*names_read(node.test)} | scope.live_after(node)
    carried = [each for each in assigned if each in needed]
    if not carried:
        raise RefusedError(Refusal.UNSUPPORTED_LOOP, "nothing is carried")
    after = Reaching(node.body, before).after or {}
    for name in carried:
        first, next_ = before.get(name, frozenset({UNBOUND})), after.get(name, frozenset({UNBOUND}))
        for bindings in (first, next_):
            check_values(name, bindings, file.inference)
            for each in bindings:
                says = "" if each.annotation is None else ast.unparse(each.annotation)
                if each.value is None and "Tensor" in says:
                    continue
                if each.value is None or file.inference.kind_of(each.value) is not Kind.TENSOR:
                    raise RefusedError(Refusal.NOT_A_TENSOR, name)
        check_alike(file, name, bound_values((*first, *next_)))
    file.aliases.check_names(scope, node, joined(before, after) or {}, carried)
    return carried


def stacked(file: File, node: ast.expr) -> ast.Call | None:
    """Return ``torch.stack([... for ...])`` around a list, if that is all that becomes of it."""
    around = file.parent(node)
    if not isinstance(node, ast.ListComp) or not isinstance(around, ast.Call):
        return None
    is_stack = ast.unparse(around.func) == "torch.stack" and around.args == [node]
    in_front = all(
        each.arg == "dim" and isinstance(each.value, ast.Constant) and each.value.value == 0
        for each in around.keywords
    )
    return around if is_stack and in_front else None


def map_lines(file: File, node: ast.Call) -> list[Line]:
    """Return the lines for a stacked list over the rows of a tensor. Raises RefusedError."""
    (rows,) = node.args
    if not isinstance(rows, ast.ListComp) or file.plain_torch:
        raise RefusedError(Refusal.UNSUPPORTED_LOOP)
    (generator, *more) = rows.generators
    if more or generator.ifs or generator.is_async or not isinstance(generator.target, ast.Name):
        raise RefusedError(Refusal.UNSUPPORTED_LOOP)
    if file.inference.kind_of(generator.iter) is not Kind.TENSOR:
        raise RefusedError(Refusal.UNSUPPORTED_LOOP, "it is not over a tensor")
    file.check_nested([rows.elt, generator.iter])
    for each in ast.walk(rows.elt):
        check_expression(each)
        check_captured(each, file.inference)
    row = f"lambda {generator.target.id}: {file.text_of(rows.elt)}"
    text = f"rocmlint.export.map_rows({row}, {file.text_of(generator.iter)})"
    return [Line(each, node.lineno) for each in text.split("\n")]
