"""Which GPUs there are, one name each, without touching any of them.

rocminfo names what a program of this user can use, the kernel what is built in.
``verify/devices.py`` asks torch too, and wants each kind once.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.gpus.devices import GRAPHICS, ISA
from rocmlint.gpus.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

_NODES = "/sys/class/kfd/kfd/topology/nodes"
_PROPERTY = re.compile(r"^gfx_target_version (\d+)$", re.MULTILINE)
_AGENTS = "HSA Agents"
"""The heading of what rocminfo lists: a CPU is an agent, too."""
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


@dataclass(frozen=True)
class Devices:
    """The GPUs, such as "gfx942:sramecc+:xnack-", who named them, and what did not go well."""

    names: tuple[str, ...] = ()
    source: str = ""
    problems: tuple[str, ...] = ()

    @property
    def architectures(self) -> tuple[str, ...]:
        """The processors, each once, without their settings: "gfx942"."""
        return tuple(dict.fromkeys(each.partition(":")[0] for each in self.names))


def find_devices(machine: Machine | None = None) -> Devices:
    """Ask rocminfo, the kernel's list, then amd-smi; the first that knows a GPU decides."""
    machine = machine or Machine()
    built_in = tuple(_kernel(machine))
    usable, why = _rocminfo(machine)
    problems = list(_problems(machine, built_in, usable, why))
    if usable:
        return Devices(usable, "rocminfo", tuple(problems))
    if built_in:
        return Devices(built_in, _NODES, tuple(problems))
    return _amd_smi(machine, problems)


def _amd_smi(machine: Machine, problems: list[str]) -> Devices:
    printed = machine.ask("amd-smi", "static", "--asic", "--json")
    names = tuple(each.lower() for each in GRAPHICS.findall(printed.stdout))
    if printed.problem and printed.problem != "is not installed":
        problems.append(f"amd-smi static {printed.problem}")
    return Devices(names, "amd-smi static" if names else "", tuple(problems))


def _rocminfo(machine: Machine) -> tuple[tuple[str, ...], str]:
    printed = machine.ask("rocminfo")
    names = tuple(ISA.findall(printed.stdout))
    unheard = "" if _AGENTS in printed.stdout else "printed nothing of HSA's agents"
    return names, "" if names else printed.problem or unheard


def _kernel(machine: Machine) -> Iterator[str]:
    """Read the driver's list of nodes; a CPU is one too, with version 0."""
    folder = machine.path(_NODES)
    try:
        nodes = sorted((each for each in os.listdir(folder) if each.isdecimal()), key=int)
    except OSError:
        return
    for node in nodes:
        try:
            with open(os.path.join(folder, node, "properties"), encoding="ascii") as file:
                match = _PROPERTY.search(file.read())
        except (OSError, ValueError):  # of a GPU that this container was not given
            continue
        if match and int(match[1]):
            yield _processor(int(match[1]))


def _processor(version: int) -> str:
    """Give the name for a version in decimal digits, MMmmss: 90010 is gfx90a, 120001 gfx1201."""
    major, rest = divmod(version, 10_000)
    minor, stepping = divmod(rest, 100)
    return f"gfx{major}{minor:x}{stepping:x}"


def _problems(
    machine: Machine, built_in: tuple[str, ...], usable: tuple[str, ...], why: str
) -> Iterator[str]:
    if not usable and why and (built_in or why != "is not installed"):
        yield f"rocminfo {why}"
    elif not usable and built_in:
        yield (
            f"rocminfo names no GPU, the kernel has {len(built_in)}: "
            "is this user in the groups render and video?"
        )
    override = machine.environment.get(_OVERRIDE)
    plain = {each.partition(":")[0] for each in usable}
    if override and plain and plain.isdisjoint(built_in) and built_in:
        yield (
            f"{_OVERRIDE}={override} is set: rocminfo says {', '.join(sorted(plain))}, "
            f"the GPU is {', '.join(sorted(set(built_in)))}"
        )
