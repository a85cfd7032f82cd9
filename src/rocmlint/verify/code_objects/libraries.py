"""Where the dynamic linker finds the libraries that a library needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cached_property
from glob import glob
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocmlint.verify.code_objects.host_elf import HostElf

_DEFAULT_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_ROCM_FOLDERS = ("/opt/rocm/lib", "/opt/rocm/lib64")
_BESIDE = ("torch/lib", "nvidia/*/lib", "_rocm_sdk_*/lib", "*.libs")
"""Below site-packages: where packages keep libraries that they load before those that need them."""
_CACHED = re.compile(r"^\t(\S+) \(", re.MULTILINE)


class Libraries:
    """Libraries below some folders, by what they can be found by."""

    def __init__(
        self, roots: Iterable[str], names: Iterable[str], environment: Mapping[str, str]
    ) -> None:
        """Take folders of packages and the names of all libraries in them.

        A library that has been loaded serves every later one that needs its name, so a name in the
        same tree counts as found.
        """
        self._names = frozenset(names)
        self._folders = (
            *(each for each in environment.get("LD_LIBRARY_PATH", "").split(":") if each),
            *_DEFAULT_FOLDERS,
            *glob("/lib/*-linux-gnu"),
            *glob("/usr/lib/*-linux-gnu"),
            *_ROCM_FOLDERS,
            *(each for root in roots for beside in _BESIDE for each in glob(f"{root}/{beside}")),
        )

    def missing(self, path: str, elf: HostElf) -> tuple[str, ...]:
        """Name the needed libraries that cannot be found."""
        origin = os.path.dirname(os.path.realpath(path))
        own = tuple(_expanded(each, origin) for each in elf.run_path)
        return tuple(each for each in elf.needed if not self._is_found(each, own))

    def _is_found(self, name: str, own_folders: tuple[str, ...]) -> bool:
        if "/" in name:
            return os.path.exists(name)
        return (
            name in self._names
            or name in self._cached
            or any(os.path.exists(os.path.join(each, name)) for each in own_folders)
            or self._is_in_folders(name)
        )

    def _is_in_folders(self, name: str) -> bool:
        return any(os.path.exists(os.path.join(each, name)) for each in self._folders)

    @cached_property
    def _cached(self) -> frozenset[str]:
        """The names in the linker's cache; none where it has no cache."""
        command = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
        if command is None:
            return frozenset()
        try:
            printed = subprocess.run(
                [command, "-p"], capture_output=True, text=True, timeout=30, check=False
            ).stdout
        except (OSError, subprocess.TimeoutExpired):
            return frozenset()
        return frozenset(_CACHED.findall(printed))


def _expanded(folder: str, origin: str) -> str:
    for written in ("$ORIGIN", "${ORIGIN}"):
        folder = folder.replace(written, origin)
    return folder
