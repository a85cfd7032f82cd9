"""Whether the model may go on after an error: an exported check ends the program instead."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.python.scopes import FUNCTIONS, own_nodes

if TYPE_CHECKING:
    from rocmlint.models.control_flow.file import File
    from rocmlint.models.control_flow.scope import Scope

_TRIES: tuple[type[ast.Try], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
_LEAVING = (ast.Return, ast.Break, ast.Continue)
_CONTEXTS_THAT_RAISE = ("torch.", "contextlib.nullcontext", "contextlib.closing", "warnings.")


def check_not_caught(file: File, node: ast.AST, error: str) -> None:
    """Check that nothing catches an error that a node raises, by its builtin name.

    Handlers, contexts and decorators count, around the node and around each call of its function
    in the file. Raises RefusedError.
    """
    seen: set[ast.AST] = set()
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        scope = file.function_around(each)
        if scope is None:
            continue
        _check_around(file, scope, each, error)
        if scope.node not in seen:
            seen.add(scope.node)
            waiting += [call for _, call, _ in file.callers.of(scope)]


def _check_around(file: File, scope: Scope, node: ast.AST, error: str) -> None:
    inner, around = node, file.parent(node)
    while around is not None and not isinstance(inner, FUNCTIONS):
        if isinstance(around, _TRIES):
            in_body = inner in around.body
            if in_body and any(_catches(file, scope, each, error) for each in around.handlers):
                raise RefusedError(Refusal.RAISE_CAUGHT, f"try, line {around.lineno}")
            if inner not in around.finalbody and _leaves(around.finalbody):
                raise RefusedError(Refusal.RAISE_CAUGHT, f"finally, line {around.lineno}")
        if isinstance(around, (ast.With, ast.AsyncWith)) and inner in around.body:
            for item in around.items:
                if not _lets_pass(file, scope, item.context_expr):
                    written = ast.unparse(item.context_expr).partition("(")[0]
                    raise RefusedError(Refusal.RAISE_CAUGHT, f"with {written}")
        inner, around = around, file.parent(around)


def _catches(file: File, scope: Scope, handler: ast.ExceptHandler, error: str) -> bool:
    """Check whether a handler may catch an error; one that is not builtin may."""
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    raised = getattr(builtins, error, Exception)
    for each in types:
        known = getattr(builtins, each.id, None) if isinstance(each, ast.Name) else None
        if isinstance(each, ast.Name) and each.id in scope.bound:
            known = None
        if isinstance(each, ast.Name) and each.id in file.callers.summaries.called.own_names:
            known = None
        if not isinstance(known, type) or issubclass(raised, known):
            return True
    return False


def _leaves(body: list[ast.stmt]) -> bool:
    """Check whether a ``finally`` may end the error with a statement of its own."""
    return any(isinstance(each, _LEAVING) for each in own_nodes(body, comprehensions=False))


def _lets_pass(file: File, scope: Scope, context: ast.expr) -> bool:
    called = context.func if isinstance(context, ast.Call) else context
    dotted = file.callers.summaries.called.dotted(scope, called)
    return dotted.startswith(_CONTEXTS_THAT_RAISE)
