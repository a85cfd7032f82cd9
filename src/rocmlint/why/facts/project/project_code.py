"""Facts about the project's code: ``defines('compute_loss')``, ``collective_on_one_rank()``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.python_ast import syntax_tree
from rocmlint.why.facts.project.settings import doubt_the_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context

_COLLECTIVES = frozenset(
    {
        *("barrier", "monitored_barrier", "all_reduce", "all_gather", "all_gather_object"),
        *("all_gather_into_tensor", "reduce_scatter", "broadcast", "broadcast_object_list"),
        *("wait_for_everyone", "gather_for_metrics", "save_16bit_model"),
    }
)
"""Calls that each rank has to make, of torch.distributed, accelerate and DeepSpeed."""
_OF_ENGINES = frozenset({"save_checkpoint", "save_state"})
"""The same of DeepSpeed's engine, Lightning's trainer and accelerate: own functions may differ."""
_FIRST_RANK = ("is_main_process", "is_global_zero", "is_world_process_zero", "is_master", "is_main")
_RANKS = ("rank", "local_rank", "global_rank", "get_rank", "world_rank", "process_index")


def defines(context: Context, name: str) -> str | None:
    """Return where the project defines a function or a method ("Trainer.compute_loss").

    None if it defines none. A name without a class stands for a method of any class, and for a
    function; what is in a file of the frames comes first.
    """
    doubt_the_project(context)
    holder, _, function = name.rpartition(".")
    holder = holder.rpartition(".")[2]
    found = []
    for path, text in context.files.with_word(f"def {function}"):
        tree = syntax_tree(text)
        for line, owner in _definitions(tree, function) if tree else ():
            if not holder or owner == holder:
                found.append((path, line, f"{owner}.{function}" if owner else function))
    if not found:
        return None
    files = {context.files.of_frame(each.file) for each in context.frames}
    path, line, written = min(found, key=lambda each: each[0] not in files)
    context.saw(written, "defined in the project", f"{path}:{line}")
    return f"{path}:{line} ({written})"


def _definitions(tree: ast.Module, function: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the class of each function of a name."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    for node, owner in waiting:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                if child.name == function:
                    yield child.lineno, owner
                waiting.append((child, ""))
            elif isinstance(child, ast.ClassDef):
                waiting.append((child, child.name))
            elif isinstance(child, (ast.If, ast.Try, ast.With)):
                waiting.append((child, owner))


def collective_on_one_rank(context: Context) -> str:
    """Return where the project calls a collective below ``if rank == 0``; empty if nowhere."""
    doubt_the_project(context)
    calls = _COLLECTIVES | _OF_ENGINES
    for path, text in context.files.with_word(*_FIRST_RANK, *_RANKS):
        has_call = path.endswith(".py") and any(each in text.lower() for each in calls)
        tree = syntax_tree(text) if has_call else None
        for node in ast.walk(tree) if tree is not None else ():
            call = _collective_in(node) if isinstance(node, ast.If) else None
            if call is not None:
                place = f"{path}:{call.lineno}"
                context.saw(ast.unparse(call)[:80], "called by one rank only", place)
                return place
    return ""


def _collective_in(branch: ast.If) -> ast.Call | None:
    if not _is_first_rank(branch.test):
        return None
    for statement in branch.body:
        for each in ast.walk(statement):
            if isinstance(each, ast.Call) and _is_collective(each.func):
                return each
    return None


def _is_first_rank(test: ast.expr) -> bool:
    """Return whether a condition holds on one rank only: ``rank == 0``, ``is_main_process``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(_is_first_rank, test.values))
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        other = test.comparators[0]
        is_zero = isinstance(other, ast.Constant) and other.value == 0
        return is_zero and isinstance(test.ops[0], ast.Eq) and _last_name(test.left) in _RANKS
    return _last_name(test) in _FIRST_RANK


def _last_name(node: ast.expr) -> str:
    return last_name(node).lower()


def _is_collective(function: ast.expr) -> bool:
    name = _last_name(function)
    if name in _OF_ENGINES and isinstance(function, ast.Attribute):
        return _last_name(function.value) not in {"self", ""}
    return name in _COLLECTIVES


FACTS = {"defines": defines, "collective_on_one_rank": collective_on_one_rank}
