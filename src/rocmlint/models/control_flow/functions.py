"""The functions of a file by their qualified names, and their texts before and after."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.tensors.inference import NotPythonError
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.control_flow.rewrite import Rewritten


class FunctionText(NamedTuple):
    """The text of a function with its decorators, indented as in the file."""

    name: str
    line: int
    text: str


def function_names(text: str) -> list[str]:
    """Return the qualified names of all functions. Raises NotPythonError."""
    return [each.name for each in function_texts(text)]


def function_texts(text: str) -> list[FunctionText]:
    """Return all functions of a text, in its order. Raises NotPythonError."""
    tree = syntax_tree(text)
    if tree is None:
        message = "this is not valid Python"
        raise NotPythonError(message)
    return list(_functions(tree, "", text.split("\n")))


def _functions(node: ast.AST, prefix: str, lines: list[str]) -> Iterator[FunctionText]:
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            inner = f"{prefix}{child.name}."
        if isinstance(child, FUNCTIONS):
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            text = "\n".join(lines[first - 1 : child.end_lineno])
            yield FunctionText(f"{prefix}{child.name}", child.lineno, text)
        yield from _functions(child, inner, lines)


def changed_functions(rewritten: Rewritten) -> Iterator[tuple[FunctionText, FunctionText]]:
    """Yield each function that changed, before and after."""
    changed = set(rewritten.functions)
    after: dict[str, list[FunctionText]] = {}
    for each in function_texts(rewritten.text):
        after.setdefault(each.name, []).append(each)
    for before in function_texts(rewritten.before):
        if before.name in changed:
            now = after[before.name].pop(0)
            if now.text != before.text:
                yield before, now
