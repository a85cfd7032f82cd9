"""What installed modules define, read from their sources without importing anything."""

from __future__ import annotations

import ast
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from .files import locate

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANYTHING = re.compile(
    rb"\bimport[ \t]+\*|\b__getattr__\b|\bsys\.modules\b|\bglobals\(|\bsetattr\("
)
"""With one of these, a module may have names that its source does not tell."""


def answer(request: dict[str, Any]) -> Any:
    """Tell of ``name`` in ``module``, or where a ``function`` of any package is defined."""
    if "function" in request:
        return list(_definitions_of(request["function"]))
    return _in_module(request["module"], request["name"])


def _in_module(module: str, name: str) -> dict[str, Any]:
    """Give where a module is, and the line of ``Class.method`` or ``function`` in it.

    The end of ``module`` may be a class or an object. ``absent`` says that the source leaves no way
    for the name to be there.
    """
    found = locate(module)
    while not found and "." in module:
        module, _, last = module.rpartition(".")
        found, name = locate(module), f"{last}.{name}"
    told: dict[str, Any] = {"origin": None, "line": None, "absent": False, "found": bool(found)}
    if not found or found[0].kind != "source" or found[0].origin is None:
        return told
    told["origin"] = found[0].origin
    with open(found[0].origin, "rb") as file:
        source = file.read()
    body: list[ast.stmt] = ast.parse(source).body
    told["line"] = _line(body, name.split("."))
    first = name.partition(".")[0].encode()
    word = re.search(rb"\b%s\b" % re.escape(first), source)
    told["absent"] = word is None and not _ANYTHING.search(source)
    return told


def _line(body: list[ast.stmt], names: list[str]) -> int | None:
    """Give the line of a definition: of the class, then of what it holds."""
    for each in body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if each.name == names[0]:
                return each.lineno if len(names) == 1 else _line(each.body, names[1:])
    return None


def _definitions_of(function: str) -> Iterator[str]:
    """Yield ``file:line`` for each definition of a function below the installed packages."""
    name = re.escape(function.encode())
    defined = re.compile(rb"^[ \t]*(?:async )?def[ \t]+%s\b" % name, re.MULTILINE)
    for path in _sources():
        try:
            with open(path, "rb") as file:
                source = file.read()
        except OSError:
            continue
        for match in defined.finditer(source):
            line = source.count(b"\n", 0, match.start()) + 1
            yield f"{path}:{line}"


def _sources() -> Iterator[str]:
    """Yield the files that imports can find, without those of Python and of the working folder."""
    own = {os.path.abspath(each) for each in ("", os.path.dirname(os.__file__))}
    for path in dict.fromkeys(map(os.path.abspath, sys.path)):
        for folder, _, names in os.walk(path) if path not in own else ():
            yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))
