"""Where the files of a project define a class or a function."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.python.scopes import FUNCTIONS, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "venv"})
_MOST_FILES, _LARGEST = 3000, 1_000_000


@dataclass(frozen=True)
class Definition:
    """A class, a function or a method: ``name`` is as Python prints it ("Trainer.step")."""

    name: str
    file: str
    line: int
    node: ast.ClassDef | FunctionNode
    bases: tuple[str, ...] = ()
    """The last names of the classes from which its class inherits."""

    @property
    def takes_any_keyword(self) -> bool:
        """Whether it takes ``**kwargs``."""
        return not isinstance(self.node, ast.ClassDef) and self.node.args.kwarg is not None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters."""
        if isinstance(self.node, ast.ClassDef):
            return ()
        of = self.node.args
        return tuple(each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs))


def definitions(project: str, name: str) -> Iterator[Definition]:
    """Yield the definitions of a name, such as "CustomTrainer.compute_loss" or "collate".

    Only a file with a definition of each part of the name is parsed.
    """
    parts = [each.encode() for each in name.split(".")]
    written = [re.compile(rb"\b(?:def|class)\s+" + re.escape(each) + rb"\b") for each in parts]
    for path in _files(project):
        try:
            data = read_small(path, _LARGEST)
        except (OSError, ValueError):
            continue
        if all(each in data for each in parts) and all(each.search(data) for each in written):
            yield from _in_file(data, os.path.relpath(path, project), name)


def definitions_in(path: str, name: str) -> Iterator[Definition]:
    """Yield the definitions of a name in one file."""
    try:
        data = read_small(path, _LARGEST)
    except (OSError, ValueError):
        return
    yield from _in_file(data, path, name)


def _files(project: str) -> Iterator[str]:
    count = 0
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(
            each for each in folders if each not in _SKIPPED and not each.startswith(".")
        )
        for each in sorted(files):
            if each.endswith(".py"):
                count += 1
                if count > _MOST_FILES:
                    return
                yield os.path.join(folder, each)


def _in_file(data: bytes, path: str, name: str) -> Iterator[Definition]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for qualified, node, bases in _walk(tree, "", ()):
        if qualified == name or qualified.endswith(f".{name}"):
            yield Definition(qualified, path, node.lineno, node, bases)


def _walk(
    tree: ast.AST, prefix: str, bases: tuple[str, ...]
) -> Iterator[tuple[str, ast.ClassDef | FunctionNode, tuple[str, ...]]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            name = f"{prefix}{node.name}"
            yield name, node, bases
            own = bases
            if isinstance(node, ast.ClassDef):
                own = tuple(ast.unparse(each).rpartition(".")[2] for each in node.bases)
            yield from _walk(node, f"{name}.", own)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _walk(node, prefix, bases)
