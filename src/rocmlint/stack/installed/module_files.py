"""The modules of one package as files: in a folder that it was installed to, or in a wheel."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from rocmlint.disk.read import read_small
from rocmlint.python.imports import imported_module
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    import ast

_LARGEST = 2_000_000
"""Bytes of a module that is read; the generated ones of torch are smaller."""
_COMPILED = (".so", ".pyd")
_BLOCK = re.compile(r"^(?:def|class|async def|@)[^\n]*\n(?:(?:[ \t#)\]}][^\n]*)?\n)*", re.MULTILINE)
"""A function or a class at the left margin, up to the next statement there."""


class ModuleFiles(Protocol):
    """Where the files of packages are; paths are relative, with slashes."""

    def entries(self, folder: str) -> frozenset[str]:
        """Return the names in a folder; none if there is no such folder."""

    def text(self, path: str) -> str:
        """Return the text of a file; empty if it cannot be read."""


class Folder:
    """A folder of packages, such as site-packages."""

    def __init__(self, root: str) -> None:
        """Read nothing yet."""
        self.root = root
        self._listed: dict[str, frozenset[str]] = {}

    def entries(self, folder: str) -> frozenset[str]:
        """Return the names in a folder; none if there is no such folder."""
        if folder not in self._listed:
            try:
                self._listed[folder] = frozenset(os.listdir(os.path.join(self.root, folder)))
            except OSError:
                self._listed[folder] = frozenset()
        return self._listed[folder]

    def text(self, path: str) -> str:
        """Return the text of a file; empty if it cannot be read."""
        try:
            return read_small(os.path.join(self.root, path), _LARGEST).decode("utf-8-sig")
        except (OSError, ValueError):
            return ""


@dataclass
class PackageModules:
    """The modules of a package, each read once."""

    files: ModuleFiles
    package: str
    """Its import name, without dots."""
    read: int = 0
    """Characters of the modules that were parsed."""
    _trees: dict[str, ast.Module | None] = field(default_factory=dict)
    _outlines: dict[str, ast.Module | None] = field(default_factory=dict)

    def find(self, module: str) -> str | None:
        """Return the path of a module, "" if it is compiled or a folder; None if there is none."""
        parent, _, name = module.replace(".", "/").rpartition("/")
        if parent and parent.replace("/", ".").partition(".")[0] != self.package:
            return None
        listed = self.files.entries(parent)
        inside = self.files.entries(f"{parent}/{name}".lstrip("/")) if name in listed else ()
        path = f"{parent}/{name}".lstrip("/")
        if "__init__.py" in inside:
            return f"{path}/__init__.py"
        if f"{name}.py" in listed:
            return f"{path}.py"
        is_compiled = any(
            each.startswith(f"{name}.") and each.endswith(_COMPILED) for each in listed
        )
        return "" if is_compiled or inside else None

    def is_package(self, module: str) -> bool:
        """Return whether a module is a package with an ``__init__``."""
        return (self.find(module) or "").endswith("/__init__.py")

    def source_of(self, node: ast.ImportFrom, module: str) -> str:
        """Return the module that a statement of a module imports from; empty outside of all."""
        package = module if self.is_package(module) else module.rpartition(".")[0]
        return imported_module(node, package)

    def text(self, module: str) -> str:
        """Return the source of a module; empty without one."""
        path = self.find(module)
        return self.files.text(path) if path else ""

    def tree(self, module: str) -> ast.Module | None:
        """Return the syntax tree of a module; None without source that can be parsed."""
        if module not in self._trees:
            text = self.text(module)
            self.read += len(text)
            self._trees[module] = syntax_tree(text) if text or self.find(module) else None
        return self._trees[module]

    def outline(self, module: str) -> ast.Module | None:
        """Return the tree without the functions and classes, for a thirtieth of the time.

        Where a string looks like code it may have statements that the module does not have.
        """
        if module not in self._outlines:
            text = _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), self.text(module))
            self._outlines[module] = syntax_tree(text) if text else None
        return self._outlines[module] or self.tree(module)
