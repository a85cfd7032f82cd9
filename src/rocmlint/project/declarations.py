"""The requirements that the files of a folder, and of those above it, declare.

Nothing is run. What an answer depends on is noted, see :class:`rocmlint.disk.disk.DiskView`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.disk import DiskView
from rocmlint.disk.questions import question
from rocmlint.formats import Role, has_role
from rocmlint.paths import relative
from rocmlint.project.inclusions import Listed, parts_of, with_inclusions
from rocmlint.project.records import is_machine_record
from rocmlint.project.released import released, unreadable

if TYPE_CHECKING:
    from rocmlint.config.settings import Settings
    from rocmlint.disk.disk import Disk
    from rocmlint.formats.model import Declared

_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
"""What makes the working folder, without a configuration, that of a project."""

DISTRIBUTED = ("pyproject.toml", "setup.py", "setup.cfg", "PKG-INFO")
"""The files that describe a package that is to be built."""
_DECLARING = ("requirements", "environment.y", "Pipfile", *DISTRIBUTED)
"""How files begin that say what to install."""


class Requirement(NamedTuple):
    """A declared requirement, and the file that declares it."""

    path: str
    declared: Declared


class Declarations(DiskView):
    """What the files of a folder and of those above it declare; each is read once."""

    def __init__(self, folder: str, settings: Settings, disk: Disk) -> None:
        """Take a folder (absolute), the settings of its files, and what is known of the disk."""
        super().__init__(disk)
        self.folder = folder
        self.settings = settings
        self._declared: dict[str, tuple[Requirement, ...]] = {}

    def requirements(self, package: str) -> tuple[Requirement, ...]:
        """Return the requirements of a package (by its normalized name) in this directory.

        They are those of the nearest folder that has any, from this one up to the root of the
        repository.
        """
        for folder in self.folders:
            found = tuple(
                each for each in self.declared_in(folder) if each.declared.name == package
            )
            if found:
                return found
        return ()

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The directories from this one up to the root of the project, the nearest first.

        The root is that of the repository. Without one it is the folder that is linted or, where
        that lies further up or a file is linted alone, that of the configuration.
        """
        found = [self.folder]
        while not self.exists(os.path.join(found[-1], ".git")):
            parent = os.path.dirname(found[-1])
            if parent == found[-1]:
                return self._up_to(self._outermost(), found)
            found.append(parent)
        return tuple(found)

    def _up_to(self, root: str, folders: list[str]) -> tuple[str, ...]:
        inside = root in folders
        return tuple(folders[: folders.index(root) + 1]) if inside else (folders[0],)

    def _outermost(self) -> str:
        """Return the root of a project that is not a repository."""
        root, linted = self.settings.root or os.getcwd(), self.settings.linted
        if not linted or not linted.startswith(os.path.join(root, "")):
            return linted or root
        is_project = bool(self.settings.sources) or any(
            self.exists(os.path.join(root, mark)) for mark in _MARKS
        )
        return root if is_project else linted

    def declared_in(self, folder: str) -> tuple[Requirement, ...]:
        """Return the requirements that the files in one directory declare or include."""
        if folder not in self._declared:
            self._declared[folder] = _declared_by(folder, self.folders[-1], self)
        return self._declared[folder]

    @property
    def declared_below_root(self) -> tuple[Requirement, ...]:
        """The requirements of all projects below the root: what an exact answer may not use."""
        return _declared_in(self.requirements_below(self.folders[-1]), self.disk)

    def place_of(self, requirement: Requirement) -> str:
        """Return where a requirement is declared, ``path:line`` from the root of the project.

        There is no line where the text is not the file's, as for a block of a README.
        """
        line = str(requirement.declared.span.line)
        inside = relative(requirement.path, self.folders[-1])
        is_there = _is_on_line(requirement.declared.name, line, requirement.path, self)
        return f"{inside}:{line}" if is_there else inside


@question
def _is_on_line(name: str, line: str, path: str, view: DiskView) -> bool:
    """Return whether a line of a file (from 1) has a normalized name."""
    lines = view.read(path).split("\n")[int(line) - 1 :][:1]
    return any(name in each.lower().replace("_", "-") for each in lines)


@question
def _declared_by(folder: str, root: str, view: DiskView) -> tuple[Requirement, ...]:
    """Return the requirements that the files in one directory declare or include."""
    own = (
        Listed(each, parts_of(each, view.read(each)))
        for each in _that_declare(folder, view)
        if not is_machine_record(each, root, view)
    )
    return (
        *(
            Requirement(path, replace(each, constraint=True) if constraint else each)
            for path, parts, constraint in with_inclusions(own, view.read)
            for each in (*parts.declared, *unreadable(parts))
        ),
        *(Requirement(*each) for each in released(folder, view)),
    )


def _that_declare(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the files of a folder, and below it, that may have requirements."""
    names = view.names_in(folder)
    paths = [os.path.join(folder, name) for name in names]
    if "requirements" in names:
        inner = os.path.join(folder, "requirements")
        paths += (os.path.join(inner, name) for name in view.names_in(inner))
    return tuple(each for each in paths if has_role(each, Role.DECLARES))


@lru_cache(maxsize=4)
def _declared_in(paths: tuple[str, ...], disk: Disk) -> tuple[Requirement, ...]:
    """Return what files declare; the view of each folder has noted that they may change."""
    return tuple(
        Requirement(path, each)
        for path in paths
        for each in parts_of(path, disk.read(path).text).declared
    )


@question
def says_what_to_install(folder: str, view: DiskView) -> bool:
    """Return whether a file of a folder is called as those are that say what to install."""
    return any(each.startswith(_DECLARING) for each in view.names_in(folder))
