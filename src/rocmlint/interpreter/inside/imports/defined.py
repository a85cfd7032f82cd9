"""Definitions of installed modules, read from their sources without importing anything."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .. import search
from .files import locate

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANYTHING = re.compile(
    rb"\bimport[ \t]+\*|\b__getattr__\b|\bsys\.modules\b|\bglobals\(|\bsetattr\("
)
"""With one of these, a module may have names that its source does not show."""
_STAR = re.compile(rb"\bimport[ \t]*(?:\([ \t\n]*)?\*")


def answer(request: dict[str, Any]) -> Any:
    """Answer for each ``[module, name]`` of ``targets``, or where a ``function`` is defined."""
    if "function" in request:
        return list(_definitions_of(request["function"]))
    return [_definition_of(module, name) for module, name in request["targets"]]


def _definition_of(module: str, name: str) -> dict[str, Any]:
    """Return where a module is, and the line of ``Class.method`` or ``function`` in it.

    The end of ``module`` may be a class or an object. ``module`` in the answer is where the source
    says that the name is defined, behind all re-exports. ``missing`` names a module of which there
    is not a file. ``absent`` says that the source leaves no way for the name to be there, and
    ``named`` that the file which defines the name, or its class, has a word for it.
    """
    found, names = locate(module), name.split(".") if name else []
    while not found and "." in module:
        module, _, last = module.rpartition(".")
        found, names, name = locate(module), [last, *names], ""
    facts: dict[str, Any] = {"found": bool(found), "module": module, "origin": None, "line": None}
    facts |= {"missing": None, "absent": False, "named": True}
    if not found or found[0].kind != "source" or found[0].origin is None:
        return facts
    source = _read(found[0].origin)
    facts["origin"] = found[0].origin
    if not names:
        return facts
    known = _has_word(source, names[0])
    if not name and not known and found[0].locations is not None:
        return {**facts, "missing": f"{module}.{names[0]}"}
    facts["absent"] = not known and not _ANYTHING.search(source)
    definition = _definition(module, names, set())
    return {**facts, **(asdict(definition) if definition else {"named": known})}


@dataclass(frozen=True)
class _Definition:
    module: str
    origin: str
    line: int | None
    """None for a method that is defined in another class."""
    named: bool


def _definition(module: str, names: list[str], seen: set[str]) -> _Definition | None:
    """Find the ``def`` or ``class`` behind a name, through ``from … import``, also of ``*``."""
    copies = locate(module)
    if module in seen or not copies or copies[0].kind != "source" or copies[0].origin is None:
        return None
    seen.add(module)
    origin, is_package = copies[0].origin, copies[0].locations is not None
    source = _read(origin)
    known = _has_word(source, names[0])
    if not known and not _STAR.search(source):
        return None
    tree = _parsed(source)
    if tree is None:
        return None
    if known and _line(tree.body, names[:1]) is not None:
        named = all(_has_word(source, each) for each in names)
        return _Definition(module, origin, _line(tree.body, names), named)
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom):
            target = _imported_from(each, module, is_package=is_package)
            for alias in each.names:
                inner = [alias.name, *names[1:]] if alias.name != "*" else names
                if alias.name == "*" or (alias.asname or alias.name) == names[0]:
                    if found := _definition(target, inner, seen):
                        return found
    return None


def _parsed(source: bytes) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imported_from(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """Return the absolute name of what ``from .x import y`` means in a module."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    up = node.level - is_package
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _has_word(source: bytes, word: str) -> bool:
    return re.search(rb"\b%s\b" % re.escape(word.encode()), source) is not None


def _line(body: list[ast.stmt], names: list[str]) -> int | None:
    """Return the line of a definition: of the class, then of what it holds."""
    for each in _statements(body):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if each.name == names[0]:
                return each.lineno if len(names) == 1 else _line(each.body, names[1:])
    return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, also those below ``if``, ``try`` and ``with``."""
    for each in body:
        yield each
        if isinstance(each, (ast.If, ast.Try, ast.With)):
            for block in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(each, block, ()):
                    yield from _statements([inner] if isinstance(inner, ast.stmt) else inner.body)


def _definitions_of(function: str) -> Iterator[str]:
    """Yield ``file:line`` for each definition of a function below the installed packages."""
    word = function.encode()
    defined = re.compile(rb"^[ \t]*(?:async )?def[ \t]+%s\b" % re.escape(word), re.MULTILINE)
    for path in _sources():
        try:
            with open(path, "rb") as file:
                source = file.read()
        except OSError:
            continue
        for match in defined.finditer(source) if word in source else ():
            line = source.count(b"\n", 0, match.start()) + 1
            yield f"{path}:{line}"


def _sources() -> Iterator[str]:
    """Yield the files that imports can find, without those of Python and of the working folder."""
    own = {os.path.abspath(each) for each in ("", os.path.dirname(os.__file__))}
    for path in dict.fromkeys(map(os.path.abspath, search.path())):
        for folder, _, names in os.walk(path) if path not in own else ():
            yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))
