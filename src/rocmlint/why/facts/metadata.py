"""Installed packages, read from files alone: versions, owners of files, the build of torch."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.project.environment import site_folders
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

_RECORD = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*)\.(?:dist|egg)-info\Z")
_LARGEST = 20_000_000


class Installed(NamedTuple):
    """A distribution: its name as written, its version, and its ``.dist-info``."""

    name: str
    version: Version
    record: str

    @property
    def site(self) -> str:
        """The folder that it is installed into."""
        return os.path.dirname(self.record)


@dataclass(frozen=True)
class Packages:
    """The packages of an interpreter or of folders, in the order in which Python searches."""

    folders: tuple[str, ...]
    python: str = ""
    """The interpreter, for commands; empty where only a folder is known."""

    @classmethod
    def installed_in(cls, python: str) -> Packages:
        """Return those of an interpreter or an environment."""
        return cls(site_folders(python), python)

    def get(self, name: str) -> Installed | None:
        """Return a distribution by its name; None if it is not installed."""
        return self._by_name.get(canonicalize_name(name))

    @cached_property
    def _by_name(self) -> dict[str, Installed]:
        found: dict[str, Installed] = {}
        for folder in self.folders:
            for each in self._records(folder):
                found.setdefault(canonicalize_name(each.name), each)
        return found

    def _records(self, folder: str) -> Iterator[Installed]:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return
        for name in names:
            match = _RECORD.match(name)
            version = version_of(match["version"].replace("_", "+")) if match else None
            if match is not None and version is not None:
                yield Installed(match["name"], version, os.path.join(folder, name))

    def owner(self, top: str) -> Installed | None:
        """Return the distribution that a top-level module belongs to: ``cv2`` to opencv-python."""
        found = self.get(top)
        if found is not None:
            return found
        return self._by_top.get(top)

    @cached_property
    def _by_top(self) -> dict[str, Installed]:
        """Distributions by the top-level modules that their RECORD lists."""
        found: dict[str, Installed] = {}
        for each in self._by_name.values():
            for top in _tops(each):
                found.setdefault(top, each)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """All distributions."""
        return tuple(each.name for each in self._by_name.values())


def _tops(installed: Installed) -> set[str]:
    text = _text(os.path.join(installed.record, "top_level.txt"))
    if text:
        return set(text.split())
    tops = set()
    for line in record_lines(installed):
        first = line.partition(",")[0].partition("/")[0]
        if not first.endswith((".dist-info", ".pth")) and first != "..":
            tops.add(first.partition(".")[0])
    return tops


def record_lines(installed: Installed) -> list[str]:
    """Return the lines of a package's RECORD; none where it cannot be read."""
    return _text(os.path.join(installed.record, "RECORD")).splitlines()


def _text(path: str) -> str:
    try:
        return read_small(path, _LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def version_file(packages: Packages) -> dict[str, str | None]:
    """Return the constants of torch/version.py, such as ``hip``; none without torch."""
    for folder in packages.folders:
        text = _text(os.path.join(folder, "torch", "version.py"))
        if text:
            return dict(_constants(text))
    return {}


def _constants(text: str) -> Iterator[tuple[str, str | None]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant):
            yield target.id, None if value.value is None else str(value.value)
