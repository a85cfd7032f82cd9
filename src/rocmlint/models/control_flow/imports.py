"""The imports that rewritten code needs: once in the file, or in each function that changed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.layout import Edit, Line
from rocmlint.python.scopes import FUNCTIONS, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from rocmlint.models.control_flow.tree import Tree


def import_edits(
    tree: Tree, needed: Mapping[ast.AST, Collection[str]], *, local: bool = False
) -> list[Edit]:
    """Return what adds the missing ones of the modules that each function needs."""
    if local:
        return [
            _in_function(tree, function, sorted(new))
            for function, modules in needed.items()
            if isinstance(function, FUNCTIONS)
            if (new := {*modules} - set(_imported(function.body)))
        ]
    modules = {module for each in needed.values() for module in each}
    missing = sorted(modules - set(_imported(tree.inference.tree.body)))
    return [_in_module(tree, missing)] if missing else []


def binds_otherwise(tree: ast.Module, name: str) -> bool:
    """Return whether a module binds a name to something other than the module of that name."""
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            if any(each.asname == name for each in node.names):
                return True
        elif isinstance(node, ast.ImportFrom):
            if any((each.asname or each.name) == name for each in node.names):
                return True
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            if node.name == name:
                return True
        elif any(
            isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
            for each in ast.walk(node)
        ):
            return True
    return False


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run with the module, other than under ``TYPE_CHECKING``."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _statements(node.orelse)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for block in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, block, []))
            for handler in getattr(node, "handlers", []):
                yield from _statements(handler.body)
        else:
            yield node


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    for node in _statements(body):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.asname is None:
                    yield each.name
                    yield each.name.partition(".")[0]


def _in_module(tree: Tree, modules: list[str]) -> Edit:
    body = tree.inference.tree.body
    lines = [f"import {each}" for each in modules]
    last = _last_import(body)
    if last is not None:
        end = tree.layout.line_end(last)
        return Edit(end, end, tuple(Line(each, last) for each in ("", *lines)))
    first = min(each.lineno for each in [body[0], *getattr(body[0], "decorator_list", [])])
    start = tree.layout.line_start(first)
    return Edit(start, start, tuple(Line(each, first) for each in (*lines, "", "", "")))


def _last_import(body: list[ast.stmt]) -> int | None:
    """Return the last line of what the imports stand after; None: they come first.

    That is the last of the imports at the beginning that are not relative.
    """
    found: int | None = None
    for index, node in enumerate(body):
        is_docstring = (
            index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        if isinstance(node, ast.ImportFrom) and node.level:
            break
        if not is_docstring and not isinstance(node, (ast.Import, ast.ImportFrom)):
            break
        found = node.end_lineno
    return found


def _in_function(tree: Tree, function: FunctionNode, modules: list[str]) -> Edit:
    body = function.body
    lines = [f"import {each}" for each in modules]
    is_docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if is_docstring and len(body) > 1 else body[0]
    line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", []))])
    indent = tree.layout.indent(line)
    if tree.layout.text[tree.layout.line_start(line) : tree.layout.start(first)].strip("@ \t"):
        start = tree.layout.start(first)
        return Edit(start, start, (Line("; ".join([*lines, ""]), line),))
    start = tree.layout.line_start(line)
    return Edit(
        start, start, tuple(Line(each, line) for each in (*(indent + e for e in lines), ""))
    )
