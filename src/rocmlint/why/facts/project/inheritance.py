"""Classes of the project, of remote code or of a package, and the library's class below them."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.published.names import names_of
from rocmlint.why.facts.frames import owner_of
from rocmlint.why.facts.packages.moved import modules_with
from rocmlint.why.facts.packages.package_names import indexed, release_of
from rocmlint.why.facts.project.definitions import definitions, definitions_in
from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.frames import Owner
    from rocmlint.why.facts.packages.package_names import Release
    from rocmlint.why.facts.project.definitions import Definition

_LARGEST = 2_000_000
_MOST_STEPS = 4


@dataclass(frozen=True)
class Derived:
    """A class that is built on one of an indexed package."""

    definition: Definition
    owner: Owner
    path: str
    base: str
    """The library's class by its full name."""
    release: Release

    @property
    def place(self) -> str:
        """Its file and line."""
        return f"{self.definition.file}:{self.definition.line}"


def derived(context: Context, name: str) -> Derived | None:
    """Return the one class of this name that the project or a file of a frame defines.

    None where there is none, where there are several, or where none of its bases is a library's.
    """
    found = list(_classes(context, name))
    if len(found) != 1:
        return None
    path, definition = found[0]
    for base, file in _bases(path, definition):
        for package in ("transformers", *indexed()):
            dotted = _in_package(context, package, base, file)
            if dotted:
                owner = owner_of(LogFrame(path, 0), context.packages, context.project)
                return Derived(definition, owner, path, dotted, release_of(context, package))
    return None


def _classes(context: Context, name: str) -> Iterator[tuple[str, Definition]]:
    seen = set()
    for each in definitions(context.project, name):
        path = os.path.join(context.project, each.file)
        if isinstance(each.node, ast.ClassDef):
            seen.add(os.path.realpath(path))
            yield path, each
    for frame in context.frames:
        path = os.path.join(context.project, frame.file)
        if os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        for each in definitions_in(path, name):
            if isinstance(each.node, ast.ClassDef):
                yield path, each


def _bases(path: str, definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the bases of a class as they are written, also of its bases in the same file."""
    waiting = [definition]
    for step, each in enumerate(waiting):
        if not isinstance(each.node, ast.ClassDef) or step > _MOST_STEPS:
            return
        for base in map(ast.unparse, each.node.bases):
            own = [found for found in definitions_in(path, base) if found.name == base]
            waiting += own[:1]
            if not own:
                yield base, path


def _in_package(context: Context, package: str, base: str, file: str) -> str:
    """Return the class that a package has and a file imports from it; empty for another one."""
    if names_of(package) is None or context.packages.get(package) is None:
        return ""
    holder, _, name = base.rpartition(".")
    origin = holder or origin_of(file, name)
    if origin.partition(".")[0] != package:
        return ""
    modules = modules_with(package, name, release_of(context, package).version)
    return f"{modules[0]}.{name}" if modules else ""


def origin_of(path: str, name: str) -> str:
    """Return the module that a file imports a name from; empty where it does not import it."""
    try:
        tree = ast.parse(read_small(path, _LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(
            (each.asname or each.name) == name for each in node.names
        ):
            return "." * node.level + (node.module or "")
    return ""
