"""Check the patches of a module against the libraries that they patch."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.models.patches.bodies import faults_in, faults_in_statements
from rocmlint.models.patches.comparison import Comparison
from rocmlint.models.patches.contracts import patches_of
from rocmlint.models.patches.library import Found
from rocmlint.models.patches.problems import Place, Problem
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.words import fitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.models.patches.bodies import Fault
    from rocmlint.models.patches.contracts import Patch, Replacement
    from rocmlint.models.patches.library import Library
    from rocmlint.models.patches.namespace import Namespace
    from rocmlint.models.patches.sources import Module
    from rocmlint.python.scopes import FunctionNode

_HELP = {
    "call-mismatch": "Match the signature in this version of the library.",
    "name-missing": "Find what took its place in this version of the library.",
}


@dataclass(frozen=True)
class Checked:
    """The patches of a module, what is wrong with them, and what their authors allow."""

    module: Module
    patches: tuple[Patch, ...] = ()
    problems: tuple[Problem, ...] = ()
    allowed: tuple[Problem, ...] = ()
    unread: tuple[str, ...] = ()
    """Targets whose source could not be read, such as those of packages that are not there."""


def check_module(module: Module, library: Library) -> Checked:
    """Return what is wrong with the patches of a module."""
    patches = tuple(patches_of(module, library))
    if not patches:
        return Checked(module)
    found = [each for patch in patches for each in Comparison(patch, library).problems()]
    found += _of_bodies(module, patches, library)
    unread = {
        each.target
        for patch in patches
        for each in patch.replacements
        if (patch.target and library.find(patch.target).status == "unknown")
        or (patch.form != "class" and library.find(each.target).status == "unknown")
    }
    return with_problems(Checked(module, patches, unread=tuple(sorted(unread))), found)


def with_problems(checked: Checked, more: Iterable[Problem]) -> Checked:
    """Return what was checked with more problems, in order and each once, as far as not allowed."""
    allows = {each.name: each.allows for each in checked.patches}
    unique = list(dict.fromkeys([*checked.problems, *more]))
    unique.sort(key=lambda each: (each.place.line, each.place.column, each.kind))
    allowed = [each for each in unique if each.kind in allows.get(each.patch, ())]
    problems = tuple(each for each in unique if each not in allowed)
    return replace(checked, problems=problems, allowed=(*checked.allowed, *allowed))


def _of_bodies(module: Module, patches: tuple[Patch, ...], library: Library) -> Iterator[Problem]:
    """Yield what functions of the module use of the libraries that its patches replace."""
    own = module.name.partition(".")[0]
    packages = {
        each.target.partition(".")[0]
        for patch in patches
        for each in patch.replacements or (patch,)
        if each.target
    } - {own}
    names = library.names_of(module)
    for fault in faults_in_statements(names.unguarded, names, library, frozenset(packages)):
        yield _of_fault(fault, module, "", "")
    for node in names.live:
        named = next((each for each in patches if each.node is node), None)
        target = named.target if named is not None else ""
        for function in _functions(node, names, module, library):
            for fault in faults_in(function, names, library, packages):
                yield _of_fault(fault, module, getattr(node, "name", ""), target)


def _functions(
    node: ast.stmt, names: Namespace, module: Module, library: Library
) -> Iterator[FunctionNode]:
    if isinstance(node, FUNCTIONS):
        yield node
    elif isinstance(node, ast.ClassDef):
        found = Found("found", f"{module.name}.{node.name}", module, node, names)
        live = library.members_of(found).live
        yield from (each for each in live if isinstance(each, FUNCTIONS))


def _of_fault(fault: Fault, module: Module, patch: str, target: str) -> Problem:
    message = fitted("{}", f"{fault.text[0].upper()}{fault.text[1:]}")
    place = Place.of(fault.node, module.path, module.text)
    return Problem(fault.kind, patch, target, message, _HELP[fault.kind], place, None, fault.about)


def patched_twice(checked: Sequence[Checked]) -> Iterator[Problem]:
    """Yield patches of what an earlier patch replaces already: the later one wins."""
    first: dict[tuple[str, str], Patch] = {}
    for each in checked:
        for patch in each.patches:
            # Of factories and assignments a condition or a backend may choose.
            for replacement in patch.replacements if patch.form in {"class", "function"} else ():
                other = first.setdefault(_which(replacement.target, each.module), patch)
                # Of two with one name, in branches of a condition, a module has only one.
                if (other.name, other.names) != (patch.name, patch.names):
                    yield _twice(patch, replacement, other)


def _which(target: str, module: Module) -> tuple[str, str]:
    """Return what tells targets apart: modules of several projects may have one name."""
    is_own = target.partition(".")[0] == module.name.partition(".")[0]
    return target, os.path.dirname(module.path) if is_own else ""


def _twice(patch: Patch, replacement: Replacement, other: Patch) -> Problem:
    name, module = replacement.attribute, patch.names.module
    message = fitted("`{}` replaces `{}`, as `{}` does", patch.name, name, other.name)
    help = f"Delete this patch or the one in {os.path.basename(other.names.module.path)}."
    place = Place.of(replacement.place, module.path, module.text)
    about = replacement.target
    return Problem("patched-twice", patch.name, patch.target, message, help, place, None, about)
