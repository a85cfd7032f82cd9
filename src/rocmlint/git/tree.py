"""The files of a commit, as they are recorded, written to a folder: no filter, no attribute."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import MAXIMUM_READ, read_small
from rocmlint.git.command import GitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rocmlint.git.command import Git

    IsRead = Callable[[str, int], bool]

LINK, SUBMODULE = "120000", "160000"
_POINTER = b"version https://git-lfs.github.com/spec/"
_LARGEST_POINTER = 1024
_LARGEST_LISTING = 500_000_000
"""Bytes of a list of files; a tree can name itself again and again."""
_LARGEST = 20_000_000_000
"""Bytes of all files that are written."""
_PARTIAL = (
    "this clone is a partial one that has not all files of the commit; "
    "fetch them with `git fetch --refetch --no-filter`"
)
_FIELDS = 3
"""Fields of a line that ``git cat-file`` prints for an object: its hash, its type and its size."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class TreeEntry(NamedTuple):
    """One file of a commit: its path has the separators of this system."""

    mode: str
    hash: str
    path: str


class WrittenFiles(NamedTuple):
    """The paths of the files that were written, without links.

    Git LFS has the content of some ``elsewhere``: these are its pointers.
    """

    paths: Sequence[str]
    elsewhere: Sequence[str]


def entries(git: Git, commit: str) -> list[TreeEntry]:
    """Return the files of a commit, links and submodules among them. Raises GitError."""
    with git.fed((), "ls-tree", "-r", "-z", "--full-tree", commit) as stream:
        listed = stream.read(_LARGEST_LISTING)
        if stream.read(1):
            message = f"ls-tree: {commit} has too many files"
            raise GitError(message)
    found = []
    for line in filter(None, listed.split(b"\0")):
        about, _, path = line.partition(b"\t")
        mode, _, name = about.decode().split(" ")
        found.append(TreeEntry(mode, name, os.fsdecode(path).replace("/", os.sep)))
    return [entry for entry in found if _is_harmless(entry.path)]


def export(git: Git, commit: str, folder: str, is_read: IsRead) -> WrittenFiles:
    """Write the files of a commit below a folder, which must be empty. Raises GitError.

    Of a file that is not read (by its path and size) only name and size are written. Submodules
    become empty folders, as in a clone without them.
    """
    found = entries(git, commit)
    files = [each for each in found if each.mode not in {LINK, SUBMODULE}]
    links = [each for each in found if each.mode == LINK]
    sizes = _sizes(git, [*files, *links])
    folders = _Folders(folder)
    for each in found:
        if each.mode == SUBMODULE:
            folders.make(os.path.join(folder, each.path))
    read = [each for each in files if is_read(each.path, sizes[each.hash])]
    if sum(sizes[each.hash] for each in read) > _LARGEST:
        message = f"the files of {commit} are larger than {_LARGEST / 1e9:g} GB"
        raise GitError(message)
    for each in {*files} - {*read}:
        folders.write(each.path, b"", sizes[each.hash])
    stored = _Stored(git)
    elsewhere = []
    for each, data in _contents(git, read):
        whole = stored.content(data)
        if whole is None:
            elsewhere.append(each.path)
        folders.write(each.path, data if whole is None else whole)
    for each, data in _contents(git, links):  # last, so that nothing is written through one
        folders.link(each.path, data)
    return WrittenFiles([each.path for each in files], elsewhere)


class _Folders:
    """Writes below a folder, and makes what folders that needs."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._made = {root}

    def make(self, folder: str) -> None:
        if folder not in self._made:
            os.makedirs(folder, exist_ok=True)
            self._made.add(folder)

    def write(self, path: str, data: bytes, size: int = 0) -> None:
        place = os.path.join(self._root, path)
        try:
            self.make(os.path.dirname(place))
            with open(place, "xb", buffering=0) as file:
                file.write(data)
                if size > len(data):
                    file.truncate(size)  # takes no room
        except OSError as error:  # a name that this system cannot have
            if error.errno in _FULL:
                message = f"cannot write to {self._root}: {error.strerror}"
                raise GitError(message) from error

    def link(self, path: str, target: bytes) -> None:
        place = os.path.join(self._root, path)
        with suppress(OSError, ValueError):
            self.make(os.path.dirname(place))
            os.symlink(os.fsdecode(target), place)


class _Stored:
    """The contents that Git LFS stores outside the objects of a repository."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._folder: str | None = None

    def content(self, data: bytes) -> bytes | None:
        """Return what a file is: its own data, or what a pointer of Git LFS names, None without."""
        if not data.startswith(_POINTER) or len(data) > _LARGEST_POINTER:
            return data
        fields = dict(line.partition(b" ")[::2] for line in data.splitlines())
        kind, _, name = fields.get(b"oid", b"").decode("ascii", "replace").partition(":")
        if kind != "sha256" or len(name) != 64 or not name.isalnum():
            return data
        path = os.path.join(self._objects(), name[:2], name[2:4], name)
        try:
            return read_small(path, MAXIMUM_READ)
        except OSError:
            return None

    def _objects(self) -> str:
        if self._folder is None:
            common = self._git.answer("rev-parse", "--git-common-dir").line
            self._folder = os.path.join(self._git.folder, common, "lfs", "objects")
        return self._folder


def _is_harmless(path: str) -> bool:
    """Return whether a path stays below its folder, and out of what git keeps there."""
    parts = path.split(os.sep)
    drive, _ = os.path.splitdrive(path)
    odd = any(part in {"", os.curdir, os.pardir} or part.lower() == ".git" for part in parts)
    return not (odd or drive or "\0" in path)


def _sizes(git: Git, wanted: Iterable[TreeEntry]) -> dict[str, int]:
    hashes = dict.fromkeys(each.hash for each in wanted)
    try:
        with git.fed(hashes, "cat-file", "--batch-check", "--buffer") as stream:
            objects = [line.decode().split() for line in stream]
    except GitError as error:
        raise GitError(_PARTIAL if "promisor" in str(error) else str(error)) from error
    if any(len(each) != _FIELDS for each in objects):
        raise GitError(_PARTIAL)
    return {name: int(size) for name, _, size in objects}


def _contents(git: Git, wanted: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bytes]]:
    hashes = (each.hash for each in wanted)
    with git.fed(hashes, "cat-file", "--batch", "--buffer") as stream:
        for each in wanted:
            yield each, _next(stream)


def _next(stream: IO[bytes]) -> bytes:
    """Read one object: its head, its data, and the line end behind it."""
    head = stream.readline().split()
    if len(head) != _FIELDS:
        message = "git cat-file: cannot read an object"
        raise GitError(message)
    data = stream.read(int(head[2]))
    stream.read(1)
    return data
