"""The installed ROCm, and the sources that say so.

Never from rocminfo's "Runtime Version", which is that of HSA (1.15), and from HIP's only if there
is no other source: ROCm 10.0.0 has HIP 7.15 (the .info/version and ``hipconfig --version`` of AMD's
images; pytorch/pytorch#168097).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rocmlint.gpus.machine import Machine
from rocmlint.stack.installed.rocm_folders import UNNAMED, folders, named_folders
from rocmlint.stack.installed.rocm_packages import system_packages
from rocmlint.stack.installed.rocm_reading import Kind, Rocm, RocmReading, first_version
from rocmlint.stack.installed.torch_build import rocm_of_hip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.installed.torch_build import TorchBuild

_DIRECTORY = re.compile(r"/rocm-rel-(\d+\.\d+(?:\.\d+)?)/")
"""Where repo.radeon.com has the wheels of a release."""

__all__ = ["Kind", "Rocm", "RocmReading", "find_rocm"]


def find_rocm(
    machine: Machine | None = None,
    environment: Environment | None = None,
    torch: TorchBuild | None = None,
    *,
    includes: bool = False,
) -> Rocm:
    """Read every source, from AMD's wheels to torch.

    ``environment`` are the packages of the interpreter that is asked, ``torch`` is its torch, which
    ``includes`` ROCm's libraries or was only compiled with them. AMD's wheels come first: what is
    installed with them runs on them. Then come the variables: a job that sets them, such as one
    with a module of a cluster, compiles with what they name and not with the ROCm of the host.
    """
    machine, seen = machine or Machine(), set[str]()
    readings = [
        *(_wheels(environment) if environment else ()),
        *named_folders(machine, seen),
        *_amd_smi(machine),
        *folders(machine, seen),
        *system_packages(machine, environment.prefix if environment else ""),
    ]
    for ask in (_rocm_sdk, _hipconfig):
        if not any(each.version for each in readings):
            readings += ask(machine)
    if any(each.version for each in readings):
        readings = [each for each in readings if not each.problem.startswith(UNNAMED)]
    readings += _torch(torch, includes=includes) if torch else ()
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
    version = first_version(str(said.get("rocm_version", ""))) if said else ""
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


def _wheels(environment: Environment) -> Iterator[RocmReading]:
    """Read AMD's own wheels, which need no /opt/rocm (pip install rocm[libraries]).

    Those of ROCm 7.1.1 for Windows are all 0.1.dev0, and only the directory has their release.

    The package rocm counts with rocm-sdk-core only: by itself it may be another one of that name.
    """
    core = environment.get("rocm-sdk-core")
    for wheel in filter(None, (core, environment.get("rocm") if core else None)):
        origin = _DIRECTORY.search(wheel.direct_url)
        version = first_version(wheel.version) or (origin[1] if origin else "")
        problem = "has no valid version" if wheel.parsed is None else ""
        yield RocmReading(f"wheel {wheel}", "wheel", version, problem)


def _rocm_sdk(machine: Machine) -> Iterator[RocmReading]:
    """Ask the tool of AMD's wheels, which may be those of another interpreter on PATH."""
    printed = machine.ask("rocm-sdk", "version")
    if printed.problem != "is not installed":
        version = first_version(printed.stdout)
        problem = printed.problem or ("" if version else "reports no ROCm version")
        yield RocmReading("rocm-sdk version", "program", version, problem)


def _hipconfig(machine: Machine) -> Iterator[RocmReading]:
    """Ask hipconfig: up to 7.14 HIP had ROCm's major.minor."""
    source = "hipconfig --version"
    printed = machine.ask("hipconfig", "--version")
    if printed.problem == "is not installed":
        return
    hip = printed.stdout.strip()
    version = rocm_of_hip(hip)
    said = f"reports HIP {hip[:40]!r}, which does not show the version of ROCm"
    problem = printed.problem or ("" if version else said)
    yield RocmReading(source, "program", version, problem)


def _torch(torch: TorchBuild, *, includes: bool) -> Iterator[RocmReading]:
    """Take what torch was built for: with no other word it is the ROCm that a program gets."""
    if torch.rocm_release:
        how = "whose wheel includes it" if includes else "which was built for it"
        source = f"torch {torch.version}, {how}"
        yield RocmReading(source, "torch", first_version(torch.rocm) or torch.rocm_release)
