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

from rocmlint.lint.environment import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_MADE_AT_RUN_TIME = re.compile(
    r"\b(?:__getattr__|_LazyModule|sys\.modules|globals\(\)|exec\(|setattr\(|attach\()"
)
"""What stands in modules whose names are not all written as such."""
_OPEN_CLASSES = frozenset({"__getattr__", "__getattribute__"})
_CLOSED_CLASSES = frozenset({"builtins.object", "torch.nn.modules.module.Module"})
"""The latter asks only the parameters, buffers and submodules of an instance."""
_text = lru_cache(maxsize=64)(text_of)


def has_name(folders: tuple[str, ...], dotted: str) -> bool | None:
    """Say whether installed packages have a module or a name of a module; None: cannot tell."""
    found = _module(folders, dotted)
    if found is None:
        return None
    path, module, rest = found
    if not rest:
        return True
    return _binds(folders, path, module, rest[0]) if len(rest) == 1 else None


def has_member(folders: tuple[str, ...], dotted: str, attribute: str) -> bool | None:
    """Say whether an installed class has an attribute, inherited or its own; None: cannot tell."""
    holder = _class(folders, dotted)
    if holder is None:
        return None
    with _searching(folders):
        classes = _resolution_order(holder)
        if classes is None:
            return None
        if any(attribute in each.locals or attribute in each.instance_attrs for each in classes):
            return True
        is_open = any(_is_open(each) for each in classes)
    return None if is_open else False


def takes_keyword(folders: tuple[str, ...], dotted: str, keyword: str) -> bool | None:
    """Say whether an installed function or class takes a keyword; None: cannot tell."""
    node = _definition(folders, dotted)
    if node is None:
        return None
    function = _constructor(folders, node) if _is_class(node) else node
    if function is None or function.decorators is not None or function.args.kwarg is not None:
        return None
    arguments = function.args
    return any(each.name == keyword for each in (*arguments.args, *arguments.kwonlyargs))


def _is_open(holder: Any) -> bool:
    """Say whether a class may answer for attributes that are not written."""
    if holder.qname() in _CLOSED_CLASSES:
        return False
    return holder.metaclass() is not None or bool(_OPEN_CLASSES & set(holder.locals))


def _module(folders: tuple[str, ...], dotted: str) -> tuple[str, str, list[str]] | None:
    """Give the file of the longest module that a dotted name begins with, and what is left."""
    parts = dotted.split(".")
    for base in folders:
        path, folder = "", base
        for index, part in enumerate(parts):
            inner = os.path.join(folder, part)
            if os.path.isfile(os.path.join(inner, "__init__.py")):
                path, folder = os.path.join(inner, "__init__.py"), inner
            elif os.path.isfile(f"{inner}.py"):
                return f"{inner}.py", ".".join(parts[: index + 1]), parts[index + 1 :]
            elif not path or _is_compiled(folder, part):
                break
            else:
                return path, ".".join(parts[:index]), parts[index:]
        else:
            return path, dotted, []
    return None


def _is_compiled(folder: str, name: str) -> bool:
    return os.path.isdir(os.path.join(folder, name)) or any(
        each.startswith(f"{name}.") for each in os.listdir(folder)
    )


def _binds(
    folders: tuple[str, ...], path: str, module: str, name: str, hops: int = 5
) -> bool | None:
    """Say whether a module binds a name, be it under a condition."""
    bound = _bound(path)
    if bound is None:
        return None
    if name in bound.names:
        return True
    if _MADE_AT_RUN_TIME.search(_text(path)):
        return None if _is_mentioned(name, path) else False
    package = module if os.path.basename(path) == "__init__.py" else module.rpartition(".")[0]
    answers = [
        _binds_star(folders, resolve_name(each, package), name, hops) for each in bound.stars
    ]
    return True if True in answers else None if None in answers else False


def _binds_star(folders: tuple[str, ...], origin: str, name: str, hops: int) -> bool | None:
    found = _module(folders, origin)
    if found is None or found[2] or not hops:
        return None
    return _binds(folders, found[0], found[1], name, hops - 1)


class _Bound(NamedTuple):
    names: frozenset[str]
    stars: tuple[str, ...]
    """Modules that all names are imported from, relative ones with their dots."""


@lru_cache(maxsize=256)
def _bound(path: str) -> _Bound | None:
    """Give what a module binds at its top level; None where it is no Python."""
    text = _text(path)
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


def _is_mentioned(name: str, path: str) -> bool:
    """Say whether a module's file, or any file of its package, has this word."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    if not os.path.basename(path).startswith("__init__."):
        return bool(word.search(_text(path)))
    return any(
        word.search(_text(os.path.join(folder, each)))
        for folder, _, names in os.walk(os.path.dirname(path))
        for each in names
        if each.endswith(".py")
    )


def _definition(folders: tuple[str, ...], dotted: str) -> Any:
    """Give the one function or class that a module defines under this name, else None."""
    found = _module(folders, dotted)
    if found is None or len(found[2]) != 1:
        return None
    path, module, (name,) = found
    bound = _bound(path)
    # astroid would read every module behind a star: minutes for transformers/__init__.py.
    if bound is None or bound.stars or "_LazyModule" in _text(path):
        return None
    tree = _tree(folders, path, module)
    nodes = tree.locals.get(name, []) if tree is not None else []
    is_definition = len(nodes) == 1 and type(nodes[0]).__name__ in {"FunctionDef", "ClassDef"}
    return nodes[0] if is_definition else None


def _class(folders: tuple[str, ...], dotted: str) -> Any:
    node = _definition(folders, dotted)
    return node if _is_class(node) else None


def _is_class(node: Any) -> bool:
    return type(node).__name__ == "ClassDef"


def _resolution_order(holder: Any) -> list[Any] | None:
    """Give a class and its bases; None where one of them cannot be found."""
    from astroid import exceptions  # noqa: PLC0415 - as above

    try:
        order: list[Any] = holder.mro()
    except (exceptions.AstroidError, NotImplementedError, RecursionError):
        return None
    known = {each.name for each in order}
    written = {base.as_string().rpartition(".")[2] for each in order for base in each.bases}
    return order if written <= known else None


def _constructor(folders: tuple[str, ...], holder: Any) -> Any:
    """Give the ``__init__`` that a call of a class runs; None where it is not written."""
    with _searching(folders):
        for each in _resolution_order(holder) or ():
            if each.decorators is not None or "__new__" in each.locals or each.metaclass():
                return None
            if "__init__" in each.locals:
                return each.locals["__init__"][0]
    return None


@lru_cache(maxsize=256)
def _tree(folders: tuple[str, ...], path: str, module: str) -> Any:
    try:
        from astroid import builder, exceptions  # noqa: PLC0415 - as above
    except ImportError:
        return None
    try:
        with _searching(folders):  # astroid remembers what it could not find
            return builder.AstroidBuilder(_manager(folders)).file_build(path, module)
    except (exceptions.AstroidError, RecursionError, OSError, ValueError):
        return None


@lru_cache(maxsize=1)
def _manager(folders: tuple[str, ...]) -> Any:  # noqa: ARG001 - what it knows holds for them
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
