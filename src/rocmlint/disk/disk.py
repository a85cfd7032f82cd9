"""What lies on disk around the files of a run; each path is looked at once for all of them."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.disk.files import ON_DISK
from rocmlint.disk.questions import fingerprint, key_of
from rocmlint.disk.state import (
    MODULES,
    REQUIREMENTS,
    UNREADABLE,
    Asked,
    data_of,
    digest,
    modules_below,
    names_in,
    requirements_below,
    search_key,
    texts_with,
)
from rocmlint.text.text import with_plain_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocmlint.disk.files import Files
    from rocmlint.disk.searches import Searches
    from rocmlint.disk.state import State


class Content(NamedTuple):
    """The text of a file and the fingerprint of its bytes; empty where it cannot be read."""

    text: str
    digest: str


class Disk:
    """Answers as the disk was when a path was first asked for: made anew for each run."""

    def __init__(
        self,
        text_of: Callable[[str, bytes], str],
        files: Files = ON_DISK,
        *,
        noted: bool = True,
        searches: Searches | None = None,
    ) -> None:
        """Take what decodes the bytes of a file at a path. Know nothing but earlier ``searches``.

        Without ``noted`` all fingerprints are empty: nobody will ask what has changed since. What
        is in memory does not change.
        """
        noted = noted and files is ON_DISK
        self._searches = searches
        self.files = files
        self._text_of = text_of
        self._is_noted = noted
        self.exists = cache(files.exists)
        self.is_file = cache(files.is_file)
        self.is_folder = cache(files.is_folder)
        self.names_in = cache(partial(names_in, files=files))
        self.modules_below = cache(partial(modules_below, files=files, noted=noted))
        self.modules_with = cache(self._modules_with)
        self.requirements_below = cache(partial(requirements_below, files=files, noted=noted))
        self.read = cache(self._read)
        self.answer = cache(self._answer)

    def __reduce__(self) -> tuple[Callable[[], Disk], tuple[()]]:
        """Become, in another process, one that knows nothing yet."""
        return partial(Disk, self._text_of, self.files, noted=self._is_noted), ()

    def forget(self) -> None:
        """Let go of all that was asked: what was concluded from it may be kept for longer."""
        for each in (self.exists, self.is_file, self.is_folder, self.names_in, self.read):
            each.cache_clear()
        for below in (self.modules_below, self.modules_with, self.requirements_below):
            below.cache_clear()
        self.answer.cache_clear()

    def data_of(self, path: str) -> bytes | None:
        """Return the bytes of a small file, None where they cannot be read; not remembered."""
        return data_of(path, self.files)

    def _modules_with(self, folder: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the modules below a folder that match all patterns; each prefix is kept too."""
        if not patterns:
            return self.modules_below(folder).paths
        if self._searches is not None:
            known = self._searches.known(folder, "\0".join(patterns))
            if known is not None:
                return tuple(known)
        return texts_with(self.modules_with(folder, patterns[:-1]), patterns[-1:], self.files)

    def _answer(self, ask: Callable[..., Any], texts: tuple[str, ...]) -> tuple[Any, Asked]:
        """Answer a question, and note what it rests on."""
        view = DiskView(self)
        answer = vars(ask)["answers"](*texts, view)
        noted = fingerprint(answer) if self._is_noted else ""
        return answer, Asked(noted, view.consulted)

    def _read(self, path: str) -> Content:
        data = self.data_of(path)
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

    def is_file(self, path: str) -> bool:
        """Check whether a path leads to a file, and record whether it exists."""
        return self.exists(path) and self.disk.is_file(path)

    def is_folder(self, path: str) -> bool:
        """Check whether a path leads to a directory, and record whether it exists."""
        return self.exists(path) and self.disk.is_folder(path)

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
        """Return the paths of the modules in a directory, recursively, and record these alone.

        What is in the modules can be asked with ``modules_with``.
        """
        modules = self.disk.modules_below(folder)
        self._noted[os.path.join(folder, MODULES)] = modules.digest
        return modules.paths

    def modules_with(self, folder: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the paths of the modules below a folder whose text matches all of the patterns.

        It is noted which they are: who reads one of them depends on its content, too.
        """
        found = self.disk.modules_with(folder, patterns)
        self._noted[search_key(folder, patterns)] = [*found]
        return found

    def ask(self, ask: Callable[..., Any], texts: tuple[str, ...]) -> Any:
        """Return the answer to a question, and record it: see :mod:`rocmlint.disk.questions`."""
        answer, asked = self.disk.answer(ask, texts)
        self._noted[key_of(ask, texts)] = asked
        return answer

    def requirements_below(self, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder that declare requirements, and note them."""
        found = self.disk.requirements_below(folder)
        self._noted[os.path.join(folder, REQUIREMENTS)] = found.digest
        return found.paths
