"""The modules of libraries and of the project, found in folders and parsed; nothing is imported."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.project.environment import installed_version
from rocmlint.python.imports import imported_module
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    import ast

    from packaging.version import Version

    from rocmlint.disk.disk import DiskView

_VERSION = re.compile(r"""^__version__(?:\s*:\s*str)?\s*=\s*["']([^"']+)["']""", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Module:
    """A parsed module. ``name`` is its dotted name."""

    name: str
    path: str
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The package that relative imports of the module start from."""
        return self.name if is_package(self.path) else self.name.rpartition(".")[0]

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the dotted name of the module that an import names, relative ones resolved."""
        return imported_module(node, self.package)


class Sources:
    """Modules in some folders, in the order of Python's search."""

    def __init__(self, folders: tuple[str, ...], view: DiskView) -> None:
        """Take the folders that hold packages, and what reads them."""
        self.folders = folders
        self.view = view
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """Return a module; None where it has no source, or none that parses."""
        if name not in self._modules:
            path = self._path(name)
            self._modules[name] = None if path is None else self.parsed(name, path)
        return self._modules[name]

    def parsed(self, name: str, path: str, text: str | None = None) -> Module | None:
        """Return the module of a file, which need not lie in one of the folders.

        With ``text`` it is read from that, for its own imports too.
        """
        given, text = text, self.view.read(path) if text is None else text
        tree = _tree(path, text)
        module = None if tree is None else Module(name, path, text, tree)
        if given is not None:
            self._modules[name] = module
        return module

    def has_source(self, name: str) -> bool:
        """Check whether a module has a file, be it one that does not parse."""
        return self._path(name) is not None

    def longest(self, dotted: str) -> tuple[str, tuple[str, ...]] | None:
        """Return the longest module that a name begins with, and the rest; None for none."""
        parts = dotted.split(".")
        found = None
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if not self.has_source(name):
                break
            found = name, tuple(parts[end:])
        return found

    def is_compiled(self, package: str, name: str) -> bool:
        """Check whether a name below a package is a module without a Python source."""
        path = self._path(package) if package else ""
        if path is None or (path and not is_package(path)):
            return False
        folders = (os.path.dirname(path),) if path else self.folders
        return any(
            each == name or each.startswith(f"{name}.")
            for folder in folders
            for each in self.view.names_in(folder)
        )

    def has_extensions(self, path: str) -> bool:
        """Check whether compiled modules lie beside a file, which may add names to it."""
        names = self.view.names_in(os.path.dirname(path))
        return any(each.endswith((".so", ".pyd")) for each in names)

    def version(self, package: str) -> Version | None:
        """Return the version of the distribution of a top-level package, None if unknown."""
        from packaging.utils import canonicalize_name  # noqa: PLC0415 - few files need it

        from rocmlint.text.written import version_of  # noqa: PLC0415

        folder, path = self.folder_of(package), self._path(package)
        if folder is None or path is None:
            return None
        found = installed_version((folder,), canonicalize_name(package), self.view)
        if found is None and (written := _VERSION.search(self.view.read(path))):
            found = version_of(written[1])
        return found

    def folder_of(self, package: str) -> str | None:
        """Return the folder that a top-level package is read from."""
        path = self._path(package)
        if path is None:
            return None
        return os.path.dirname(os.path.dirname(path) if is_package(path) else path)

    def _path(self, name: str) -> str | None:
        relative = os.path.join(*name.split(".")) if name else ""
        for folder in self.folders if relative else ():
            inner = os.path.join(folder, relative)
            for path in (os.path.join(inner, "__init__.py"), f"{inner}.py"):
                if self.view.exists(path):
                    return path
            if self.view.exists(os.path.join(folder, name.partition(".")[0], "__init__.py")):
                return None  # Python looks for the rest of a package in the package alone
        return None


def is_package(path: str) -> bool:
    """Check whether a file is the ``__init__.py`` of a package."""
    return os.path.basename(path) == "__init__.py"


def module_name(path: str, view: DiskView) -> tuple[str, str]:
    """Return the dotted name that a file has as a module, and the folder above its package."""
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    parts = [] if name == "__init__.py" else [name.removesuffix(".py")]
    while view.exists(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder, last = os.path.split(folder)
        parts.insert(0, last)
    return ".".join(parts), folder


@lru_cache(maxsize=128)
def _tree(path: str, text: str) -> ast.Module | None:
    del path  # of two files with the same text each has a tree of its own
    return syntax_tree(text)
