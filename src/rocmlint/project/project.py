"""The project of a directory: which versions its files run with, and whether it is for ROCm."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.questions import question
from rocmlint.formats import is_known
from rocmlint.paths import relative
from rocmlint.project import environment, platforms
from rocmlint.project.declarations import Declarations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.config.settings import Settings
    from rocmlint.disk.disk import Disk, DiskView
    from rocmlint.project.platforms import Mention, Platform
    from rocmlint.project.versions import Candidate

_FOLDERS = ("", "docker", "requirements", "scripts", os.path.join(".github", "workflows"))
"""Where, below the root, the files lie that say which torch a project runs on."""


class Evidence(NamedTuple):
    """What shows that a project is for ROCm, in words, and the line that names it, if any."""

    reason: str
    line: str = ""


class Sign(NamedTuple):
    """Whether a project is for ROCm only, None where nothing tells; and what says so, and where."""

    is_rocm: bool | None
    reason: str
    place: str = ""
    line: str = ""


class Project(Declarations):
    """The project of the files in one directory; each question is answered once for all of them."""

    def __init__(self, folder: str, settings: Settings, disk: Disk) -> None:
        """Take a folder (absolute), the settings of its files, and what is known of the disk."""
        super().__init__(folder, settings, disk)
        self._versions: dict[str, tuple[Candidate, ...]] = {}
        self._held: dict[str, bool] = {}

    def versions(self, package: str) -> tuple[Candidate, ...]:
        """Return the versions of a package (normalized name) that the files here may run with.

        See ``rocmlint.project.versions.candidates``.
        """
        if package not in self._versions:
            from rocmlint.project.versions import candidates  # noqa: PLC0415 - loads packaging

            self._versions[package] = candidates(self, package)
        return self._versions[package]

    @property
    def decisive_places(self) -> list[str]:
        """What decides the versions and the platform that were asked for, ``path:line`` each."""
        signs = [self.rocm_sign.place] if "rocm_sign" in vars(self) else []
        places = [each.place for asked in self._versions.values() for each in asked]
        return [each for each in (*places, *signs) if each]

    def is_in_image(self, package: str) -> bool:
        """Return whether an image that the project starts from holds a package (normalized name).

        pip then keeps it where it meets what is asked for, and its version is unknown.
        """
        if package not in self._held:
            from rocmlint.project.images import is_held  # noqa: PLC0415 - loads packaging

            self._held[package] = is_held(package, self.folders, self)
        return self._held[package]

    @cached_property
    def site_folders(self) -> tuple[str, ...]:
        """The directories with the packages that the files here run with, as far as known.

        Those of the environment that is set; else, for files among installed packages, that
        directory; else none: what is next to rocmlint itself says nothing about the project.
        """
        if self.settings.environment is not None:
            return environment.site_folders(self.settings.environment)
        own = environment.site_folder(self.folder, self.disk)
        return () if own is None else (own,)

    @property
    def is_rocm(self) -> bool:
        """Whether the project is for ROCm only, by what its usual files name."""
        return self.rocm_evidence is not None

    @cached_property
    def rocm_evidence(self) -> Evidence | None:
        """What shows that the project is for ROCm only; None where nothing does."""
        sign = self.rocm_sign
        return Evidence(sign.reason, sign.line) if sign.is_rocm else None

    @cached_property
    def rocm_sign(self) -> Sign:
        """What tells whether the project is for ROCm only.

        A file whose own name says what it is for (`requirements-rocm.txt`) is one of several.
        ``[tool.rocmlint] rocm`` settles it.
        """
        settled = self.settings.rocm
        if settled is not None:
            return Sign(settled, f"the configuration has rocm = {str(settled).lower()}")
        sign = Sign(None, "no file names ROCm")
        for path in self._documents():
            if platforms.of_name(os.path.basename(path)):
                continue
            found, first = _platform_in(path, self)
            place = relative(path, self.folders[-1])
            if found not in {"rocm", ""}:
                also = ", too" if found == "mixed" else ""
                return Sign(False, f"{place} names another platform{also}", place)
            if found and sign.is_rocm is None and first:
                place = f"{place}:{first.line}"
                sign = Sign(True, f"{place} names {first.text}", place, first.whole)
        return sign

    def _documents(self) -> Iterator[str]:
        root = self.folders[-1]
        for folder in (os.path.join(root, each) if each else root for each in _FOLDERS):
            yield from _documents_in(folder, self)


@question
def _platform_in(path: str, view: DiskView) -> tuple[Platform, Mention | None]:
    """Return which GPUs a file is for, and where it first names something of ROCm."""
    text = view.read(path)
    found = platforms.of_text(text)
    return found, platforms.first_mention(text) if found == "rocm" else None


@question
def _documents_in(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the files of a folder that have a format."""
    return tuple(filter(is_known, (os.path.join(folder, each) for each in view.names_in(folder))))
