"""Where the loaded code of a program puts a module into ``sys.modules`` by itself."""

from __future__ import annotations

import ast
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTERS = frozenset({"setdefault", "update", "__setitem__", "setitem", "dict", "setattr"})
"""Methods that set a key: of a dictionary, of ``monkeypatch``, of ``mock.patch``."""
_MOST = 4
_LARGEST = 2_000_000


def places(name: str) -> list[str]:
    """Return the lines of loaded code that put the module of this name there, as ``file:line``.

    Those that name it come first; a line whose key is computed counts in a file that has the name
    as a text. Nothing is run.
    """
    exact: list[str] = []
    likely: list[str] = []
    for file in _files():
        with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            tree = _parsed(file, name)
            for node in ast.walk(tree) if tree else ():
                if _sets(node):
                    found = exact if name in _texts(node) else likely
                    found.append(f"{file}:{getattr(node, 'lineno', 0)}")
    return (exact or likely)[:_MOST]


def _files() -> list[str]:
    """Return the files of all modules, that of the program first: it loses its name at the end."""
    program = os.path.abspath(sys.argv[0]) if getattr(sys, "argv", None) else None
    found = [program, *(getattr(each, "__file__", None) for each in list(sys.modules.values()))]
    return list(dict.fromkeys(each for each in found if type(each) is str and each.endswith(".py")))


def _parsed(file: str, name: str) -> ast.AST | None:
    """Parse a file that has all the words; None for another."""
    with open(file, "rb") as stream:
        data = stream.read(_LARGEST)
    if b"modules" not in data or name.rpartition(".")[2].encode() not in data:
        return None
    tree = ast.parse(data)
    return tree if name in _texts(tree) else None


def _texts(tree: ast.AST) -> set[str]:
    found = (each.value for each in ast.walk(tree) if isinstance(each, ast.Constant))
    return {each for each in found if isinstance(each, str)}


def _sets(node: ast.AST) -> bool:
    """Return whether a statement or a call sets a key of ``sys.modules``."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(
            isinstance(each, ast.Subscript) and _is_modules(each.value)
            for target in targets
            for each in _flat(target)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = (node.func.value, *node.args[:1])
        return node.func.attr in _SETTERS and any(map(_is_modules, given))
    return False


def _flat(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _flat(each)
    else:
        yield target


def _is_modules(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == "sys.modules"  # as mock.patch.dict takes it
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return bool(name == "modules")
