"""Where a run finds files: the questions that it asks, and the disk of this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from rocmlint.disk.read import MAXIMUM_BYTES, read_small

if TYPE_CHECKING:
    from collections.abc import Iterable


class Entry(Protocol):
    """What stands in a directory; :class:`os.DirEntry` is one."""

    @property
    def name(self) -> str:
        """The name in the directory."""

    @property
    def path(self) -> str:
        """The directory and the name."""

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a directory."""

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a file."""

    def is_symlink(self) -> bool:
        """Return whether it is a link."""


class Files(Protocol):
    """What linting asks of a file system; paths are absolute but for those of a command."""

    def __hash__(self) -> int:
        """Tell one from another: answers are kept by whom they were got from."""

    def exists(self, path: str) -> bool:
        """Return whether there is something at a path."""

    def is_file(self, path: str) -> bool:
        """Return whether a path leads to a file."""

    def is_folder(self, path: str) -> bool:
        """Return whether a path leads to a directory."""

    def size(self, path: str) -> int:
        """Return the bytes of a file. Raises OSError."""

    def read(self, path: str, limit: int = MAXIMUM_BYTES) -> bytes:
        """Return the content of a file of at most ``limit`` bytes. Raises OSError."""

    def start_of(self, path: str, size: int) -> bytes:
        """Return the first bytes of a file, however large it is. Raises OSError."""

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a directory. Raises OSError."""

    def entries(self, folder: str) -> Iterable[Entry]:
        """Return what stands in a directory. Raises OSError."""

    def walk(self, folder: str) -> Iterable[tuple[str, list[str], list[str]]]:
        """Yield the directories below one, as :func:`os.walk` does."""


class _OnDisk:
    """The file system of this machine."""

    exists = staticmethod(os.path.exists)
    is_file = staticmethod(os.path.isfile)
    is_folder = staticmethod(os.path.isdir)
    size = staticmethod(os.path.getsize)
    read = staticmethod(read_small)
    names_in = staticmethod(os.listdir)
    walk = staticmethod(os.walk)

    def entries(self, folder: str) -> Iterable[Entry]:
        """Return what stands in a directory."""
        return os.scandir(folder)

    def start_of(self, path: str, size: int) -> bytes:
        """Return the first bytes of a file."""
        with open(path, "rb", buffering=0) as file:
            return file.read(size) or b""

    def __reduce__(self) -> str:
        """Be the same one in another process."""
        return "ON_DISK"


ON_DISK: Files = _OnDisk()
