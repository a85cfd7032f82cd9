"""The ``[[function]]`` entries of a manifest for the replacements that code makes."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.verify.manifest.function_entries import ManifestFunction, name_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import ClaimContext

ENTRY = "for a manifest"
"""The name of the evidence that holds an entry."""

_LARGEST = 10_000_000
"""Bytes of a Python file that is read for what it defines."""
_DEPTH = 5
"""How many imports are followed to a definition."""
_SOURCES = ("", "src")
"""The folders below those above a file in which its imports are looked for."""


@dataclass(frozen=True)
class Proposal:
    """A request to a manifest for a replacement: an entry, or why there is none."""

    claim: Claim
    function: ManifestFunction | None
    problem: str = ""


@dataclass(frozen=True)
class _Definition:
    path: str
    name: str
    """Empty where it is not sure which function of the file it is."""


def proposals(claims: Iterable[Claim], context: ClaimContext, folder: str) -> Iterator[Proposal]:
    """Yield an entry for each function that is replaced, for a manifest in a folder.

    Raises InterpreterError where the interpreter cannot be asked.
    """
    found: dict[str, Proposal] = {}
    for claim in claims:
        if claim.kind != "replacement" or not (claim.given and claim.by):
            continue
        each = _proposal(claim, context, folder)
        key = each.function.name if each.function else f"{claim.subject}:{claim.given}"
        known = found.get(key)
        if known is None:
            found[key] = each
        elif known.function != each.function:
            found[key] = _together(known, each)
    yield from found.values()


def _proposal(claim: Claim, context: ClaimContext, folder: str) -> Proposal:
    definition = _defined_by(claim)
    if definition is None:
        reason = f"the file that defines {claim.by.strip('()')} is not in the project"
        return Proposal(claim, None, reason)
    name = f"{_module(claim, context)}:{claim.given}"
    file = os.path.relpath(definition.path, folder).replace(os.sep, "/")
    if file.startswith("../") or name_problem(name):
        reason = f"{definition.path} is not below {folder}, where the manifest is"
        return Proposal(claim, None, name_problem(name) or reason)
    return Proposal(claim, ManifestFunction(name, file, definition.name))


def _together(one: Proposal, other: Proposal) -> Proposal:
    """Return the common request of two replacements of one function: it can have only one file."""
    first, second = one.function, other.function
    if first is None or second is None or first.file != second.file:
        places = " and ".join(f"{each.claim.path}:{each.claim.line}" for each in (one, other))
        return Proposal(one.claim, None, f"{places} set different functions: name one yourself")
    return Proposal(one.claim, ManifestFunction(first.name, first.file))


def _module(claim: Claim, context: ClaimContext) -> str:
    """Return the module that defines the class of a method; else that whose attribute is set."""
    definition = context.defined(claim.subject, claim.given)
    is_method = "." in claim.given and definition["found"] and definition["named"]
    return str(definition["module"]) if is_method and not definition["absent"] else claim.subject


def _defined_by(claim: Claim) -> _Definition | None:
    """Find what a claim says that the replacement is made by, in the files around it.

    What a call gives is code of the function that is called, if that is one of the project, and
    else what the call is given.
    """
    by, path = claim.by, os.path.abspath(claim.path)
    while by:
        maker, is_call, given = by.partition("(")
        own = _Definition(path, maker[1:]) if maker.startswith(":") else None
        found = own or (_imported(maker, path, _DEPTH) if maker else None)
        if found is not None:
            return _Definition(found.path, "") if is_call else found
        by = given.removesuffix(")")
    return None


def _imported(dotted: str, path: str, depth: int) -> _Definition | None:
    """Find the file that defines a name, as a file imports it, through other files' imports."""
    for file, names in _files(dotted, path):
        tree = _parsed(file)
        if not names or tree is None:
            continue
        if _is_defined(tree.body, names):
            return _Definition(file, ".".join(names))
        imports = list(_imports_of(tree, names)) if depth else []
        for each in imports:
            if found := _imported(each, file, depth - 1):
                return found
        return None if imports else _Definition(file, "")
    return None


def _files(dotted: str, path: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the files that a dotted name may lead to, the longest first, and the names left."""
    names = dotted.lstrip(".").split(".")
    dots = len(dotted) - len(dotted.lstrip("."))
    for folder in _folders(path, dots):
        for end in range(len(names), 0, -1):
            stem = os.path.join(folder, *names[:end])
            for file in (f"{stem}.py", os.path.join(stem, "__init__.py")):
                if os.path.isfile(file):
                    yield file, names[end:]
        if dots and os.path.isfile(own := os.path.join(folder, "__init__.py")):
            yield own, names


def _folders(path: str, dots: int) -> Iterator[str]:
    """Yield the folders that imports of a file may begin at, up to the current one."""
    folder, end = os.path.dirname(path), os.path.abspath(os.curdir)
    if dots:
        yield os.path.normpath(os.path.join(folder, *([os.pardir] * (dots - 1))))
        return
    while True:
        yield from (os.path.join(folder, each) for each in _SOURCES)
        above = os.path.dirname(folder)
        if folder in (end, above):
            return
        folder = above


def _parsed(path: str) -> ast.Module | None:
    try:
        return ast.parse(read_small(path, _LARGEST))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None


def _is_defined(body: Sequence[ast.stmt], names: Sequence[str]) -> bool:
    """Return whether statements define a function or class, and nothing else of its name."""
    kinds = (*FUNCTIONS, ast.ClassDef)
    found = [each for each in body if isinstance(each, kinds) and each.name == names[0]]
    if len(found) != 1:
        return False
    return len(names) == 1 or _is_defined(found[0].body, names[1:])


def _imports_of(tree: ast.Module, names: Sequence[str]) -> Iterator[str]:
    """Yield the dotted names that imports of a file give a name, with the dots of relative ones."""
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom):
            for alias in each.names:
                if (alias.asname or alias.name) == names[0]:
                    module = f"{each.module}." if each.module else ""
                    yield ".".join(["." * each.level + module + alias.name, *names[1:]])
