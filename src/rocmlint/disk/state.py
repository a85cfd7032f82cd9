"""What the paths around a file were like when it was linted: what was found hangs on that."""

from __future__ import annotations

import os
import re
from _blake2 import blake2b  # hashlib would load OpenSSL: a tenth of a whole start
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rocmlint.disk.files import ON_DISK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rocmlint.disk.files import Files

    Search = Any
    """The method ``search`` of a compiled expression for bytes."""
    State: TypeAlias = "bool | str | list[str] | Asked"
    """False for a path where nothing is; else a digest of a file's content, the names in a folder
    or the paths that a search found, or True where only that was asked. Of a question what it was
    answered."""


class Asked(NamedTuple):
    """What is noted of a question: the fingerprint of its answer, and what it has read."""

    answer: str
    read: Mapping[str, Any]


UNREADABLE = ""
MODULES = os.path.join("**", "*.py")
"""Stands below a folder for all of its modules, as in a glob; what follows for those with it."""
SEARCH = os.path.join(MODULES, "")
"""Is between a folder and the patterns that the text of its modules is searched for."""
REQUIREMENTS = os.path.join("**", "requirements*")
"""Stands below a folder for all files that declare what its projects require."""
_MAXIMUM_FOLDERS = 5000
_OUTSIDE = (".", "__pycache__", "site-packages", "node_modules")
"""How folders begin that hold nothing of the project around them."""
TICK = 50_000_000
"""Nanoseconds: a file changed so shortly before it was read may change again unseen."""
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
    return Below(paths, digest_of(paths) if noted else "")


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
    return digest_of(map(_identity, paths))


def texts_with(
    paths: Iterable[str], patterns: Iterable[str], files: Files = ON_DISK
) -> tuple[str, ...]:
    """Return the files in which all of the regular expressions find something."""
    searches = [re.compile(pattern.encode()).search for pattern in patterns]
    return tuple(path for path in paths if _has_all(data_of(path, files) or b"", searches))


def _has_all(data: bytes, searches: Iterable[Search]) -> bool:
    return all(search(data) for search in searches)


def search_key(folder: str, patterns: Iterable[str]) -> str:
    """Return what stands for the modules below a folder whose text matches all patterns."""
    return os.path.join(folder, MODULES, "\0".join(patterns))


def digest_of(lines: Iterable[str]) -> str:
    """Return the fingerprint of some lines."""
    return digest(os.fsencode("\n".join(lines)))


def _identity(path: str) -> str:
    try:
        about = os.stat(path)
    except OSError:
        return path
    return f"{path} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"


def state_of(path: str, alike: State) -> State:
    """Return what a path is like now, in the terms of an earlier answer."""
    if path.endswith(REQUIREMENTS):
        return requirements_below(path.removesuffix(REQUIREMENTS)).digest
    exists = os.path.exists(path)
    if isinstance(alike, bool) or not exists:
        return exists
    return content_of(path) if isinstance(alike, str) else names_in(path)
