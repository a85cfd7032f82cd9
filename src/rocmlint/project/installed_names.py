"""Which names installed packages have, read from their sources with astroid; nothing is imported.

Without astroid (the extra ``environment``) nothing is known.
"""

from __future__ import annotations

import ast
import os
import re
import symtable
import sys
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.disk.files import ON_DISK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.disk.disk import Disk, DiskView

_MADE_AT_RUN_TIME = re.compile(
    r"\b(?:__getattr__|_LazyModule|sys\.modules|globals\(\)|exec\(|setattr\(|attach\()"
)
"""What stands in modules whose names are not all written as such."""
_OPEN_CLASSES = frozenset({"__getattr__", "__getattribute__"})
_CLOSED_CLASSES = frozenset({"builtins.object", "torch.nn.modules.module.Module"})
"""The latter asks only the parameters, buffers and submodules of an instance."""


class InstalledNames:
    """The names of the packages in some folders, asked for the sake of one file."""

    def __init__(self, folders: tuple[str, ...], view: DiskView) -> None:
        """Take the folders that hold the packages, in the order of Python's search."""
        self._folders = folders
        self._view = view

    def has_name(self, dotted: str) -> bool | None:
        """Return whether there is a module or a name of a module; None: cannot tell."""
        found = self._module(dotted)
        if found is None:
            return None
        path, module, rest = found
        if not rest:
            return True
        return self._binds(path, module, rest[0]) if len(rest) == 1 else None

    def has_member(self, dotted: str, attribute: str) -> bool | None:
        """Return whether a class has an attribute, inherited or its own; None: cannot tell."""
        holder = self._definition(dotted)
        if not _is_class(holder):
            return None
        with _searching(self._folders):
            classes = self._resolution_order(holder)
            if classes is None:
                return None
            if any(
                attribute in each.locals or attribute in each.instance_attrs for each in classes
            ):
                return True
            is_open = any(_is_open(each) for each in classes)
        return None if is_open else False

    def takes_keyword(self, dotted: str, keyword: str) -> bool | None:
        """Return whether a function or class takes a keyword; None: cannot tell."""
        node = self._definition(dotted)
        if node is None:
            return None
        function = self._constructor(node) if _is_class(node) else node
        if function is None or function.decorators is not None or function.args.kwarg is not None:
            return None
        arguments = function.args
        return any(each.name == keyword for each in (*arguments.args, *arguments.kwonlyargs))

    def _module(self, dotted: str) -> tuple[str, str, list[str]] | None:
        """Return the file of the longest module that a name begins with, and what is left."""
        parts = dotted.split(".")
        for base in self._folders:
            path, folder = "", base
            for index, part in enumerate(parts):
                inner = os.path.join(folder, part)
                if self._view.exists(os.path.join(inner, "__init__.py")):
                    path, folder = os.path.join(inner, "__init__.py"), inner
                elif self._view.exists(f"{inner}.py"):
                    return f"{inner}.py", ".".join(parts[: index + 1]), parts[index + 1 :]
                elif not path or self._is_compiled(folder, part):
                    break
                else:
                    return path, ".".join(parts[:index]), parts[index:]
            else:
                return path, dotted, []
        return None

    def _is_compiled(self, folder: str, name: str) -> bool:
        """Return whether a name is a module without a source, or a folder of such."""
        names = self._view.names_in(folder)
        return any(each == name or each.startswith(f"{name}.") for each in names)

    def _binds(self, path: str, module: str, name: str, hops: int = 5) -> bool | None:
        """Return whether a module binds a name, be it under a condition."""
        text = self._view.read(path)
        bound = _bound(path, text)
        if bound is None:
            return None
        if name in bound.names:
            return True
        if _MADE_AT_RUN_TIME.search(text):
            return None if self._is_mentioned(name, path) else False
        package = module if _is_package(path) else module.rpartition(".")[0]
        answers = [
            self._binds_star(resolve_name(each, package), name, hops) for each in bound.stars
        ]
        return True if True in answers else None if None in answers else False

    def _binds_star(self, origin: str, name: str, hops: int) -> bool | None:
        found = self._module(origin)
        if found is None or found[2] or not hops:
            return None
        return self._binds(found[0], found[1], name, hops - 1)

    def _is_mentioned(self, name: str, path: str) -> bool:
        """Return whether a module's file, or any file of its package, has this word."""
        word = rf"\b{re.escape(name)}\b"
        if _is_package(path):
            return bool(self._view.modules_with(os.path.dirname(path), (word,)))
        return re.search(word, self._view.read(path)) is not None

    def _definition(self, dotted: str) -> Any:
        """Return the one function or class that a module defines under this name, else None."""
        found = self._module(dotted)
        if found is None or len(found[2]) != 1:
            return None
        path, module, (name,) = found
        text = self._view.read(path)
        bound = _bound(path, text)
        # astroid would read every module behind a star: minutes for transformers/__init__.py.
        if bound is None or bound.stars or "_LazyModule" in text:
            return None
        tree = _tree(self._folders, self._view.disk, path, module)
        nodes = tree.locals.get(name, []) if tree is not None else []
        is_definition = len(nodes) == 1 and type(nodes[0]).__name__ in {"FunctionDef", "ClassDef"}
        return nodes[0] if is_definition else None

    def _resolution_order(self, holder: Any) -> list[Any] | None:
        """Return a class and its bases; None where one of them cannot be found."""
        from astroid import exceptions  # noqa: PLC0415 - an extra that few have

        try:
            order: list[Any] = holder.mro()
        except (exceptions.AstroidError, NotImplementedError, RecursionError):
            return None
        for path in {each.root().file for each in order} - {None, "<?>"}:
            self._view.read(path)  # the answer hangs on it
        known = {each.name for each in order}
        written = {base.as_string().rpartition(".")[2] for each in order for base in each.bases}
        return order if written <= known else None

    def _constructor(self, holder: Any) -> Any:
        """Return the ``__init__`` that a call of a class runs; None where it is not written."""
        with _searching(self._folders):
            for each in self._resolution_order(holder) or ():
                if each.decorators is not None or "__new__" in each.locals or each.metaclass():
                    return None
                if "__init__" in each.locals:
                    return each.locals["__init__"][0]
        return None


def _is_open(holder: Any) -> bool:
    """Return whether a class may answer for attributes that are not written."""
    if holder.qname() in _CLOSED_CLASSES:
        return False
    return holder.metaclass() is not None or bool(_OPEN_CLASSES & set(holder.locals))


class _Bound(NamedTuple):
    names: frozenset[str]
    stars: tuple[str, ...]
    """Modules that all names are imported from, relative ones with their dots."""


@lru_cache(maxsize=256)
def _bound(path: str, text: str) -> _Bound | None:
    """Return what a module binds at its top level; None where it is not Python."""
    try:
        table = symtable.symtable(text, path, "exec")
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = (
        each.get_name()
        for each in table.get_symbols()
        if each.is_assigned() or each.is_imported() or each.is_namespace()
    )
    stars = (
        "." * each.level + (each.module or "")
        for each in ast.walk(tree)
        if isinstance(each, ast.ImportFrom) and each.names[0].name == "*"
    )
    return _Bound(frozenset(names), tuple(stars))


def _is_package(path: str) -> bool:
    return os.path.basename(path) == "__init__.py"


def _is_class(node: Any) -> bool:
    return type(node).__name__ == "ClassDef"


@lru_cache(maxsize=256)
def _tree(folders: tuple[str, ...], disk: Disk, path: str, module: str) -> Any:
    if disk.files is not ON_DISK:
        return None
    try:
        from astroid import builder, exceptions  # noqa: PLC0415 - as above
    except ImportError:
        return None
    try:
        with _searching(folders):  # astroid remembers what it could not find
            return builder.AstroidBuilder(_manager(folders, disk)).file_build(path, module)
    except (exceptions.AstroidError, RecursionError, OSError, ValueError):
        return None


@lru_cache(maxsize=1)
def _manager(folders: tuple[str, ...], disk: Disk) -> Any:  # noqa: ARG001 - it knows only theirs
    from astroid.manager import AstroidManager  # noqa: PLC0415 - as above

    manager = AstroidManager()
    manager.clear_cache()
    return manager


@contextmanager
def _searching(folders: tuple[str, ...]) -> Iterator[None]:
    """Let astroid look for modules in these folders and the standard library alone."""
    before = sys.path[:]
    sites = ("site-packages", "dist-packages")
    own = [each for each in before if each and not each.rstrip(os.sep).endswith(sites)]
    sys.path[:] = [*folders, *(each for each in own if "python3" in each)]
    try:
        yield
    finally:
        sys.path[:] = before
