"""What the files around a file declare: the requirements of its project, and whether it is ROCm's.

Nothing is run. What an answer hangs on is noted in the file (see :class:`File.consulted`).
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import format_of
from rocmlint.project import platforms
from rocmlint.project.inclusions import Listed, parts_of, with_inclusions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Declared
    from rocmlint.project.versions import Candidate
    from rocmlint.source.file import File

_FOLDERS = ("", "docker", "requirements", "scripts", os.path.join(".github", "workflows"))
"""Where, below the root, the files lie that say which torch a project runs on."""


class Requirement(NamedTuple):
    """A declared requirement, and the file that declares it."""

    path: str
    declared: Declared


class Project:
    """The project of one file; each question is answered once."""

    def __init__(self, file: File) -> None:
        """Take the file."""
        self._file = file
        self._declared: dict[str, tuple[Requirement, ...]] = {}
        self._versions: dict[str, tuple[Candidate, ...]] = {}

    def requirements(self, package: str) -> tuple[Requirement, ...]:
        """Give the requirements of a package (by its normalized name) that hold for the file.

        They are those of the nearest folder that has any, from the folder of the file up to the
        root of the repository.
        """
        for folder in self.folders:
            found = tuple(
                each for each in self.declared_in(folder) if each.declared.name == package
            )
            if found:
                return found
        return ()

    def brought(self, package: str) -> tuple[Requirement, ...]:
        """Give the requirements of a package that the file brings itself: a script, a notebook."""
        from rocmlint.project.inline import brought  # noqa: PLC0415 - few files are asked

        return tuple(Requirement(self._file.path, each) for each in brought(package, self._file))

    def mentioned_in(self, folder: str, package: str) -> tuple[Requirement, ...]:
        """Give what the files of a folder say of a package only where no tool reads it."""
        from rocmlint.project.hints import mentioned  # noqa: PLC0415 - few files are asked

        return tuple(Requirement(*each) for each in mentioned(package, folder, self._file))

    def versions(self, package: str) -> tuple[Candidate, ...]:
        """Give the versions of a package that the file may run with: see `lint.versions`."""
        if package not in self._versions:
            from rocmlint.project.versions import candidates  # noqa: PLC0415 - few files ask

            self._versions[package] = candidates(self._file, package)
        return self._versions[package]

    @cached_property
    def is_rocm(self) -> bool:
        """Whether the project is for ROCm and nothing else, by what its usual places name.

        A file whose own name says what it is for (`requirements-rocm.txt`) is one of several.
        ``[tool.rocmlint] rocm`` settles it.
        """
        settled = self._file.settings.rocm
        if settled is not None:
            return settled
        found = {
            platforms.of_text(self._file.read(path))
            for path in self._documents()
            if not platforms.of_name(os.path.basename(path))
        }
        return found - {""} == {"rocm"}

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The folders from the file's own up to the root of its repository, the nearest first.

        Without a repository the root is the nearest folder with the mark of a project.
        """
        found = [os.path.dirname(os.path.abspath(self._file.path))]
        while not self._file.exists(os.path.join(found[-1], ".git")):
            parent = os.path.dirname(found[-1])
            if parent == found[-1]:
                return self._up_to_mark(found)
            found.append(parent)
        return tuple(found)

    def _up_to_mark(self, folders: list[str]) -> tuple[str, ...]:
        marks = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
        for index, folder in enumerate(folders):
            if any(self._file.exists(os.path.join(folder, mark)) for mark in marks):
                return tuple(folders[: index + 1])
        return (folders[0],)

    def declared_in(self, folder: str) -> tuple[Requirement, ...]:
        """Give the requirements that the files of one folder declare, and those they include."""
        if folder not in self._declared:
            self._declared[folder] = tuple(self._read(folder))
        return self._declared[folder]

    def _read(self, folder: str) -> Iterator[Requirement]:
        names = self._file.names_in(folder)
        paths = [os.path.join(folder, name) for name in names]
        if "requirements" in names:
            inner = os.path.join(folder, "requirements")
            paths += [os.path.join(inner, name) for name in self._file.names_in(inner)]
        own = (
            Listed(path, parts_of(path, self._file.read(path))) for path in paths if _declares(path)
        )
        for path, parts, constraint in with_inclusions(own, self._file.read):
            for each in parts.declared:
                yield Requirement(path, replace(each, constraint=True) if constraint else each)

    def _documents(self) -> Iterator[str]:
        root = self.folders[-1]
        for folder in (os.path.join(root, each) if each else root for each in _FOLDERS):
            for name in self._file.names_in(folder):
                path = os.path.join(folder, name)
                if format_of(path) is not None:
                    yield path


def _declares(path: str) -> bool:
    """Say whether requirements may stand in a file."""
    found = format_of(path)
    return found is not None and found.declares
