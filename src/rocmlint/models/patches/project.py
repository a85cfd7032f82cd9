"""The patches in a file of a project, checked against what the file runs with."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily
from rocmlint.models.patches.contracts import (
    CLASS,
    DECORATOR,
    LIST,
    MANAGER,
    METHODS,
    PAIR,
    REPLACES,
)
from rocmlint.models.patches.lock import NAME, parsed
from rocmlint.models.patches.sources import module_name

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from rocmlint.disk.disk import DiskView
    from rocmlint.models.patches.check import Checked
    from rocmlint.models.patches.library import Library
    from rocmlint.models.patches.lock import Locked
    from rocmlint.project.project import Project

WORDS = (CLASS, METHODS, DECORATOR, MANAGER, f"@{REPLACES}(", "[patch:", "manual patch")
"""One of them stands in each file with a patch."""
ASSIGNED = r"=[\s\\(]*[\w.]*\bpatched_"
"""How what is assigned begins, in the form of a regular expression."""
_MAY_PATCH = compile_lazily(
    "|".join([*map(re.escape, WORDS), ASSIGNED, rf"^{LIST}\b", rf"\b{PAIR}\("]), re.MULTILINE
)


def may_patch(text: str) -> bool:
    """Return whether a text may have a patch."""
    return _MAY_PATCH.search(text) is not None


def folders_of(path: str, project: Project, view: DiskView) -> tuple[str, ...]:
    """Return the folders that hold the project's own packages, as seen from a file."""
    _, above = module_name(path, view)
    root = project.folders[-1]
    found = [above, *(each for each in (os.path.join(root, "src"), root) if view.exists(each))]
    return tuple(dict.fromkeys(found))


def check_text(path: str, text: str, library: Library, project: Project) -> Checked | None:
    """Check the patches of a file; None where it does not parse, or is nested too deeply.

    Raises ConfigError for a lock file that is not one.
    """
    from rocmlint.models.patches.check import check_module, with_problems  # noqa: PLC0415
    from rocmlint.models.patches.gates import dead_gates  # noqa: PLC0415
    from rocmlint.models.patches.lock import changed  # noqa: PLC0415

    name, _ = module_name(path, library.sources.view)
    module = library.sources.parsed(name, os.path.abspath(path), text)
    if module is None:
        return None
    try:
        checked = check_module(module, library)
        if not checked.patches:
            return checked
        packages = {each.target.partition(".")[0] for each in checked.patches}
        more = list(dead_gates(module, library, supported_by(packages, project)))
        more += changed(checked, lock_of(project)[1], library)
        return with_problems(checked, more)
    except RecursionError:
        return None


def lock_of(project: Project) -> tuple[str, dict[str, Locked]]:
    """Return the nearest lock file, and what it has; the place for one where there is none.

    Raises ConfigError for a file that is not one.
    """
    for folder in project.folders:
        path = os.path.join(folder, NAME)
        if project.exists(path):
            return path, parsed(project.read(path), path)
    return os.path.join(project.folders[-1], NAME), {}


def supported_by(packages: set[str], project: Project) -> dict[str, SpecifierSet]:
    """Return the versions of packages that the project requires, where it says so in one way."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - few files need it

    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    found = {}
    for package in packages:
        declared = project.requirements(canonicalize_name(package)) if package else ()
        parsed = [requirement_of(each.declared.text) for each in declared]
        specifiers = {str(each.specifier): each.specifier for each in parsed if each is not None}
        if len(specifiers) == 1:
            found[package] = next(iter(specifiers.values()))
    return found
