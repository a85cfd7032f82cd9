"""What was found on disk, among all the paths that were consulted for an answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.disk.state import MODULES, REQUIREMENTS, SEARCH, Asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocmlint.disk.disk import Disk
    from rocmlint.disk.state import State


def read_among(consulted: Mapping[str, State], disk: Disk) -> list[str]:
    """Return the files that were read.

    Of all modules below a folder only those count whose text matched what was searched for.
    """
    return [each for path, state in consulted.items() for each in _read(path, state, disk)]


def existing_among(consulted: Mapping[str, State]) -> list[str]:
    """Return the paths of which it was only asked whether they exist, and that do.

    Where the repository begins says nothing about a file.
    """
    found: list[str] = []
    for path, state in consulted.items():
        if isinstance(state, Asked):
            found += existing_among(state.read)
        elif state is True and not _is_git(path):
            found.append(path)
    return found


def _read(path: str, state: State, disk: Disk) -> Iterable[str]:
    if isinstance(state, Asked):
        return read_among(state.read, disk)
    if SEARCH in path and isinstance(state, list):
        return state
    if path.endswith(REQUIREMENTS):
        return disk.requirements_below(path.removesuffix(REQUIREMENTS)).paths
    return _itself(path, state, disk)


def _itself(path: str, state: State, disk: Disk) -> Iterator[str]:
    if isinstance(state, str) and not path.endswith(MODULES) and disk.is_file(path):
        yield path


def _is_git(path: str) -> bool:
    return os.path.basename(path) == ".git"
