"""What the paths around a file were like when it was linted: what was found hangs on that."""

from __future__ import annotations

import os
import re
from _blake2 import blake2b  # hashlib would load OpenSSL: a tenth of a whole start
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.files import ON_DISK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.disk.files import Files

    State = bool | str | list[str]
    """False for a path where nothing is; else a digest of a file's content, the names in a folder,
    or True where only that was asked."""

UNREADABLE = ""
MODULES = os.path.join("**", "*.py")
"""Stands below a folder for all of its modules, as in a glob; what follows for those with it."""
QUESTION = os.path.join(MODULES, "")
"""Is between a folder and the patterns that the text of its modules is searched for."""
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


def data_of(path: str, files: Files = ON_DISK) -> bytes | None:
    """Return the bytes of a small file, None where they cannot be read."""
    try:
        return files.read(path)
    except OSError:
        return None


def content_of(path: str) -> str:
    """Return the fingerprint of a file on disk, ``UNREADABLE`` where there is none to read."""
    data = data_of(path)
    return UNREADABLE if data is None else digest(data)


def names_in(folder: str, files: Files = ON_DISK) -> list[str]:
    """Return the names in a folder, sorted; none where it cannot be read.

    That of the cache is left out, which the first run makes after it has looked.
    """
    try:
        return sorted(name for name in files.names_in(folder) if name != CACHE)
    except (OSError, ValueError):
        return []


class Below(NamedTuple):
    """The paths of some files below a folder, and a fingerprint of what was asked of them.

    That is empty where it was not asked for.
    """

    paths: tuple[str, ...]
    digest: str


def modules_below(folder: str, files: Files = ON_DISK, *, noted: bool = True) -> Below:
    """Find the modules below a folder; the fingerprint is that of their paths."""
    paths = _below(folder, lambda name: name.endswith(".py"), files)
    return Below(paths, _digest_of(paths) if noted else "")


def requirements_below(folder: str, files: Files = ON_DISK, *, noted: bool = True) -> Below:
    """Find the files below a folder that declare what the project in theirs requires.

    The fingerprint changes with any of them.
    """
    paths = _below(folder, lambda name: name in _OF_PROJECTS, files)
    return Below(paths, times_of(paths) if noted else "")


_OF_PROJECTS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"})


def _below(folder: str, is_wanted: Callable[[str], bool], among: Files) -> tuple[str, ...]:
    """Find files below a folder, in at most 5,000 folders; ``os.walk`` takes twice as long."""
    found: list[str] = []
    waiting = [folder]
    for _ in range(_MAXIMUM_FOLDERS):
        if not waiting:
            break
        above = os.path.join(waiting.pop(), "")
        try:
            entries = sorted(among.entries(above), key=lambda entry: entry.name, reverse=True)
        except OSError:
            continue
        files = []
        for each in entries:
            if each.is_dir(follow_symlinks=False):
                waiting += [] if each.name.startswith(_OUTSIDE) else [above + each.name]
            elif is_wanted(each.name):
                files.append(above + each.name)
        found += reversed(files)
    return tuple(found)


def times_of(paths: Iterable[str]) -> str:
    """Return a fingerprint of when some files changed, which needs no look into them."""
    return _digest_of(map(_identity, paths))


def texts_with(
    paths: Iterable[str], patterns: Iterable[str], files: Files = ON_DISK, *, noted: bool = True
) -> Below:
    """Return the files in which all of the regular expressions find something.

    The fingerprint is that of their content.
    """
    searches = [re.compile(pattern.encode()).search for pattern in patterns]
    found = {}
    for path in paths:
        data = data_of(path, files) or b""
        if all(search(data) for search in searches):
            found[path] = digest(data) if noted else ""
    texts = _digest_of(f"{path} {text}" for path, text in found.items()) if noted else ""
    return Below(tuple(found), texts)


def question(folder: str, patterns: Iterable[str]) -> str:
    """Return what stands for the modules below a folder whose text matches all patterns."""
    return os.path.join(folder, MODULES, "\0".join(patterns))


def _digest_of(lines: Iterable[str]) -> str:
    return digest(os.fsencode("\n".join(lines)))


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
        self._modules = cache(partial(modules_below, noted=False))
        self._times = cache(lambda folder: times_of(self._modules(folder).paths))

    def is_unchanged(self, path: str, state: State) -> bool:
        """Return whether a path is as it was."""
        folder, found, _ = path.partition(QUESTION)
        if found and isinstance(state, list):
            times, texts, *_ = (
                *state,
                "",
                "",
            )  # where no module changed, none needs to be searched again
            return self._times(folder) == times or self._of(path, texts) == texts
        return self._of(path, state) == state

    def _of(self, path: str, alike: State) -> State:
        key = (path, type(alike))
        if key not in self._now:
            self._now[key] = self._state(path, alike)
        return self._now[key]

    def _state(self, path: str, alike: State) -> State:
        folder, found, patterns = path.partition(QUESTION)
        if found:
            return texts_with(self._modules(folder).paths, patterns.split("\0")).digest
        if path.endswith(MODULES):
            return _digest_of(self._modules(path.removesuffix(MODULES)).paths)
        return _state(path, alike)


def _state(path: str, alike: State) -> State:
    """Return what a path is like now, in the terms of an earlier answer."""
    if path.endswith(REQUIREMENTS):
        return requirements_below(path.removesuffix(REQUIREMENTS)).digest
    exists = os.path.exists(path)
    if isinstance(alike, bool) or not exists:
        return exists
    return content_of(path) if isinstance(alike, str) else names_in(path)
