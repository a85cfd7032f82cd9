"""The version of ROCm that package managers have on record: dpkg, RPM, pacman, conda."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.stack.installed.rocm_reading import RocmReading, first_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.machine import Machine

_DPKG = "/var/lib/dpkg/status"
_RPM = ("/usr/lib/sysimage/rpm", "/var/lib/rpm")
"""Where RPM's database is; only RPM itself can read it."""
_PACMAN = "/var/lib/pacman/local"
_OF_AMD = re.compile(r"(?:rocm-core|amdrocm-core|amdrocm-base)[\d.]*")
_OF_DEBIAN = re.compile(r"libamdhip64-\d+")
"""Of Debian and Ubuntu themselves; AMD's packages are called hip-runtime-amd."""
_OF_RPM = ("rocm-core*", "amdrocm-core*", "amdrocm-base*", "librocm-core1*", "rocm-hip")
_WANTED = re.compile(r"(?:rocm-core|amdrocm-core|amdrocm-base|librocm-core1|rocm-hip)[\d.]*")
_OF_PACMAN = re.compile(r"(rocm-core)-(\d[^-]*)-[^-]+")
_OF_CONDA = re.compile(r"(rocm-core|hip-runtime-amd|hip|rocr-runtime)-(\d[^-]*)-[^-]+\.json")
_LEFT = "ROCm is partly removed"
_LARGEST_LIST = 100_000_000


def system_packages(machine: Machine, prefix: str = "") -> Iterator[RocmReading]:
    """Read every list of packages that is there; ``prefix`` may be a conda environment.

    What is left of a removed package is reported if nothing else is installed.
    """
    readings: list[RocmReading] = [
        *_dpkg(machine),
        *_rpm(machine),
        *_folder("pacman", machine.path(_PACMAN), _OF_PACMAN),
        *_folder("conda", os.path.join(prefix, "conda-meta") if prefix else "", _OF_CONDA),
    ]
    installed = any(each.version for each in readings)
    yield from (each for each in readings if not (installed and _LEFT in each.problem))


def _dpkg(machine: Machine) -> Iterator[RocmReading]:
    """Read dpkg's list for the packages that carry ROCm's version."""
    for name, version, state in dpkg(machine, _OF_AMD, _OF_DEBIAN):
        read = first_version(version.rpartition(":")[2])
        if state[-1:] != ["installed"]:
            left = f"is {' '.join(state[-1:]) or 'without a state'}: {_LEFT}"
            yield RocmReading(f"dpkg: {name}", "system package", problem=left)
        elif read:
            yield RocmReading(f"dpkg: {name}", "system package", read)


def dpkg(machine: Machine, *names: re.Pattern[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, version and state of the packages in dpkg's list whose name is one of these."""
    try:
        text = read_small(machine.path(_DPKG), _LARGEST_LIST).decode(errors="replace")
    except OSError:
        return
    for match in re.finditer(r"^Package: (.*)$", text, re.MULTILINE):
        if not any(each.fullmatch(match[1]) for each in names):
            continue
        end = text.find("\n\n", match.end())
        paragraph = text[match.start() : end if end >= 0 else len(text)]
        fields = dict(re.findall(r"^(Status|Version): (.*)$", paragraph, re.MULTILINE))
        yield match[1], fields.get("Version", ""), fields.get("Status", "").split()


def _rpm(machine: Machine) -> Iterator[RocmReading]:
    packages, problem = rpm(machine, *_OF_RPM)
    if problem:
        yield RocmReading("rpm -qa", "system package", problem=problem)
    for name, version in packages:
        if _WANTED.fullmatch(name) and first_version(version):
            yield RocmReading(f"rpm: {name}", "system package", first_version(version))


def rpm(machine: Machine, *patterns: str) -> tuple[list[tuple[str, str]], str]:
    """Ask RPM for name and version of the packages that a pattern is for, where RPM has a list.

    The second is why it did not answer, if it is there at all.
    """
    if not any(os.path.isdir(machine.path(each)) for each in _RPM):
        return [], ""
    printed = machine.ask("rpm", "-qa", "--qf", "%{NAME} %{VERSION}\\n", *patterns)
    lines = (line.strip().partition(" ") for line in printed.stdout.splitlines())
    problem = "" if printed.problem == "is not installed" else printed.problem
    return [(name, version) for name, _, version in lines], problem


def _folder(manager: str, folder: str, pattern: re.Pattern[str]) -> Iterator[RocmReading]:
    """Read a list that has an entry for each package: NAME-VERSION-RELEASE."""
    try:
        names = sorted(os.listdir(folder)) if folder else []
    except OSError:
        return
    for name in names:
        match = pattern.fullmatch(name)
        if match and first_version(match[2]):
            source = f"{manager}: {match[1]}"
            yield RocmReading(source, "system package", first_version(match[2]))
