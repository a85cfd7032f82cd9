"""The files of a project: found once, bounded, and read only where a word is looked for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.source.decoding import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FILES, _MOST_FOLDERS = 3000, 3000
_LARGEST = 1_000_000
_ENDINGS = (
    *(".py", ".ipynb", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".sh", ".bash"),
    *(".slurm", ".sbatch"),
)
_NOT_ENTERED = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages"})
_OF_ENVIRONMENT = frozenset({"pyvenv.cfg", "conda-meta"})


@dataclass
class ProjectFiles:
    """Python, notebooks, scripts and settings below a directory.

    At most 3,000 files of up to 1 MB; hidden directories and environments are left out. Paths are
    relative to the directory.
    """

    root: str
    findings: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    """Where a rule reports something in some of them, as it was found once."""
    _texts: dict[str, str] = field(default_factory=dict)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All of them, those at the root first."""
        return tuple(self._found())

    @cached_property
    def python(self) -> tuple[str, ...]:
        """The Python files."""
        return tuple(each for each in self.paths if each.endswith(".py"))

    def with_word(self, *words: str) -> Iterator[tuple[str, str]]:
        """Yield the path and the text of each file that contains one of the words."""
        encoded = [each.encode() for each in words]
        for path in self.paths:
            data = self._data(path)
            if data is not None and any(each in data for each in encoded):
                yield path, self.text(path)

    def text(self, path: str) -> str:
        """Return the text of a file, of a notebook the code of its cells; empty if unreadable."""
        if path not in self._texts:
            data = self._data(path)
            try:
                self._texts[path] = text_of(path, data) if data else ""
            except (SyntaxError, ValueError):
                self._texts[path] = ""
        return self._texts[path]

    def of_frame(self, file: str) -> str:
        """Return the file of the project that a frame's path ends in; empty if there is none.

        A log of another machine has the same files in another directory.
        """
        written = file.replace("\\", "/")
        for path in self.paths:
            own = path.replace(os.sep, "/")
            if written == own or written.endswith("/" + own):
                return path
        return ""

    def _data(self, path: str) -> bytes | None:
        try:
            return read_small(os.path.join(self.root, path), _LARGEST)
        except OSError:
            return None

    def _found(self) -> Iterator[str]:
        waiting, count = [""], 0
        for number, folder in enumerate(waiting):
            if number >= _MOST_FOLDERS:
                return
            try:
                entries = sorted(
                    os.scandir(os.path.join(self.root, folder)), key=lambda each: each.name
                )
            except OSError:
                continue
            if folder and any(each.name in _OF_ENVIRONMENT for each in entries):
                continue
            for each in entries:
                path = os.path.join(folder, each.name)
                if each.is_dir(follow_symlinks=False):
                    if not each.name.startswith(".") and each.name not in _NOT_ENTERED:
                        waiting.append(path)
                elif each.name.endswith(_ENDINGS) and each.is_file():
                    count += 1
                    if count > _MOST_FILES:
                        return
                    yield path
