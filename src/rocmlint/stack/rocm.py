"""Which ROCm is installed, and who says so.

Never from rocminfo's "Runtime Version", which is that of HSA (1.15), and never from HIP's alone,
which is no longer ROCm's: ROCm 10.0.0 has HIP 7.15 (the .info/version and ``hipconfig --version``
of AMD's images; pytorch/pytorch#168097).
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocmlint.disk.read import read_small
from rocmlint.gpus.machine import Machine
from rocmlint.stack.versions import major_minor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed import Distribution, Environment
    from rocmlint.stack.torch_build import TorchBuild

Kind = Literal["program", "file", "system package", "wheel", "torch"]

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?!\d)")
_CORE = re.compile(r"core-(\d+\.\d+)")
"""A version side by side with others, as TheRock's packages install it (TheRock#2728)."""
_SYSTEM_PACKAGE = re.compile(r"(?:rocm-core|amdrocm-core|amdrocm-base)[\d.]*")
_WHEELS = ("rocm-sdk-core", "rocm")
_DPKG = "/var/lib/dpkg/status"
_LARGEST_LIST = 100_000_000


@dataclass(frozen=True)
class RocmReading:
    """What one source says: a version such as "7.1.0", or in ``problem`` why it says none."""

    source: str
    kind: Kind
    version: str = ""
    problem: str = ""

    @property
    def release(self) -> str:
        """The version to major.minor ("7.1"), which is what wheels are named by; or empty."""
        return major_minor(self.version)


@dataclass(frozen=True)
class Rocm:
    """All that was read, the word that counts first."""

    readings: tuple[RocmReading, ...] = ()

    @property
    def chosen(self) -> RocmReading | None:
        """The first that knows a version; None where no ROCm was found."""
        return next((each for each in self.readings if each.version), None)

    @property
    def version(self) -> str:
        """The version of ROCm here; empty if there is none."""
        return self.chosen.version if self.chosen else ""

    @property
    def without_torch(self) -> Rocm:
        """What is installed beside torch: its wheels bring ROCm's libraries along."""
        return Rocm(tuple(each for each in self.readings if each.kind != "torch"))

    @property
    def release(self) -> str:
        """The version to major.minor, or empty."""
        return major_minor(self.version)

    @property
    def others(self) -> tuple[RocmReading, ...]:
        """The readings that name another major.minor than the one that counts."""
        return tuple(
            each for each in self.readings if each.version and each.release != self.release
        )

    @property
    def problems(self) -> tuple[RocmReading, ...]:
        """The readings that should have named a version and do not."""
        return tuple(each for each in self.readings if each.problem)


def find_rocm(
    machine: Machine | None = None,
    environment: Environment | None = None,
    torch: TorchBuild | None = None,
) -> Rocm:
    """Read every source: amd-smi, version files, the system's packages, ROCm's wheels, torch.

    ``environment`` are the packages of the interpreter that is asked, ``torch`` is its torch.
    """
    machine = machine or Machine()
    readings = [
        *_amd_smi(machine),
        *_files(machine),
        *_system_packages(machine),
        *(_wheels(environment) if environment else ()),
        *(_torch(torch) if torch else ()),
    ]
    return Rocm(tuple(readings))


def _amd_smi(machine: Machine) -> Iterator[RocmReading]:
    """Ask amd-smi; its own version and its library's are not ROCm's."""
    source = "amd-smi version"
    printed = machine.ask("amd-smi", "version", "--json")
    if printed.problem == "is not installed":
        return
    if printed.problem:
        yield RocmReading(source, "program", problem=printed.problem)
        return
    said = _json(printed.stdout)
    version = _version(str(said.get("rocm_version", ""))) if said else ""
    problem = "" if version else "reports no ROCm version"
    yield RocmReading(source, "program", version, problem)


def _json(text: str) -> dict[str, object] | None:
    """Read the object that amd-smi prints, in a list, below a warning or alone."""
    for start in (text.find("["), text.find("{")):
        try:
            document = json.loads(text[start:]) if start >= 0 else None
        except (ValueError, RecursionError):
            continue
        if isinstance(document, list):
            document = document[0] if document else None
        if isinstance(document, dict):
            return document
    return None


def _version(text: str) -> str:
    """Return the version of a text that begins with one ("7.1.0-98" is 7.1.0); else nothing."""
    match = _VERSION.match(text.strip())
    return match[0] if match else ""


def _files(machine: Machine) -> Iterator[RocmReading]:
    seen: set[str] = set()
    for name in ("ROCM_PATH", "ROCM_HOME"):
        path = machine.environment.get(name)
        if path and not os.path.isdir(machine.path(path)):
            problem = "is not a directory: unset it, or set it to ROCm's directory"
            yield RocmReading(f"${name} = {path}", "file", problem=problem)
        elif path:
            yield from _folder(machine, path, f"${name} = ", seen)
    for path in ("/opt/rocm", *_side_by_side(machine)):
        yield from _folder(machine, path, "", seen)


def _side_by_side(machine: Machine) -> list[str]:
    """Find /opt/rocm-7.1.0 and /opt/rocm/core-7.14, the newest first."""
    found = []
    for folder, pattern in (("/opt/rocm", _CORE), ("/opt", re.compile(r"rocm-(\d+\.\d+[\d.]*)"))):
        try:
            names = os.listdir(machine.path(folder))
        except OSError:
            continue
        found += [f"{folder}/{name}" for name in names if pattern.fullmatch(name)]
    return sorted(found, key=lambda path: [int(each) for each in re.findall(r"\d+", path)])[::-1]


def _folder(machine: Machine, path: str, said: str, seen: set[str]) -> Iterator[RocmReading]:
    """Read the version below a folder: ``.info/version``, or TheRock's ``core/.info/version``.

    ``seen`` are the real paths that were read already, by whatever name.
    """
    folder = machine.path(path)
    if os.path.realpath(folder) in seen:
        return
    seen.add(os.path.realpath(folder))
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        yield from _dangling(folder, said + path)
        return
    except OSError as error:
        yield RocmReading(said + path, "file", problem=f"cannot be read: {error.strerror}")
        return
    core = os.path.join(folder, "core")
    yield from _dangling(core, f"{said}{path}/core")
    files = [each for each in (".info/version", "core/.info/version") if _is_in(folder, each)]
    for each in files:
        file = os.path.join(folder, each)
        if os.path.realpath(os.path.join(file, "../..")) not in seen or each == ".info/version":
            seen.add(os.path.realpath(os.path.join(file, "../..")))
            yield _file(file, f"{said}{path}/{each}")
    if not (files or os.path.islink(core) or any(map(_CORE.fullmatch, names))):
        missing = "has no .info/version: ROCm is partly removed, or this is not ROCm"
        yield RocmReading(said + path, "file", problem=missing)


def _is_in(folder: str, file: str) -> bool:
    return os.path.lexists(os.path.join(folder, file))


def _dangling(path: str, source: str) -> Iterator[RocmReading]:
    if os.path.islink(path) and not os.path.exists(path):
        gone = f"points to {os.readlink(path)}, which does not exist: ROCm is partly removed"
        yield RocmReading(source, "file", problem=gone)


def _file(path: str, source: str) -> RocmReading:
    try:
        text = read_small(path).decode(errors="replace")[:200]
    except OSError as error:
        return RocmReading(source, "file", problem=f"cannot be read: {error.strerror}")
    version = _version(text)
    if version:
        return RocmReading(source, "file", version)
    said = text.strip().split("\n", 1)[0][:40]
    problem = (
        f"contains {said!r}, which is not a valid version"
        if said
        else "is empty: ROCm is partly removed"
    )
    return RocmReading(source, "file", problem=problem)


def _system_packages(machine: Machine) -> Iterator[RocmReading]:
    """Read dpkg's list for the packages that carry ROCm's version."""
    try:
        text = read_small(machine.path(_DPKG), _LARGEST_LIST).decode(errors="replace")
    except OSError:
        return
    if "rocm-" not in text:
        return
    for paragraph in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Status|Version): (.*)$", paragraph, re.MULTILINE))
        if not _SYSTEM_PACKAGE.fullmatch(fields.get("Package", "")):
            continue
        source = f"dpkg: {fields['Package']}"
        version = _version(fields.get("Version", "").rpartition(":")[2])
        state = fields.get("Status", "").split()
        if state[-1:] != ["installed"]:
            left = f"is {' '.join(state[-1:]) or 'without a state'}: ROCm is partly removed"
            yield RocmReading(source, "system package", problem=left)
        elif version:
            yield RocmReading(source, "system package", version)


def _wheels(environment: Environment) -> Iterator[RocmReading]:
    """Read ROCm's own wheels, which need no /opt/rocm (pip install rocm[libraries])."""
    for name in _WHEELS:
        wheel: Distribution | None = environment.get(name)
        if wheel is not None and _version(wheel.version):
            yield RocmReading(f"wheel {name} {wheel.version}", "wheel", _version(wheel.version))


def _torch(torch: TorchBuild) -> Iterator[RocmReading]:
    """Take what torch was built for: with no other word it is the ROCm that a program gets."""
    if torch.rocm_release:
        source = f"torch {torch.version}, whose wheel includes it"
        yield RocmReading(source, "torch", _version(torch.rocm) or torch.rocm_release)
