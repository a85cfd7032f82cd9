"""How forges name the place of a finding: the path in the repository, the line in the file."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING

from rocmlint.disk.repository import repositories

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.findings import Finding

    PathOf = Callable[[str], str]

CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")
"""The variables in which GitHub, GitLab and Azure Pipelines name the folder of the checkout."""


def repository_root() -> str:
    """Return the folder that paths of a report are relative to.

    That is the checkout that the CI job names, or the repository inside it that the job works in;
    else the repository of the working folder, else that folder.
    """
    here = os.path.realpath(os.getcwd())
    roots = list(repositories(here))
    named = [os.path.realpath(os.environ[each]) for each in CHECKOUTS if os.environ.get(each)]
    checkout = next((each for each in named if _is_in(here, each)), None)
    if checkout is not None:  # the outermost: a submodule is part of what was checked out
        return next((each for each in reversed(roots) if _is_in(each, checkout)), checkout)
    return next(iter([*roots, *filter(os.path.isdir, named)]), here)


def paths_in_repository() -> PathOf:
    """Return what writes paths relative to the repository; it looks at each once."""
    return cache(partial(path_in, repository_root()))


def path_in(root: str, path: str) -> str:
    """Write a path relative to a root, with ``/``; one of a file outside of it is absolute.

    Links to folders are followed, as git does not know the files behind them.
    """
    try:
        folder, name = os.path.split(os.path.abspath(path))
        known = [os.path.realpath(path), os.path.join(os.path.realpath(folder), name)]
    except ValueError:  # a made-up name that no system can have
        known = [os.path.abspath(path)]
    found = next((os.path.relpath(each, root) for each in known if _is_in(each, root)), None)
    return (found or os.path.abspath(path)).replace(os.sep, "/")


def in_cell(finding: Finding) -> str:
    """Return what a message begins with in formats that know only lines of files."""
    return "" if finding.cell is None else f"{finding.shown}: "


def _is_in(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))
