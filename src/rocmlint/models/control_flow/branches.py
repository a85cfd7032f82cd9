"""What a branch may contain so that it can become a function that only gives values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.scopes import FUNCTIONS, SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from rocmlint.models.tensors.inference import Inference

_MUTATORS = frozenset(
    {
        *("append", "extend", "insert", "pop", "popitem", "remove", "discard", "clear", "update"),
        *("setdefault", "add_module", "register_module", "load_state_dict", "backward", "step"),
        *("copy_", "warning", "warning_once", "warn", "info", "debug", "error", "write"),
    }
)
_ATTRIBUTE_SETTERS = frozenset({"register_buffer", "register_parameter", "setattr", "__setattr__"})
_SCOPES = frozenset({"locals", "vars", "eval", "exec", "globals"})
_JUMPS = (ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete)
_PLAIN = (ast.If, ast.Pass, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.For, ast.Return)


def check_branch(
    body: Sequence[ast.stmt],
    inference: Inference,
    *,
    may_return: bool,
    settled: Callable[[ast.AST], bool],
) -> None:
    """Check that a branch only computes and assigns.

    ``settled`` says of a node whether it is rewritten itself. Raises RefusedError.
    """
    bound = {
        each.id
        for statement in body
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    for node in _nodes(body, settled):
        if isinstance(node, ast.stmt):
            _check_statement(node, inference, may_return=may_return)
        check_expression(node)
        if isinstance(node, ast.Name) and node.id not in bound:
            check_captured(node, inference)


def _nodes(body: Iterable[ast.AST], settled: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    for each in body:
        if settled(each) and isinstance(each, (ast.If, ast.Assert)):
            if isinstance(each, ast.If) and not _only_raises(each):
                yield from _nodes([each.test, *each.body, *each.orelse], settled)
            continue
        yield each
        yield from _nodes(ast.iter_child_nodes(each), settled)


def _only_raises(node: ast.If) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and not node.orelse


def _check_statement(node: ast.stmt, inference: Inference, *, may_return: bool) -> None:
    if isinstance(node, ast.Return) and not may_return:
        raise RefusedError(Refusal.EARLY_RETURN)
    if isinstance(node, (ast.Raise, ast.Assert)):
        raise RefusedError(Refusal.RAISE_IN_BRANCH)
    if isinstance(node, _JUMPS):
        raise RefusedError(Refusal.JUMP_IN_BRANCH, type(node).__name__.lower())
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        raise RefusedError(Refusal.SCOPE_OF_NAMES, node.names[0])
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        raise RefusedError(Refusal.NESTED_FUNCTION, node.name)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        raise RefusedError(Refusal.SIDE_EFFECT, "import")
    if not isinstance(node, _PLAIN):
        raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, type(node).__name__.lower())
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            _check_target(target)
    if isinstance(node, ast.AugAssign):
        _check_target(node.target)
        if inference.kind_of(node.target) in {Kind.PYTHON, Kind.SHAPE, Kind.VALUE}:
            raise RefusedError(Refusal.PYTHON_SCALAR, ast.unparse(node.target))
        raise RefusedError(Refusal.IN_PLACE_OPERATION, ast.unparse(node.target))
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        check_expression(node.value)
        raise RefusedError(Refusal.SIDE_EFFECT, ast.unparse(node.value).partition("(")[0])


def _check_target(target: ast.expr) -> None:
    for each in ast.walk(target):
        if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store):
            raise RefusedError(Refusal.SUBSCRIPT_ASSIGNMENT, ast.unparse(each.value))
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            raise RefusedError(Refusal.ATTRIBUTE_MUTATION, ast.unparse(each))


def check_expression(node: ast.AST) -> None:
    """Check one node of an expression that is to move into a function. Raises RefusedError."""
    if isinstance(node, ast.NamedExpr):
        raise RefusedError(Refusal.WALRUS, node.target.id)
    if isinstance(node, _JUMPS):
        raise RefusedError(Refusal.JUMP_IN_BRANCH, type(node).__name__.lower())
    if not isinstance(node, ast.Call):
        return
    name = called_name(node)
    if name == "super" and not node.args:
        raise RefusedError(Refusal.SUPER_IN_BRANCH)
    if name in _SCOPES and isinstance(node.func, ast.Name):
        raise RefusedError(Refusal.SCOPE_OF_NAMES, name)
    if name in _ATTRIBUTE_SETTERS:
        raise RefusedError(Refusal.ATTRIBUTE_MUTATION, name)
    changes = name.endswith("_") and not name.endswith("__")
    in_place = (each for each in node.keywords if each.arg == "out" or _is_in_place(each))
    if changes or any(in_place):
        raise RefusedError(Refusal.IN_PLACE_OPERATION, name)
    if name in _MUTATORS or name.startswith(("update_", "set_", "register_")) or name == "print":
        raise RefusedError(Refusal.SIDE_EFFECT, name)


def check_captured(node: ast.AST, inference: Inference) -> None:
    """Check that a node is no name of what was read from a tensor before. Raises RefusedError."""
    if isinstance(node, ast.Name) and inference.kind_of(node) in {Kind.VALUE, Kind.VALUES}:
        raise RefusedError(Refusal.CAPTURES_NUMBER, node.id)


def _is_in_place(keyword: ast.keyword) -> bool:
    is_true = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
    return keyword.arg == "inplace" and is_true


def called_name(node: ast.Call) -> str:
    """Return the last part of the name that is called, or nothing."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def check_scope(function: ast.AST, names: Collection[str]) -> None:
    """Check that nothing else of a function sees when names are bound. Raises RefusedError."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and set(node.names) & set(names):
            raise RefusedError(Refusal.SCOPE_OF_NAMES, (set(node.names) & set(names)).pop())
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _SCOPES
        ):
            raise RefusedError(Refusal.SCOPE_OF_NAMES, node.func.id)
        if isinstance(node, (*SCOPES, ast.GeneratorExp)) and node is not function:
            seen = sorted(_free_names(node) & set(names))
            if seen:
                raise RefusedError(Refusal.SCOPE_OF_NAMES, seen[0])


def _free_names(node: ast.AST) -> set[str]:
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    own = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    if not isinstance(node, ast.Lambda):
        own |= {
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
    return read - own
