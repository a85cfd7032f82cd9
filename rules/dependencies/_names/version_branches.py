"""Modules that their project imports only where the version of a package lets it."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

from rocmlint.rule import once_per_file, syntax_tree, whole_word
from rocmlint.rule.closed_projects import is_whole, module_name

from .leftovers import imports_module, is_run, names_module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    from .judgement import MissingUse

_LONGEST_CHAIN = 8
_HOPS = 2
"""How often a name in a condition is taken for what it stands for."""


def is_for_some_versions(found: MissingUse, source: Source) -> bool:
    """Modules whose only imports, direct or not, are under an `if` on the package's version."""
    return _is_for_some_versions(found.dotted.partition(".")[0], source)


@once_per_file
def _is_for_some_versions(package: str, source: Source) -> bool:
    path = os.path.abspath(source.path)
    if not path.endswith(".py") or not is_whole(source):
        return False
    return _is_decided(path, package, source, set()) is True


def _is_decided(path: str, package: str, source: Source, chain: set[str]) -> bool | None:
    """Return whether all that imports a module asks for the version first; None: nothing does."""
    root = source.project.folders[-1]
    if len(chain) > _LONGEST_CHAIN or is_run(path, source.read(path), root):
        return False
    chain.add(path)
    answer = None
    for user in source.modules_with(root, (whole_word(module_name(path)),)):
        text = source.read(user)
        if user in chain:
            continue
        if names_module(user, path, text):
            return False
        if not imports_module(user, path, text, source):
            continue
        if imports_module(user, path, _without_branches(text, package), source):
            above = _is_decided(user, package, source, chain)
            if above is False:
                return False
            answer = above or answer
        else:
            answer = True
    return answer


def _without_branches(text: str, package: str) -> str:
    """Leave out of a module what is under an `if` on the version of a package."""
    module = syntax_tree(text)
    if module is None:
        return text
    meanings = dict(_meanings(module))
    lines = text.split("\n")
    for each in ast.walk(module):
        if isinstance(each, ast.If) and _asks(each.test, package, meanings):
            for number in range(each.lineno - 1, each.end_lineno or each.lineno):
                lines[number] = ""
    return "\n".join(lines)


def _meanings(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield what the names of a module stand for, also those that are unpacked."""
    for each in ast.walk(module):
        if isinstance(each, ast.Assign):
            value = ast.unparse(each.value)
            for target in each.targets:
                yield from (
                    (name.id, value) for name in ast.walk(target) if isinstance(name, ast.Name)
                )
        elif isinstance(each, ast.ImportFrom):
            for alias in each.names:
                yield alias.asname or alias.name, f"{each.module}.{alias.name}"


def _asks(test: ast.expr, package: str, meanings: dict[str, str]) -> bool:
    """Return whether a condition speaks of a package's version, if by names that stand for it."""
    said = ast.unparse(test)
    for _ in range(_HOPS):
        named = set(re.findall(r"\w+", said)) & meanings.keys()
        said = " ".join([said, *(meanings[each] for each in sorted(named))])
    return "version" in said and package in said
