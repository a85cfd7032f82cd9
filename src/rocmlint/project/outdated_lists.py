"""Lists of requirements that a project forgot: its package pins another release than they do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.formats import Role, has_role
from rocmlint.paths import relative
from rocmlint.project.agreement import contradict, is_of_package
from rocmlint.project.inclusions import inclusions, lists_in
from rocmlint.project.records import is_named
from rocmlint.published import requirements as published
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.project.declarations import Declarations, Requirement

_BESIDE = frozenset({"tests", "test", "examples", "docs", "scripts", "benchmarks", "tools"})
"""Folders that are not part of a package even where they are one."""


def current(
    declared: Sequence[Requirement], folder: str, project: Declarations
) -> list[Requirement]:
    """Return the requirements of a package in a folder that hold for a project's files.

    Inside the package that its pyproject.toml describes, an exact pin there outranks a list that
    contradicts it: `pip install` of the package meets the pin. A list that something in the project
    installs, or names in any other way, counts as it stands.
    """
    pins = [each for each in declared if _is_pin(each)]
    if not pins or not _is_in_package(project.folder, folder, project):
        return list(declared)
    stale = {each.path for each in declared if _is_list(each) and _is_against(each, pins)}
    forgotten = {each for each in stale if not _is_installed(each, project)}
    return [each for each in declared if each.path not in forgotten]


def _is_pin(requirement: Requirement) -> bool:
    """Return whether a pyproject.toml pins one release, on every machine."""
    if os.path.basename(requirement.path) != "pyproject.toml" or not is_of_package(requirement):
        return False
    parsed = requirement_of(requirement.declared.text)
    return (
        parsed is not None
        and parsed.marker is None
        and not requirement.declared.constraint
        and published.pin(parsed.specifier) is not None
    )


def _is_list(requirement: Requirement) -> bool:
    return has_role(requirement.path, Role.LIST) and not is_of_package(requirement)


def _is_against(requirement: Requirement, pins: Sequence[Requirement]) -> bool:
    return any(contradict(each, requirement) for each in pins)


def _is_in_package(inner: str, folder: str, project: Declarations) -> bool:
    """Return whether a directory is inside a package that a project of ``folder`` installs."""
    parts = relative(inner, folder).replace(os.sep, "/").split("/")
    base = [folder]
    if parts[0] == "src":
        base.append(parts.pop(0))
    if not parts or parts[0] in _BESIDE:
        return False
    return project.exists(os.path.join(*base, parts[0], "__init__.py"))


def _is_installed(path: str, project: Declarations) -> bool:
    """Return whether a document, a script or a program names a list, or one that includes it."""
    root = project.folders[-1]
    lists = [path]
    for each in lists:  # it grows
        lists += [other for other in _including(each, project) if other not in lists]
    return any(is_named(each, root, project, besides=lists) for each in lists)


def _including(path: str, project: Declarations) -> Iterator[str]:
    """Yield the lists beside a list, or in the folder above it, that include it."""
    near = os.path.dirname(path)
    for folder in (near, os.path.dirname(near)):
        yield from (each for each in lists_in(folder, project) if path in inclusions(each, project))
