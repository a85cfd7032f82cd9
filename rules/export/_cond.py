"""Calls of `torch.cond`: their predicate, their operands, and which functions the branches are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.python.scopes import FUNCTIONS

from ._branches import (
    Branch,
    Problem,
    problems_between,
    problems_of_effects,
    problems_of_results,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.tensors.inference import Inference

_ARGUMENTS = ("pred", "true_fn", "false_fn", "operands")


def problems_of(call: ast.Call, inference: Inference) -> Iterator[Problem]:
    """Yield what an export does not take in a call of `torch.cond`."""
    given = dict(zip(_ARGUMENTS, call.args, strict=False))
    given |= {each.arg: each.value for each in call.keywords if each.arg in _ARGUMENTS}
    if any(isinstance(each, ast.Starred) for each in call.args):
        return
    if "pred" in given:
        yield from _of_predicate(given["pred"], inference)
    operands = given.get("operands")
    if operands is not None:
        yield from _of_operands(operands, inference)
    branches = [
        _branch(given[name], call, inference) for name in ("true_fn", "false_fn") if name in given
    ]
    for branch in branches:
        if branch is not None:
            yield from problems_of_results(branch)
            yield from problems_of_effects(branch)
            yield from _of_number(branch, operands)
    if len(branches) == 2 and branches[0] is not None and branches[1] is not None:
        yield from problems_between(branches[0], branches[1])


def _of_predicate(predicate: ast.expr, inference: Inference) -> Iterator[Problem]:
    asked = _asked_for_truth(predicate, inference)
    if asked:
        message = f"`{asked}` asks Python for the truth of a tensor, before `torch.cond` does"
        help = (
            "Use `torch.logical_not`, `torch.logical_and` or `torch.logical_or` for the predicate."
        )
        yield Problem(predicate, message, help)


def _asked_for_truth(node: ast.expr, inference: Inference) -> str:
    """Return what in a predicate needs the truth of a tensor at once; empty if nothing does."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return "not" if _depends(operand, inference) else ""
        case ast.BoolOp(op=op, values=[*before, last]):
            if any(_depends(each, inference) for each in before):
                return "and" if isinstance(op, ast.And) else "or"
            return _asked_for_truth(last, inference)
        case ast.Call(func=ast.Name(id="bool"), args=[argument]):
            return "bool()" if _depends(argument, inference) else ""
    return ""


def _depends(node: ast.expr, inference: Inference) -> bool:
    return inference.kind_of(node).depends_on_data


def _of_operands(operands: ast.expr, inference: Inference) -> Iterator[Problem]:
    kind = inference.kind_of(operands).value
    if not isinstance(operands, (ast.Tuple, ast.List)):
        if kind == "tensor" and isinstance(operands, ast.Name):
            message = f"The operands of `torch.cond` must be a tuple, `{operands.id}` is a tensor"
            yield Problem(operands, message, "Write `(x,)` with a comma.")
        return
    for each in operands.elts:
        if isinstance(each, (ast.Tuple, ast.List)):
            yield from _of_operands(each, inference)
        elif _is_no_tensor(each, inference):
            message = f"The operand `{ast.unparse(each)}` of `torch.cond` is not a tensor"
            help = "Leave it out: branches can use numbers, settings and modules from around them."
            yield Problem(each, message, help)


def _is_no_tensor(node: ast.expr, inference: Inference) -> bool:
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.Name(id="self"):
            return True
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            return inference.kind_of(node).value in {"python", "shape", "value"}
    return False


def _of_number(branch: Branch, operands: ast.expr | None) -> Iterator[Problem]:
    if operands is not None and not isinstance(operands, (ast.Tuple, ast.List)):
        return
    items = [] if operands is None else operands.elts
    if any(isinstance(each, ast.Starred) for each in items) or branch.takes(len(items)):
        return
    taken, given = len(branch.parameters), len(items)
    message = f"This branch of `torch.cond` has {taken} parameters, for {given} operands"
    yield Problem(branch.function, message, "Each branch is called with the operands in order.")


def _branch(node: ast.expr, call: ast.Call, inference: Inference) -> Branch | None:
    """Return the function that an argument names, if the file tells which one it is."""

    def is_tensor(outside: ast.expr) -> bool:
        return inference.kind_of(outside).value == "tensor"

    if isinstance(node, ast.Lambda):
        return Branch(node, is_tensor)
    if not isinstance(node, ast.Name):
        return None
    for scope in _scopes(call, inference.tree):
        found = list(_functions(node.id, scope))
        if found:
            return Branch(found[0], is_tensor) if len(found) == 1 else None
    return None


def _scopes(call: ast.Call, tree: ast.Module) -> list[ast.AST]:
    """Return the functions around a call, the innermost first, and the module."""
    around: list[ast.AST] = [
        each
        for each in ast.walk(tree)
        if isinstance(each, FUNCTIONS) and each.lineno <= call.lineno <= (each.end_lineno or 0)
    ]
    return [*sorted(around, key=lambda each: -getattr(each, "lineno", 0)), tree]


def _functions(name: str, scope: ast.AST) -> Iterator[ast.FunctionDef | ast.Lambda]:
    """Yield the functions of a name that a scope defines, in whichever block."""
    waiting = list(getattr(scope, "body", ()))
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name=defined):
                if defined == name:
                    yield node
                continue
            case ast.ClassDef() | ast.AsyncFunctionDef():
                continue
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Lambda() as made):
                if target == name:
                    yield made
        waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
