"""What lies on disk around the files of a run; each path is looked at once for all of them."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.state import (
    MODULES,
    REQUIREMENTS,
    TEXTS,
    UNREADABLE,
    data_of,
    digest,
    matching,
    modules_below,
    names_in,
    requirements_below,
    texts_of,
    texts_with,
)
from rocmlint.text.text import with_plain_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocmlint.disk.state import State


class Content(NamedTuple):
    """The text of a file and the fingerprint of its bytes; empty where it cannot be read."""

    text: str
    digest: str


class Disk:
    """Answers as the disk was when a path was first asked for: made anew for each run."""

    def __init__(self, text_of: Callable[[str, bytes], str], *, noted: bool = True) -> None:
        """Take what decodes the bytes of a file at a path. Know nothing yet.

        Without ``noted`` all fingerprints are empty: nobody will ask what has changed since.
        """
        self._text_of = text_of
        self._is_noted = noted
        self.exists = cache(os.path.exists)
        self.names_in = cache(names_in)
        self.modules_below = cache(partial(modules_below, noted=noted))
        self.modules_with = cache(self._modules_with)
        self.requirements_below = cache(partial(requirements_below, noted=noted))
        self.read = cache(self._read)
        self._texts: dict[str, str] = {}

    def __reduce__(self) -> tuple[Callable[[], Disk], tuple[()]]:
        """Become, in another process, one that knows nothing yet."""
        return partial(Disk, self._text_of, noted=self._is_noted), ()

    def texts_below(self, folder: str) -> str:
        """Return a fingerprint of the content of all modules below a folder."""
        if not self._is_noted:
            return ""
        if folder not in self._texts:
            self._texts[folder] = texts_of(self.modules_below(folder).paths)
        return self._texts[folder]

    def _modules_with(self, folder: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the modules below a folder that match all patterns; each prefix is kept too."""
        if not patterns:
            return self.modules_below(folder).paths
        paths = self.modules_with(folder, patterns[:-1])
        if len(patterns) > 1 or folder in self._texts or not self._is_noted:
            return matching(paths, patterns[-1])
        found = texts_with(paths, patterns[-1])  # one look at all of them tells both
        self._texts[folder] = found.digest
        return found.paths

    def _read(self, path: str) -> Content:
        data = data_of(path)
        if data is None:
            return Content("", UNREADABLE)
        try:
            text = self._text_of(path, data)
        except (SyntaxError, ValueError):
            text = with_plain_ends(data.decode("utf-8", "replace"))
        return Content(text, digest(data) if self._is_noted else "")


class DiskView:
    """The disk as one file or folder sees it: what it asks for is noted.

    The findings of a file depend on what was noted, and the cache forgets them when it changes.
    """

    def __init__(self, disk: Disk) -> None:
        """Take what is known of the disk."""
        self.disk = disk
        self._noted: dict[str, State] = {}

    @property
    def consulted(self) -> Mapping[str, State]:
        """The paths that were read, and their state."""
        return self._noted

    def exists(self, path: str) -> bool:
        """Check whether a path exists, and record the answer."""
        found = self.disk.exists(path)
        self._noted.setdefault(path, found)
        return found

    def read(self, path: str) -> str:
        """Return the text of a file, and record its content; empty if it cannot be read."""
        content = self.disk.read(path)
        self._noted[path] = self.disk.exists(path) and content.digest
        return content.text

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a directory, sorted, and record them; none if it cannot be read."""
        names = self.disk.names_in(folder)
        self._noted[folder] = self.disk.exists(folder) and names
        return names

    def modules_below(self, folder: str) -> tuple[str, ...]:
        """Return the paths of the modules in a directory, recursively, and record them."""
        modules = self.disk.modules_below(folder)
        self._noted[os.path.join(folder, MODULES)] = modules.digest
        return modules.paths

    def modules_with(self, folder: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the paths of the modules below a folder whose text matches all of the patterns.

        It is noted that any of these texts may change.
        """
        times, found = (
            self.disk.modules_below(folder).digest,
            self.disk.modules_with(folder, patterns),
        )
        self._noted[os.path.join(folder, TEXTS)] = [times, self.disk.texts_below(folder)]
        return found

    def requirements_below(self, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder that declare requirements, and note them."""
        found = self.disk.requirements_below(folder)
        self._noted[os.path.join(folder, REQUIREMENTS)] = found.digest
        return found.paths
