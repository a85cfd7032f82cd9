"""What the import of a module of the project runs: the imports that nothing guards."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import Text, compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import File


_IMPORT = compile_lazily(
    r"^(?:from[ \t]+(?P<module>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#;]*)"
    r"|import[ \t]+(?P<modules>[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+)*))",
    re.MULTILINE,
)
_NAME = compile_lazily(r"(\w+)(?:[ \t]+as[ \t]+\w+)?")
_MOST_FILES = 80
_OTHER_FOLDERS = frozenset(
    {"tests", "test", "docs", "doc", "examples", "example", "scripts", "benchmarks", "tools"}
)


class PackageImport(NamedTuple):
    """Where a package imports something, as soon as it is imported itself."""

    package: str
    path: str
    line: int
    module: str


def packages_of(folder: str, file: File) -> Iterator[tuple[str, str]]:
    """Yield the packages that a project holds, each with the directory that holds it."""
    for place in (os.path.join(folder, "src"), folder):
        for name in file.names_in(place):
            inner = os.path.join(place, name, "__init__.py")
            if name not in _OTHER_FOLDERS and name.isidentifier() and file.exists(inner):
                yield name, place


def first_import(
    package: str, folder: str, wanted: frozenset[str], file: File
) -> PackageImport | None:
    """Find an import of a wanted module that ``import package`` runs; None if there is none."""
    for path, text in _imported_with(os.path.join(folder, package, "__init__.py"), folder, file):
        for match in _IMPORT.finditer(text.code):
            for module in _modules(match):
                if module.split(".")[0] in wanted:
                    return PackageImport(package, path, text.line_of(match.start()), module)
    return None


def _imported_with(first: str, folder: str, file: File) -> Iterator[tuple[str, Text]]:
    """Yield a module, and those that its import runs, each with its text.

    Absolute imports are looked up in the folder. Only statements without indentation count: all
    others may be guarded.
    """
    waiting = [first]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_FILES:
        path = waiting.pop(0)
        if path in seen or not file.exists(path):
            continue
        seen.add(path)
        text = Text(file.read(path))
        yield path, text
        found = (module for match in _IMPORT.finditer(text.code) for module in _modules(match))
        for module in found:
            waiting += _files_of(module, path, folder if _holds(folder, module, file) else "")


def _modules(match: re.Match[str]) -> Iterator[str]:
    """Yield the modules that a statement may import: of ``from . import a`` also ``.a``."""
    if match["modules"]:
        yield from (each.split()[0] for each in match["modules"].split(","))
        return
    yield match["module"]
    dot = "" if match["module"].endswith(".") else "."
    for name in _NAME.findall(match["names"]):
        yield f"{match['module']}{dot}{name}"


def _holds(folder: str, module: str, file: File) -> bool:
    """Check whether a folder is where an absolute import finds what a module begins with."""
    first = module.partition(".")[0]
    return any(file.exists(os.path.join(folder, each)) for each in (first, f"{first}.py"))


def _files_of(module: str, path: str, folder: str) -> Iterator[str]:
    """Yield where an imported module may be, with those above it.

    ``path`` is that of the file that imports it. An absolute import is looked up in the folder;
    in none it finds nothing.
    """
    name = module.lstrip(".")
    level = len(module) - len(name)
    if not level and not folder:
        return
    base = path if level else folder
    for _ in range(level):
        base = os.path.dirname(base)
    parts = name.split(".") if name else []
    for count in range(1, len(parts) + 1):
        inner = os.path.join(base, *parts[:count])
        yield os.path.join(inner, "__init__.py")
        yield f"{inner}.py"
