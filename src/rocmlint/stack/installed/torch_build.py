"""Facts about the installed torch, read from its version.py without running it."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from packaging.version import Version

from rocmlint.disk.read import read_small
from rocmlint.stack.versions import labelled_rocm, major_minor
from rocmlint.text.words import shortened
from rocmlint.text.written import minor_release, version_of

if TYPE_CHECKING:
    from rocmlint.stack.installed.distributions import Distribution, Environment

Kind = Literal["HIP", "CUDA", "XPU", "CPU", "unknown"]

_NAMES = ("__version__", "debug", "cuda", "git_version", "hip", "rocm", "xpu")
_LARGEST = 100_000
_LONGEST = 100
"""Characters of a version that anyone wrote, or of a hash."""
_LOCAL: tuple[tuple[str, Kind], ...] = (
    ("rocm", "HIP"),
    ("devrocm", "HIP"),  # AMD's builds in development: +devrocm7.12.0.dev0.849eec4
    ("cu", "CUDA"),
    ("xpu", "XPU"),
    ("cpu", "CPU"),
)
"""How the local version of each kind of wheel begins (``+rocm7.1``, ``+cu128``)."""
UNREAD = "cannot be read"
"""The part of a problem that need not be one of the installation."""
_LAST_HIP_OF_ROCM = Version("7.14")
"""Up to here HIP and ROCm had the same major.minor; ROCm 10.0 has HIP 7.15."""


@dataclass(frozen=True)
class TorchBuild:
    """The build of a torch. Empty strings and None mean that a part was not read.

    ``hip`` is HIP's own build version ("7.1.25424"), ``rocm`` the version of ROCm that torch names
    (torch.version.rocm, from 2.11 on, or the local version). ``source`` says where it was read.
    """

    version: str
    kind: Kind
    source: str
    hip: str = ""
    rocm: str = ""
    cuda: str = ""
    debug: bool | None = None
    git: str = ""
    problem: str = ""

    @property
    def release(self) -> str:
        """The version to major.minor: "2.13"."""
        version = version_of(self.version)
        return "" if version is None else minor_release(version)

    @property
    def rocm_release(self) -> str:
        """The ROCm it was built for, to major.minor: "7.1" for HIP 7.1.25424; or empty.

        HIP's version alone does not show it from 7.15 on.
        """
        if self.rocm:
            return major_minor(self.rocm)
        return rocm_of_hip(self.hip)

    def __str__(self) -> str:
        """Return what it is, in a few words."""
        if self.kind == "HIP":
            return f"torch {self.version}, built for ROCm {self.rocm_release or '(unknown)'}"
        return f"torch {self.version}, {_ARTICLE[self.kind]}"


def rocm_of_hip(hip: str) -> str:
    """Return the ROCm of a version of HIP ("7.1" for 7.1.25424), or nothing if unknown."""
    release = major_minor(hip[:_LONGEST])
    return release if release and Version(release) <= _LAST_HIP_OF_ROCM else ""


_ARTICLE: dict[Kind, str] = {
    "HIP": "a ROCm build",
    "CUDA": "a CUDA build",
    "XPU": "an XPU build (Intel)",
    "CPU": "a CPU build",
    "unknown": "of an unknown build",
}


def read_torch(environment: Environment) -> TorchBuild | None:
    """Read the torch of an environment; None if none is installed.

    A torch without files is read from its metadata, and says so in ``problem``.
    """
    metadata = environment.get("torch")
    init = environment.modules.get("torch")
    path = os.path.join(os.path.dirname(init), "version.py") if init else ""
    if metadata is None and not path:
        return None
    values, problem = _version_file(path) if path else ({}, _without_files(metadata))
    said = metadata.version if metadata else ""
    if not values:
        return _from_metadata(said or "of unknown version", metadata, problem)
    version = str(values.get("__version__") or said)
    if said and not _is_same_version(said, version):
        problem = (
            f"{path} has version {version}, the metadata {said}: one was installed over the other"
        )
    return _from_file(version, path, values, problem)


def _without_files(metadata: Distribution | None) -> str:
    """Return why an import finds no torch although its metadata is there."""
    folder = os.path.join(os.path.dirname(metadata.place), "torch") if metadata else ""
    try:
        os.listdir(folder)
    except PermissionError as error:
        return f"{folder} {UNREAD}: {error.strerror}"
    except OSError:
        pass
    return "there is metadata, but no torch package: an incomplete uninstall"


def _from_file(
    version: str, path: str, values: dict[str, str | bool | None], problem: str
) -> TorchBuild:
    hip, cuda = str(values.get("hip") or ""), str(values.get("cuda") or "")
    kind: Kind = "HIP" if hip else "CUDA" if cuda else "XPU" if values.get("xpu") else "CPU"
    rocm = str(values.get("rocm") or (labelled_rocm(version) if hip else ""))
    debug = values.get("debug")
    return TorchBuild(
        version,
        kind,
        path,
        hip,
        rocm,
        cuda,
        debug if isinstance(debug, bool) else None,
        str(values.get("git_version") or ""),
        problem,
    )


def _from_metadata(version: str, metadata: Distribution | None, problem: str) -> TorchBuild:
    """Return the build from the local version, else from what the wheel requires."""
    local = version.partition("+")[2]
    kind: Kind = next((kind for begins, kind in _LOCAL if local.startswith(begins)), "unknown")
    if kind == "unknown" and metadata is not None:
        needed = " ".join(each.name for each in metadata.requires)
        kind = "HIP" if "rocm" in needed else "CUDA" if "nvidia-" in needed else "unknown"
    source = metadata.place if metadata else ""
    return TorchBuild(version, kind, source, rocm=labelled_rocm(version), problem=problem)


def _version_file(path: str) -> tuple[dict[str, str | bool | None], str]:
    """Return the constants of a version.py, or why there are none."""
    try:
        tree = ast.parse(read_small(path, _LARGEST))
    except OSError as error:
        return {}, f"{path} {UNREAD}: {error.strerror}"
    except (SyntaxError, ValueError) as error:
        return {}, f"{path} is not valid Python: {error}"
    except (RecursionError, MemoryError):
        return {}, f"{path} is not valid Python: it nests too deeply"
    values: dict[str, str | bool | None] = {}
    for statement in tree.body:
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
            if isinstance(statement, ast.AnnAssign)
            else []
        )
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Constant) and isinstance(value.value, (str, bool, type(None))):
            names = {each.id for each in targets if isinstance(each, ast.Name)}
            said = value.value
            said = shortened(said, _LONGEST) if isinstance(said, str) else said
            values |= dict.fromkeys(names.intersection(_NAMES), said)
    if not values:
        return {}, f"{path} contains no version"
    return values, ""


def _is_same_version(one: str, other: str) -> bool:
    """Compare versions; a local part that only one of them has does not count.

    As version.py has it, a label may be written in another way than in the metadata
    (``+devrocm7.12.0.dev0-849eec4``).
    """
    one, other = (str(version_of(each) or each) for each in (one, other))
    (version, _, local), (second, _, second_local) = one.partition("+"), other.partition("+")
    return version == second and (local == second_local or not local or not second_local)
