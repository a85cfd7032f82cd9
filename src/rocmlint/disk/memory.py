"""Files in memory, in place of those on disk."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import MAXIMUM_BYTES, too_large

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Missing(NamedTuple):
    """Why a file that is known to exist cannot be read, such as "has no content"."""

    reason: str


Content = bytes | memoryview | Missing
"""The bytes of a file in memory: a view of them is copied only when the file is read."""


class _Entry(NamedTuple):
    name: str
    path: str
    is_folder: bool

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - there are no links
        return self.is_folder

    def is_file(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002
        return not self.is_folder

    def is_symlink(self) -> bool:
        return False


class InMemory:
    """Files that are held in memory: nothing of this machine's disk is seen beside them."""

    def __init__(self, contents: Mapping[str, Content], folders: Iterable[str] = ()) -> None:
        """Take the content of each file, by its absolute path; ``folders`` may be empty."""
        self._contents = dict(contents)
        self._folders: dict[str, dict[str, bool]] = {}
        for path in self._contents:
            self._add(path, is_folder=False)
        for path in folders:
            self._folders.setdefault(path, {})
            self._add(path, is_folder=True)

    def _add(self, path: str, *, is_folder: bool) -> None:
        """Enter a path into its directory, and that into its own, up to the first known one."""
        while True:
            above, name = os.path.split(path)
            is_known = above in self._folders
            self._folders.setdefault(above, {})
            if name:
                self._folders[above][name] = is_folder
            if is_known or above == path:
                return
            path, is_folder = above, True

    def exists(self, path: str) -> bool:
        """Return whether there is something at a path."""
        return self.is_file(path) or self.is_folder(path)

    def is_file(self, path: str) -> bool:
        """Return whether a path is that of a file."""
        return os.path.normpath(path) in self._contents

    def is_folder(self, path: str) -> bool:
        """Return whether a path is that of a directory."""
        return os.path.normpath(path) in self._folders

    def size(self, path: str) -> int:
        """Return the bytes of a file. Raises OSError."""
        return len(self._readable(path))

    def read(self, path: str, limit: int = MAXIMUM_BYTES) -> bytes:
        """Return the content of a file of at most ``limit`` bytes. Raises OSError."""
        data = self._readable(path)
        if len(data) > limit:
            raise too_large(path, limit)
        return bytes(data)

    def start_of(self, path: str, size: int) -> bytes:
        """Return the first bytes of a file. Raises OSError."""
        return bytes(self._readable(path)[:size])

    def _readable(self, path: str) -> bytes | memoryview:
        content = self._contents.get(os.path.normpath(path))
        if content is None:
            raise _not_found(path)
        if isinstance(content, Missing):
            raise OSError(errno.EIO, content.reason, path)
        return content

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a directory. Raises OSError."""
        return [*self._in(folder)]

    def entries(self, folder: str) -> list[_Entry]:
        """Return what stands in a directory. Raises OSError."""
        return [
            _Entry(name, os.path.join(folder, name), is_folder)
            for name, is_folder in self._in(folder).items()
        ]

    def _in(self, folder: str) -> dict[str, bool]:
        found = self._folders.get(os.path.normpath(folder))
        if found is None:
            raise _not_found(folder)
        return found

    def walk(self, folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield the directories below one, as :func:`os.walk` does."""
        inside = self._folders.get(os.path.normpath(folder))
        if inside is None:
            return
        folders = [name for name, is_folder in inside.items() if is_folder]
        yield folder, folders, [name for name, is_folder in inside.items() if not is_folder]
        for name in folders:
            yield from self.walk(os.path.join(folder, name))

    def forget(self) -> None:
        """Let go of all contents: what was told of the files may be remembered longer."""
        self._contents.clear()
        self._folders.clear()


def _not_found(path: str) -> OSError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
