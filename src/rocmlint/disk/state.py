"""What the paths around a file were like when it was linted: what was found hangs on that."""

from __future__ import annotations

import os
import re
from _blake2 import blake2b  # hashlib would load OpenSSL: a tenth of a whole start
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import read_small

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    State = bool | str | list[str]
    """False for a path where nothing is; else a digest of a file's content, the names in a folder,
    or True where only that was asked."""

UNREADABLE = ""
MODULES = os.path.join("**", "*.py")
"""Stands below a folder for all of its modules, as in a glob."""
TEXTS = os.path.join(MODULES, "*")
"""Stands below a folder for the text of all of its modules."""
REQUIREMENTS = os.path.join("**", "requirements*")
"""Stands below a folder for all files that declare what its projects require."""
_MAXIMUM_FOLDERS = 5000
_OUTSIDE = (".", "__pycache__", "site-packages", "node_modules")
"""How folders begin that hold nothing of the project around them."""
CACHE = ".rocmlint_cache"
"""The folder that the cache is in, if nothing else is said."""


def digest(data: bytes) -> str:
    """Return the fingerprint of a file's content."""
    return blake2b(data, digest_size=16).hexdigest()


def data_of(path: str) -> bytes | None:
    """Return the bytes of a small file, None where they cannot be read."""
    try:
        return read_small(path)
    except OSError:
        return None


def content_of(path: str) -> str:
    """Return the fingerprint of a file on disk, ``UNREADABLE`` where there is none to read."""
    data = data_of(path)
    return UNREADABLE if data is None else digest(data)


def names_in(folder: str) -> list[str]:
    """Return the names in a folder, sorted; none where it cannot be read.

    That of the cache is left out, which the first run makes after it has looked.
    """
    try:
        return sorted(name for name in os.listdir(folder) if name != CACHE)
    except (OSError, ValueError):
        return []


class Below(NamedTuple):
    """The paths of some files below a folder, and a fingerprint that changes with any of them.

    That is empty where it was not asked for.
    """

    paths: tuple[str, ...]
    digest: str


def modules_below(folder: str, *, noted: bool = True) -> Below:
    """Find the modules below a folder."""
    return _below(folder, lambda name: name.endswith(".py"), noted)


def requirements_below(folder: str, *, noted: bool = True) -> Below:
    """Find the files below a folder that declare what the project in theirs requires."""
    return _below(folder, lambda name: name in _OF_PROJECTS, noted)


_OF_PROJECTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"})


def _below(folder: str, is_wanted: Callable[[str], bool], noted: bool) -> Below:
    """Find files below a folder, in at most 5,000 folders."""
    found = []
    for inner, folders, names in islice(os.walk(folder), _MAXIMUM_FOLDERS):
        folders[:] = sorted(each for each in folders if not each.startswith(_OUTSIDE))
        found += [os.path.join(inner, name) for name in sorted(names) if is_wanted(name)]
    state = digest(os.fsencode("\n".join(map(_identity, found)))) if noted else ""
    return Below(tuple(found), state)


def texts_of(paths: Iterable[str]) -> str:
    """Return a fingerprint of the content of some files."""
    return _texts((path, data_of(path)) for path in paths)


def texts_with(paths: Iterable[str], pattern: str) -> Below:
    """Return the files in which a regular expression finds something, each read once.

    The fingerprint is that of the content of all.
    """
    search = re.compile(pattern.encode()).search
    found = []

    def contents() -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            data = data_of(path)
            if search(data or b""):
                found.append(path)
            yield path, data

    texts = _texts(contents())
    return Below(tuple(found), texts)


def _texts(contents: Iterable[tuple[str, bytes | None]]) -> str:
    lines = (f"{path} {UNREADABLE if data is None else digest(data)}" for path, data in contents)
    return digest(os.fsencode("\n".join(lines)))


def matching(paths: Iterable[str], pattern: str) -> tuple[str, ...]:
    """Return the paths of the files in which a regular expression finds something."""
    search = re.compile(pattern.encode()).search
    return tuple(path for path in paths if search(data_of(path) or b""))


def _identity(path: str) -> str:
    try:
        about = os.stat(path)
    except OSError:
        return path
    return f"{path} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"


class Consulted:
    """Tells whether paths are still as they were; each is looked at once."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, type], State] = {}

    def unchanged(self, before: Mapping[str, State]) -> bool:
        """Return whether all of these paths are as they were."""
        return all(self._is(path, state) for path, state in before.items())

    def _is(self, path: str, state: State) -> bool:
        if not path.endswith(TEXTS) or not isinstance(state, list):
            return self._of(path, state) == state
        times, texts = state  # modules that were only touched are as they were
        modules = path.removesuffix(TEXTS) + MODULES
        return self._of(modules, times) == times or self._of(path, texts) == texts

    def _of(self, path: str, alike: State) -> State:
        key = (path, type(alike))
        if key not in self._now:
            self._now[key] = _state(path, alike)
        return self._now[key]


def _state(path: str, alike: State) -> State:
    """Return what a path is like now, in the terms of an earlier answer."""
    if path.endswith(TEXTS):
        return texts_of(modules_below(path.removesuffix(TEXTS)).paths)
    for ending, below in ((MODULES, modules_below), (REQUIREMENTS, requirements_below)):
        if path.endswith(ending):
            return below(path.removesuffix(ending)).digest
    exists = os.path.exists(path)
    if isinstance(alike, bool) or not exists:
        return exists
    return content_of(path) if isinstance(alike, str) else names_in(path)
