"""What the paths around a file were like when it was linted: what was found hangs on that."""

from __future__ import annotations

import os
from _blake2 import blake2b  # hashlib would load OpenSSL: a tenth of a whole start
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    State = bool | str | list[str]
    """Whether a path exists, or a digest of a file's content, or the names in a folder."""

UNREADABLE = ""
CACHE = ".rocmlint_cache"
"""The folder that the cache is in, if nothing else is said."""


def digest(data: bytes) -> str:
    """Give the fingerprint of a file's content."""
    return blake2b(data, digest_size=16).hexdigest()


def content_of(path: str) -> str:
    """Give the fingerprint of a file on disk, ``UNREADABLE`` where there is none."""
    try:
        with open(path, "rb") as file:
            return digest(file.read())
    except OSError:
        return UNREADABLE


def names_in(folder: str) -> list[str]:
    """Give the names in a folder, sorted; none where it cannot be read.

    That of the cache is left out, which the first run makes after it has looked.
    """
    try:
        return sorted(name for name in os.listdir(folder) if name != CACHE)
    except OSError:
        return []


class Consulted:
    """Tells whether paths are still as they were; each is looked at once."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, type], State] = {}

    def unchanged(self, before: Mapping[str, State]) -> bool:
        """Say whether all of these paths are as they were."""
        return all(self._of(path, state) == state for path, state in before.items())

    def _of(self, path: str, alike: State) -> State:
        key = (path, type(alike))
        if key not in self._now:
            self._now[key] = _state(path, alike)
        return self._now[key]


def _state(path: str, alike: State) -> State:
    """Give what a path is like now, in the terms of an earlier answer."""
    if isinstance(alike, bool):
        return os.path.exists(path)
    return content_of(path) if isinstance(alike, str) else names_in(path)
