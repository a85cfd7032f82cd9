"""The torch that is to stay: as words of an install command, or as a constraints file."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.disk.write import write_atomically
from rocmlint.errors import RocmlintError
from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.stack.installed.distributions import is_of_torch
from rocmlint.stack.verdicts import is_met
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.amd_parts import (
    HOST,
    family_url,
    has_one_index,
    index_for,
    is_version,
    rocm_of,
)
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.stack.installed.distributions import Distribution, Environment

_NO_ROCM = re.compile(r"cpu|xpu|cu\d+")
"""Local versions, other than those of ROCm, that are also the name of a package index of torch."""
NAMED_IN_LINES = (*FAMILY, "triton")
"""Names that a requirement can replace; nothing requires triton by its ROCm names."""
_PLAIN_INSTALL = re.compile(r"pip install(?: [A-Za-z0-9][\w.\[\],=<>!~+-]*)+")
_MARK = "# Constraints of rocmlint stack"
"""How the first line of a constraints file begins: what has another one is somebody else's."""
_LARGEST = 1_000_000
BEST_OF_ALL = ("--index-strategy", "unsafe-best-match")
"""With this uv takes the best of all indexes, as pip does, else of the first that has a package."""


class Package(Protocol):
    """A package that is installed, or was when it was recorded."""

    @property
    def name(self) -> str:
        """Normalized."""

    @property
    def version(self) -> str:
        """As it is written."""


@dataclass(frozen=True)
class KeptBuilds:
    """Exact builds that an install must not replace, and the package index that has them.

    If a constraints file has them, commands name that file instead.
    """

    pins: tuple[str, ...] = ()
    index: str = ""
    constraints: str = ""

    def words(self, *, uv: bool = False) -> tuple[str, ...]:
        """Return what is added to the words of an install."""
        if self.constraints:
            return ("-c", self.constraints)
        if not self.index:
            return self.pins
        return (*self.pins, "--extra-index-url", self.index, *(BEST_OF_ALL * uv))

    @property
    def torch(self) -> str:
        """The version of torch; empty where there is none."""
        return next((each[7:] for each in self.pins if each.startswith("torch==")), "")

    def added_to(self, action: str) -> str:
        """Return an action with what is kept, if it is an install of packages by pip and no more.

        With an index of its own, or without what packages require, an install replaces nothing.
        """
        words = self.words()
        if not words or not _PLAIN_INSTALL.fullmatch(action):
            return action
        return f"{action} {shlex.join(words)}"

    def pip_install(self, *words: str) -> str:
        """Return the command that installs something and leaves what is kept alone."""
        return shlex.join(("pip", "install", *words, *self.words()))


NOTHING = KeptBuilds()
"""Where no torch is installed that should stay."""


def kept(environment: Environment) -> KeptBuilds:
    """Return the torch of an environment, and what is installed with it and takes it."""
    named = [environment.get(name) for name in NAMED_IN_LINES]
    there = [each for each in named if each is not None and takes_its_torch(each, environment)]
    return kept_versions((each.name, each.version) for each in there)


def takes_its_torch(package: Distribution, environment: Environment) -> bool:
    """Return whether a package can stay with torch: two that exclude each other cannot."""
    torch = environment.get("torch")
    if torch is None or torch.parsed is None:
        return package is torch
    asked = [each.specifier for each in package.requires if each.name == "torch"]
    return all(is_met(each, torch.parsed) for each in asked)


def kept_versions(versions: Iterable[tuple[str, str]]) -> KeptBuilds:
    """Return builds by name and version; what is not a version cannot be kept."""
    found = {name: version for name, version in versions if version_of(version) is not None}
    pins = tuple(f"{name}=={version}" for name, version in found.items())
    return KeptBuilds(pins, index_of(found.get("torch", "")))


def index_of(version: str) -> str:
    """Return the index of PyTorch's, or of AMD's, that a torch came from, by its label.

    Empty if unknown; AMD's indexes for one family of GPUs are, as the label does not name it, and
    so is that of a release which PyTorch has not published for the ROCm of its label.
    """
    label, rocm = version.partition("+")[2], labelled_rocm(version)
    of_pytorch = label == f"rocm{rocm}" if rocm else bool(_NO_ROCM.fullmatch(label))
    if of_pytorch and ".dev" in version:
        return f"{rocm_wheels.SERVER}/nightly/{label}"
    if rocm and of_pytorch and rocm in (rocm_wheels.rocm_for(version) or (rocm,)):
        with suppress(LookupError):
            return rocm_wheels.index_url(rocm)
    if rocm:
        theirs = (each for each in amd_wheels.builds() if each.version("torch") == version)
        return next((each.index.url for each in theirs if each.index.kind == "extra"), "")
    return f"{rocm_wheels.SERVER}/{label}" if of_pytorch else ""


def place_of(torch: str, packages: Iterable[str]) -> tuple[str, ...]:
    """Return the words by which pip takes a torch and its family from where they came from.

    ``packages`` are the names of what is installed with it: that of ROCm's libraries shows which of
    AMD's indexes for a family of GPUs it was. Empty if unknown.
    """
    url, names = index_of(torch), tuple(packages)
    if url:
        return ("--index-url", url)
    family = next(filter(None, map(_family_in, names)), "")
    for build in amd_wheels.builds():
        if build.version("torch") != torch:
            continue
        if build.index.kind == "files":
            return ("--no-index", "--find-links", build.index.url.format(rocm=build.rocm))
        if build.index.kind == "family" and family:
            return ("--index-url", build.index.url.format(family=family))
    url = amd_index(rocm_of(torch), names) if "+" in torch else ""
    return ("--index-url", url) if url else ()


def amd_index(rocm: str, packages: Iterable[str]) -> str:
    """Return AMD's index that a version of ROCm was installed from; empty if unknown.

    Where there is one for all GPUs and one for each family, the package of ROCm's libraries shows
    which it was: ``packages`` are the names of what is installed.
    """
    if not is_version(rocm):
        return ""
    if has_one_index(rocm):
        return index_for(rocm).url
    names = tuple(packages)
    family = next(filter(None, map(_family_in, names)), "")
    if family:
        return family_url(rocm).format(family=family)
    return index_for(rocm).url if HOST in names else ""


def _family_in(package: str) -> str:
    """Return the family that a package of ROCm's libraries is for, as the URL has it; or empty."""
    wanted = package.partition("rocm-sdk-libraries-")[2]
    families = (each for gpu in amd_wheels.devices() for each in gpu.families)
    return next((each for each in families if canonicalize_name(each) == wanted), "")


def constraints_of(environment: Environment) -> list[str]:
    """Return a constraint for each package that belongs to torch, and takes it."""
    found = environment.distributions
    return constraints(each for each in found if takes_its_torch(each, environment))


def constraints(packages: Iterable[Package]) -> list[str]:
    """Return a constraint for each of the packages that belongs to torch."""
    found = {
        each.name: each.version
        for each in packages
        if is_of_torch(each.name) and version_of(each.version) is not None
    }
    lines = [f"{name}=={version}" for name, version in found.items()]
    renamed = [name for name in found if name.endswith("triton-rocm")]
    if renamed and "triton" not in found:
        lines.append(f"triton<0  # none: it would overwrite the files of {renamed[0]}")
    return lines


def write_constraints(lines: Iterable[str], of: str, path: str, *, force: bool = False) -> None:
    """Write a constraints file for pip and uv; ``of`` says in words what it keeps.

    Raises RocmlintError, also where a file is there that is not such a one: ``force`` replaces it.
    """
    if not force and not _is_ours(path):
        message = f"{path} exists and was not written by rocmlint stack"
        raise RocmlintError(f"{message}; choose another name, or --force to replace it")
    text = [f"{_MARK}: {of}.", "# With -c and this file, pip and uv cannot replace them.", *lines]
    try:
        write_atomically(path, "".join(f"{line}\n" for line in text).encode())
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise RocmlintError(message) from error


def _is_ours(path: str) -> bool:
    """Return whether a path can be written to: there is nothing, no file, or one of ours."""
    if not os.path.lexists(path) or (os.path.exists(path) and not os.path.isfile(path)):
        return True
    try:
        return read_small(path, _LARGEST).decode(errors="replace").startswith(_MARK)
    except OSError:
        return False
