"""Which package the code of an object is from, without running any of it."""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache
from itertools import islice
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .reachable import attributes, bases, functions_of, is_a, items, module_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import CodeType

    Place = tuple[str, int]

STANDARD_LIBRARY = os.path.dirname(os.__file__)
_INSTALLED = ("site-packages", "dist-packages")
_WRAPPERS = (staticmethod, classmethod, property)
_PARTS = ("__func__", "fget", "fset", "fdel")


def top(module: str) -> str:
    """Return the package that a module is part of."""
    return module.partition(".")[0]


def belongs(file: str, module: str) -> bool:
    """Return whether a file is of the package that a module is part of."""
    if is_standard(file) or file.startswith("<frozen "):
        return top(module) in _standard_names() or _is_standard_module(module)
    return any(file == root or file.startswith(root + os.sep) for root in _roots(top(module)))


def is_standard(file: str) -> bool:
    """Return whether a file is of the standard library."""
    if not file.startswith(STANDARD_LIBRARY + os.sep):
        return False
    return not any(each in file[len(STANDARD_LIBRARY) :] for each in _INSTALLED)


def is_made(file: str) -> bool:
    """Return whether code names no file: it was made by a program when it ran."""
    return not file.startswith("<frozen ") and not _exists(file)


def is_callable(value: Any) -> bool:
    """Return whether looking a value up, or calling it, runs code of somebody."""
    kind = type(value)
    if issubclass(kind, (type, FunctionType, *_WRAPPERS)):
        return True
    return not issubclass(kind, ModuleType) and any(
        name in attributes(each) for each in bases(kind) for name in ("__call__", "__get__")
    )


def outermost(value: Any) -> list[CodeType]:
    """Return the code that runs first: of the methods of a class, also of that of an instance."""
    kind = type(value)
    if issubclass(kind, type):
        own = [each for _, each in items(value) if is_a(each, FunctionType, *_WRAPPERS)]
        return [code for each in own for code in outermost(each)]
    if kind is FunctionType:
        return [value.__code__]
    if kind in _WRAPPERS:
        parts = [part for part in (getattr(value, name, None) for name in _PARTS) if part]
        return [code for each in parts for code in outermost(each)]
    own = [code for each in _written_in_python(kind)[:1] for code in outermost(each)]
    return own or [each.__code__ for each in islice(functions_of(value), 1)]


def strangers(value: Any, *packages: str) -> Iterator[Place]:
    """Yield the places of outermost code that is neither of these packages nor of Python."""
    for code in outermost(value):
        if not is_standard(code.co_filename) and not code.co_filename.startswith("<frozen "):
            if not any(belongs(code.co_filename, each) for each in packages):
                yield code.co_filename, code.co_firstlineno


def place_of(value: Any) -> tuple[str | None, int | None]:
    """Return where the outermost code of an object is, as far as it is Python code."""
    codes = outermost(value)
    if codes:
        first = min(codes, key=lambda each: (is_standard(each.co_filename), each.co_firstlineno))
        return first.co_filename, first.co_firstlineno
    if is_a(value, ModuleType):
        return attributes(value).get("__file__"), None
    kind = value if issubclass(type(value), type) else type(value)
    return getattr(sys.modules.get(module_of(kind)), "__file__", None), None


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that code uses, and its strings, at any depth."""
    yield from code.co_names
    waiting = list(code.co_consts)
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, type(code)):
            yield from names_in(each)
        elif isinstance(each, (tuple, frozenset)):
            waiting.extend(each)


def _written_in_python(kind: type) -> list[type]:
    """Return the class of an instance, and its bases, that have code of their own."""
    return [
        each for each in bases(kind) if any(type(value) is FunctionType for _, value in items(each))
    ]


def _roots(package: str) -> Collection[str]:
    module = sys.modules.get(package)
    found = attributes(module)
    try:
        folders = [each for each in found.get("__path__") or () if is_a(each, str)]
    except Exception:  # noqa: BLE001 - a path may be an object of anybody
        folders = []
    files = [found.get("__file__"), getattr(found.get("__spec__"), "origin", None)]
    return [each.rstrip(os.sep) for each in folders] or [e for e in files if type(e) is str]


def _is_standard_module(module: str) -> bool:
    file = attributes(sys.modules.get(top(module))).get("__file__")
    return type(file) is str and is_standard(file)


@cache
def _standard_names() -> frozenset[str]:
    return frozenset(getattr(sys, "stdlib_module_names", ())) | frozenset(sys.builtin_module_names)


@lru_cache(maxsize=4096)
def _exists(file: str) -> bool:
    """Return whether there is such a file, or an archive that it is in."""
    while file and file != os.path.dirname(file):
        if os.path.exists(file):
            return True
        parent = os.path.dirname(file)
        if os.path.isdir(parent):
            return False
        file = parent
    return False
