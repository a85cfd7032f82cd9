"""Where the packages of an environment came from, and what pip cannot restore from there.

PyPI has torch 2.8.0, too: as a build for CUDA. So pip must not be asked for a ROCm build without a
label, or for one that another installer (dnf, conda) has installed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from rocmlint.stack.advice.keeping import Package, amd_index, index_of, place_of
from rocmlint.stack.advice.rocm_builds import places
from rocmlint.stack.installed.distributions import NOT_ON_PYPI, TORCH_FAMILY, is_of_torch
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.amd_parts import is_of_amd, rocm_of
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.stack.installed.torch_build import TorchBuild

_OF_PYPI = frozenset({"pip", "uv", "uv-pixi", "poetry", "pdm", "hatch", "rye"})
"""How INSTALLER begins where PyPI's indexes are what a package comes from."""
_INSTALL_WITH = {"rpm": "dnf or zypper", "debian": "apt"}
"""Commands that a person types, if not the word in INSTALLER."""
_LOCAL = re.compile(r"(?:-e (?P<editable>/.*)|[^ ]+ @ (?P<url>file://[^ #]*).*)")


class InstalledPackage(Package, Protocol):
    """A package that is installed, or was when it was recorded, and its installer."""

    @property
    def installer(self) -> str:
        """As INSTALLER has it; empty where that is not known."""


@dataclass(frozen=True)
class PackageOrigins:
    """The origins of an environment's packages, as far as their labels and names show.

    ``place`` are the words that name where torch came from; empty if unknown.
    """

    names: frozenset[str]
    torch: str
    place: tuple[str, ...]
    is_rocm: bool
    """Whether torch is a ROCm build."""

    @property
    def is_unlabelled(self) -> bool:
        """Whether torch is a ROCm build of which PyPI has the version, as another build."""
        return self.is_rocm and "+" not in self.torch

    def index(self, package: InstalledPackage) -> str:
        """Return the index that a package came from; empty if unknown."""
        url = index_of(package.version)
        if url or not (_label(package) or is_of_amd(package.name)):
            return url
        return amd_index(rocm_of(package.version), self.names)

    def lost(self, package: InstalledPackage, requirement: str) -> str:
        """Return why pip does not restore a package as it was, and what to do; else nothing.

        ``requirement`` is the line of a requirements file that should. The answer is one line, as
        it becomes a comment, whatever INSTALLER has.
        """
        return visible(self._lost(package, requirement))

    def _lost(self, package: InstalledPackage, requirement: str) -> str:
        path = gone(requirement)
        if path:
            return f"{_full_name(package)} was installed from {path}, which no longer exists"
        if f"{package.name}==" not in requirement:
            return ""
        if is_of_torch(package.name) and self.is_foreign(package):
            how = _INSTALL_WITH.get(package.installer, package.installer)
            what = f"{_full_name(package)} was installed by {package.installer}"
            return f"{what}, and pip would install PyPI's build instead: reinstall it with {how}"
        if self.is_unlabelled and package.name in {*TORCH_FAMILY} and not _label(package):
            what = "is" if package.name == "torch" else "was installed with"
            why = f"{_full_name(package)} {what} a ROCm build without a label, and PyPI has another"
            return f"{why} build of this version: reinstall it from where it came"
        return self._of_no_index(package)

    def is_foreign(self, package: InstalledPackage) -> bool:
        """Return whether a package came from elsewhere than the indexes that pip knows."""
        words = package.installer.lower().split()
        return bool(words) and words[0] not in _OF_PYPI

    def _of_no_index(self, package: InstalledPackage) -> str:
        if not _label(package):
            if package.name not in NOT_ON_PYPI or is_of_amd(package.name):
                return ""
            where = "".join(f"; {each}" for each in places(package.name))
            return f"{_full_name(package)} is not on PyPI: reinstall it from where it came{where}"
        of_torch = labelled_rocm(self.torch) if self.place else ""
        is_beside = bool(of_torch) and labelled_rocm(package.version) == of_torch
        if is_beside or self.index(package):
            return ""
        why = f"{_full_name(package)} came from an unknown index (see its label)"
        return f"{why}, or was built from source: reinstall it from there"


def origins(packages: Iterable[InstalledPackage], torch: TorchBuild | None) -> PackageOrigins:
    """Return the origins of packages; ``torch`` is the build that is among them."""
    found = {each.name: each.version for each in packages}
    version = found.get("torch", "")
    place = place_of(version, found) if version else ()
    is_rocm = torch is not None and torch.kind == "HIP"
    return PackageOrigins(frozenset(found), version, place, is_rocm)


def _full_name(package: InstalledPackage) -> str:
    return f"{package.name} {package.version}"


def _label(package: InstalledPackage) -> str:
    return package.version.partition("+")[2]


def gone(requirement: str) -> str:
    """Return the path that a requirement names and that no longer exists; empty if there is none.

    ``requirement`` is a line of a requirements file.
    """
    match = _LOCAL.fullmatch(requirement)
    path = (match["editable"] or path_of(match["url"])) if match else ""
    return "" if os.path.exists(path) else path


def path_of(url: str) -> str:
    """Return the path of a file:// URL."""
    from urllib.request import url2pathname  # noqa: PLC0415 - loads http.client

    return url2pathname(urlsplit(url).path)
