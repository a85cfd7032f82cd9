"""Whether a module has a name, as far as its source shows it; nothing is imported."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.python.scopes import FUNCTIONS, SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed.module_files import PackageModules

_DYNAMIC = re.compile(
    r"\b(?:globals|vars|locals|setattr|exec|eval|__import__)\s*\(|\b__getattr__\b|\bsys\.modules\b"
    r"|\b__dict__\b|\b__path__\b|\bmeta_path\b|\blazy"
)
"""Ways to give a module names that its statements do not show."""
_DEEPEST = 20
"""Modules that hand a name on, one to the next, by ``import *``."""


def has_module(modules: PackageModules, module: str) -> bool | None:
    """Return whether a package has a module; None if its code may make it."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        inner = ".".join(parts[:end])
        if modules.find(inner) is None:
            outer = ".".join(parts[: end - 1])
            return None if not outer or _may_make(modules, outer) else False
    return True


def has_name(modules: PackageModules, module: str, name: str, depth: int = 0) -> bool | None:
    """Return whether a module has a name or a submodule of that name; None if unknown."""
    there = has_module(modules, module)
    if not there:
        return there
    if modules.find(f"{module}.{name}") is not None:
        return True
    text = modules.text(module)
    if re.search(rf"^(?:(?:class|def|async def)\s+{name}\b|{name}\s*[:=])", text, re.MULTILINE):
        return True
    stars: list[ast.ImportFrom] = []
    tree = modules.tree(module) if name in text or "*" in text else ast.Module([], [])
    if tree is None or depth > _DEEPEST:
        return None
    for node in _run_at_import(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            stars.append(node)
        elif name in _bound(node):
            return True
    if _may_make(modules, module):
        return None
    found: bool | None = False
    for star in stars:
        source = modules.source_of(star, module)
        own = source.partition(".")[0] == modules.package
        inner = has_name(modules, source, name, depth + 1) if own else None
        if inner:
            return True
        found = None if inner is None else found
    return found


def _may_make(modules: PackageModules, module: str) -> bool:
    """Return whether a module's code may give it names or modules in other ways."""
    path = modules.find(module)
    return not path or _DYNAMIC.search(modules.text(module)) is not None


def _run_at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module, but not those within functions and classes."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, SCOPES):
            # What a function declares to be global may be set by calling it.
            yield from (each for each in ast.walk(node) if isinstance(each, ast.Global))
        else:
            waiting += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> tuple[str, ...]:
    """Return the names that a node binds."""
    if isinstance(node, ast.Name):
        return (node.id,) if isinstance(node.ctx, ast.Store) else ()
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return tuple(each.asname or each.name.partition(".")[0] for each in node.names)
    if isinstance(node, ast.Global):
        return tuple(node.names)
    if isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)):
        return (node.name,) if node.name else ()
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return (node.name,)
    return ()
