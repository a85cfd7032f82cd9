"""Conditions on versions that come out alike in every version that a project supports."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.models.patches.namespace import Gate, local_names
from rocmlint.models.patches.problems import Place, Problem
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.words import fitted
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from packaging.specifiers import SpecifierSet

    from rocmlint.models.patches.library import Library
    from rocmlint.models.patches.sources import Module

_VERSION = re.compile(r"\d+(?:\.\d+)+\w*\Z")
_FIRST, _LAST = Version("0"), Version("99999")


def dead_gates(
    module: Module, library: Library, supported: Mapping[str, SpecifierSet]
) -> Iterator[Problem]:
    """Yield the conditions of which one branch is taken by no supported version.

    ``supported`` are the requirements of the project, by top-level package. A condition counts
    only if some other version would take the other branch.
    """
    constants = _constants(module)
    for package, specifier in supported.items() if constants else ():
        if not specifier or any(each.operator in {"==", "==="} for each in specifier):
            continue  # a pin moves with each upgrade
        inside = [each for each in _around(constants, specifier) if each in specifier]
        outside = [each for each in _around(constants, specifier) if each not in inside]
        if not inside or not outside:
            continue
        always = _taken(module, library, package, inside)
        others = _taken(module, library, package, outside)
        for gate, answers in always.items():
            if len(answers) == 1 and others.get(gate, set()) - answers:
                yield _problem(gate, answers.pop(), package, specifier, module)


def _constants(module: Module) -> list[Version]:
    texts = {
        each.value
        for each in ast.walk(module.tree)
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and _VERSION.match(each.value)
    }
    return [each for each in map(version_of, sorted(texts)) if each is not None]


def _around(constants: list[Version], specifier: SpecifierSet) -> list[Version]:
    """Return the versions at which an answer can change, and those beside them."""
    bounds = [version_of(each.version.removesuffix(".*")) for each in specifier]
    points = {_FIRST, _LAST}
    for each in (*constants, *filter(None, bounds)):
        points |= {Version(each.public), Version(f"{each.base_version}.post1")}
    between = sorted(points)
    # A release between two points answers as any other between them does.
    return sorted({*points, *(Version(f"{each.base_version}.post2") for each in between)})


def _taken(
    module: Module, library: Library, package: str, versions: list[Version]
) -> dict[ast.expr, set[bool]]:
    found: dict[ast.expr, set[bool]] = {}
    for version in versions:
        variant = library.variant({package: version})
        for gate in _gates(module, variant):
            found.setdefault(gate.node, set()).add(gate.taken)
    return found


def _gates(module: Module, library: Library) -> Iterator[Gate]:
    names = library.names_of(module)
    yield from names.gates
    for node in names.live:
        for each in ast.walk(node):
            if isinstance(each, FUNCTIONS):
                yield from local_names(each, module, library, names).gates
            elif isinstance(each, ast.IfExp):
                truth = library.truth(each.test, names)
                if truth is not None:
                    yield Gate(each.test, truth)


def _problem(
    gate: ast.expr, taken: bool, package: str, specifier: SpecifierSet, module: Module
) -> Problem:
    written = ast.unparse(gate)
    answer = "true" if taken else "false"
    message = fitted(
        "`{}` is {answer} in every supported version ({supported})",
        written,
        answer=answer,
        supported=f"{package}{specifier}",
    )
    guarded = "condition: its other branch" if taken else "branch that it guards: it"
    help = f"Remove the {guarded} never runs."
    place = Place.of(gate, module.path, module.text)
    return Problem("dead-gate", "", "", message, help, place, None, written)
