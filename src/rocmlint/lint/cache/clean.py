"""Removing caches: only folders that a cache made, and in them only what it wrote."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.state import CACHE
from rocmlint.disk.write import TEMPORARY
from rocmlint.lint.cache.folder import RESULTS, TAG, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"rocmlint-[0-9]+")
"""The folders that caches make, of whatever format."""


class Removed(NamedTuple):
    """A folder of a cache that was removed, and how much was in it."""

    path: str
    files: int
    size: int
    is_gone: bool
    """Whether the folder itself is gone: somebody may have put something else into it."""


def caches_below(folder: str) -> Iterator[str]:
    """Yield the folders of caches below a folder, or it itself; no link is followed."""
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        if is_cache(current):
            yield current
            continue
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue  # whoever cannot list it has written no cache there
        waiting += [
            entry.path
            for entry in entries
            if entry.is_dir(follow_symlinks=False) and entry.name != ".git"
        ]


def is_cache(folder: str) -> bool:
    """Return whether a folder was made by a cache, which leaves its mark in it."""
    name = os.path.basename(os.path.abspath(folder))
    return bool(_NAME.fullmatch(name)) and not os.path.islink(folder) and is_ours(folder)


def remove(cache: str) -> Removed:
    """Remove what a cache wrote, then its folders if nothing else is in them. Raises OSError."""
    files = sorted(filter(_is_written, os.scandir(cache)), key=lambda each: each.name == TAG)
    size = sum(each.stat(follow_symlinks=False).st_size for each in files)
    for each in files:  # the mark last: whoever is interrupted can go on
        os.unlink(each.path)
    if os.listdir(cache):
        return Removed(cache, len(files), size, is_gone=False)
    os.rmdir(cache)
    above = os.path.dirname(os.path.abspath(cache))
    if os.path.basename(above) == CACHE and not os.listdir(above):
        os.rmdir(above)
    return Removed(cache, len(files), size, is_gone=True)


def _is_written(entry: os.DirEntry[str]) -> bool:
    is_known = entry.name in {TAG, ".gitignore"} or any(
        each.fullmatch(entry.name) for each in (RESULTS, TEMPORARY)
    )
    return is_known and entry.is_file(follow_symlinks=False)
