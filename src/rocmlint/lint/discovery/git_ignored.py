"""What git ignores below a folder, by its .gitignore files, without git."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.disk.files import ON_DISK
from rocmlint.disk.state import data_of
from rocmlint.lint.discovery.patterns import is_pattern, spec

if TYPE_CHECKING:
    from rocmlint.disk.files import Files

_REMEMBERED = 65536
"""Folders of which is known what git ignores there."""


def is_ignored_by_git(path: str, files: Files, *, folder: bool) -> bool:
    """Ask the .gitignore files from the nearest up to the root of the repository."""
    for base, patterns in git_patterns(os.path.dirname(path), files):
        place = os.path.relpath(path, base) + (os.sep if folder else "")
        answer = spec(patterns).check_file(place).include
        if answer is not None:
            return bool(answer)
    return False


@lru_cache(maxsize=_REMEMBERED)
def git_patterns(folder: str, files: Files) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the folders with ignore patterns that count for entries of a folder, nearest first."""
    own = _patterns(os.path.join(folder, ".gitignore"), files)
    here = ((folder, own),) if own else ()
    if files.exists(os.path.join(folder, ".git")):
        shared = _patterns(os.path.join(folder, ".git", "info", "exclude"), files)
        return (*here, *(((folder, shared),) if shared else ()))
    parent = os.path.dirname(folder)
    if parent == folder:
        return ()  # no repository: a stray .gitignore means nothing
    above = git_patterns(parent, files)
    return (*here, *above) if repository(parent, files) else ()


@lru_cache(maxsize=_REMEMBERED)
def repository(folder: str, files: Files = ON_DISK) -> str | None:
    """Return the root of the repository that an absolute folder is in, None without one."""
    if files.exists(os.path.join(folder, ".git")):
        return folder
    parent = os.path.dirname(folder)
    return None if parent == folder else repository(parent, files)


@lru_cache(maxsize=_REMEMBERED)
def _patterns(path: str, files: Files) -> tuple[str, ...]:
    lines = (line.decode("utf-8", "replace") for line in (data_of(path, files) or b"").splitlines())
    patterns = (line for line in lines if line.strip() and not line.startswith("#"))
    return tuple(line for line in patterns if is_pattern(line))  # git passes over the others
