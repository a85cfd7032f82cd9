"""What is installed in an environment: its packages' folders and versions, from files alone."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.disk.state import data_of
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from packaging.version import Version

    from rocmlint.disk.disk import Disk, DiskView

_PYTHON = re.compile(r"(?:python|pypy)3?(?:\.\d+)?t?\Z")
_HOME = re.compile(r"^home[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_WITH_SYSTEM = re.compile(r"^include-system-site-packages[ \t]*=[ \t]*true", re.MULTILINE)
_DISTRIBUTION = re.compile(
    r"(?P<name>[\w.]+(?:-[\w.]+)*?)-(?P<version>\d[^-]*)\.(?:dist|egg)-info\Z"
)
_PLACES = (("lib",), ("lib64",), ("local", "lib"), ("Lib",))
"""Below a prefix, where the folders lie that hold the packages of each Python."""
_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py")
_SITES = ("site-packages", "dist-packages")


def check_environment(environment: str) -> None:
    """Raise ConfigError where packages cannot be looked up in what ``environment`` names."""
    if not site_folders(environment):
        message = (
            f"environment: {environment} is not an interpreter, a virtual environment or a "
            "directory with installed packages"
        )
        raise ConfigError(message)


@lru_cache(maxsize=8)
def site_folders(environment: str) -> tuple[str, ...]:
    """Return the folders that hold the packages of an interpreter or a virtual environment.

    They come in the order in which Python searches them. A folder with installed packages is
    taken as it is. Nothing is run.
    """
    if any(map(_is_record, _folders(environment, ""))):
        return (environment,)
    prefix, version = _prefix(environment)
    found = _below(prefix, version)
    data = data_of(os.path.join(prefix, "pyvenv.cfg")) or b""
    configuration = data.decode("utf-8", "replace")
    home = _HOME.search(configuration)
    if home is not None and _WITH_SYSTEM.search(configuration):
        found += _below(os.path.dirname(home[1]), version or _version_of(found))
    return tuple(dict.fromkeys(found))


def installed_version(folders: tuple[str, ...], package: str, view: DiskView) -> Version | None:
    """Return the version of a package (normalized name) that lies in one of the folders."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - rules on paths need no version

    from rocmlint.text.written import version_of  # noqa: PLC0415

    for folder in folders:
        for name in view.names_in(folder):
            match = _DISTRIBUTION.match(name)
            if match is not None and canonicalize_name(match["name"]) == package:
                version = version_of(match["version"].replace("_", "+"))
                if version is not None:
                    return version
    return None


def installed_as(path: str, view: DiskView) -> tuple[str, str] | None:
    """Return the top-level name that a file is installed below, and the folder of the packages.

    None for a file that does not lie among installed or unpacked distributions.
    """
    path = os.path.abspath(path)
    folder = _installed_into(os.path.dirname(path), view.disk)
    if folder is None:
        return None
    view.names_in(folder)
    top = path.removeprefix(folder).lstrip(os.sep).partition(os.sep)[0]
    return top.removesuffix(".py"), folder


@lru_cache(maxsize=4096)
def _installed_into(folder: str, disk: Disk) -> str | None:
    """Return the folder of installed distributions that a folder lies in, or is itself.

    None below the mark of a project: an environment may lie further up.
    """

    def is_project(folder: str) -> bool:
        return any(disk.exists(os.path.join(folder, mark)) for mark in _PROJECT_MARKS)

    return site_folder(folder, disk, is_project)


def site_folder(
    folder: str, disk: Disk, ends_at: Callable[[str], bool] | None = None
) -> str | None:
    """Return the nearest folder, from this one up, that packages are installed or unpacked into.

    None where a folder before it is one of which ``ends_at`` is true.
    """
    while not _holds_distributions(folder, disk):
        above = os.path.dirname(folder)
        if above == folder or (ends_at is not None and ends_at(folder)):
            return None
        folder = above
    return folder


@lru_cache(maxsize=4096)
def _holds_distributions(folder: str, disk: Disk) -> bool:
    return any(map(_is_record, disk.names_in(folder)))


def _is_record(name: str) -> bool:
    return name.endswith(".dist-info")


def _prefix(environment: str) -> tuple[str, str]:
    """Return the folder of an environment, and ``python3.11`` where an interpreter says so."""
    folder, name = os.path.split(environment)
    if os.path.isdir(environment) or not _PYTHON.match(name.removesuffix(".exe")):
        return environment, ""
    version = name if re.search(r"\d\.\d", name) else ""
    inside = os.path.basename(folder) in {"bin", "Scripts"}
    return os.path.dirname(folder) if inside else folder, version


def _below(prefix: str, version: str) -> list[str]:
    found = []
    for place in _PLACES:
        above = os.path.join(prefix, *place)
        pythons = [version] if version else sorted(_folders(above, "python3"), reverse=True)
        for each in (*pythons, ""):
            found += [os.path.join(above, each, site) for site in _SITES]
    return list(
        {os.path.realpath(each): each for each in found[::-1] if os.path.isdir(each)}.values()
    )[::-1]


def _folders(above: str, beginning: str) -> list[str]:
    try:
        return [name for name in os.listdir(above) if name.startswith(beginning)]
    except OSError:
        return []


def _version_of(folders: list[str]) -> str:
    match = re.search(r"python3\.\d+", folders[0]) if folders else None
    return match[0] if match else ""
