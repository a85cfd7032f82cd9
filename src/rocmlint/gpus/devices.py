"""Which GPUs there are: one answer, and who gives it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.gpus.machine import Machine
from rocmlint.gpus.target import Target, parse_target
from rocmlint.interpreter.ask import InterpreterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.gpus.programs import Printed
    from rocmlint.interpreter.ask import Interpreter

_ISA = re.compile(r"amdgcn-amd-amdhsa--(gfx[0-9a-f]+(?::\S+)?)(?=\s|$)")
"""How rocminfo names a processor; what it can run of a family has a "-generic" name."""
_AGENTS = "HSA Agents"
"""The heading of what rocminfo lists: a CPU is an agent, too."""
_GRAPHICS = re.compile(r"target_graphics_version\W+(gfx[0-9a-f]+)", re.IGNORECASE)
_NODES = "/sys/class/kfd/kfd/topology/nodes"
_PROPERTY = re.compile(r"^gfx_target_version (\d+)$", re.MULTILINE)
_AMD_SMI = "amd-smi static"
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
_ABSENT = "is not installed"


@dataclass(frozen=True)
class Devices:
    """The GPUs, such as "gfx942:sramecc+:xnack-", who named them, and what did not go well.

    ``reason`` says, where there are none, what each who was asked had to say.
    """

    names: tuple[str, ...] = ()
    source: str = ""
    problems: tuple[str, ...] = ()
    reason: str = ""

    @property
    def architectures(self) -> tuple[str, ...]:
        """The processors, each once, without their settings: "gfx942"."""
        return tuple(dict.fromkeys(each.partition(":")[0] for each in self.names))

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The distinct targets that code can be compiled for."""
        return tuple(dict.fromkeys(map(parse_target, self.names)))


@dataclass(frozen=True)
class _Answer:
    """The names of the GPUs that one source gives, and what is wrong with it."""

    source: str
    names: tuple[str, ...] = ()
    problem: str = ""

    @property
    def failed(self) -> bool:
        """Whether it is there, and did not answer well."""
        return self.problem not in {"", _ABSENT}


def find_devices(machine: Machine | None = None, interpreter: Interpreter | None = None) -> Devices:
    """Ask rocminfo, torch, the kernel and amd-smi; the first that knows a GPU decides.

    rocminfo and torch report xnack and sramecc too, and name what a program of this user can use.
    Torch is asked in the interpreter, if one is given and has a torch for ROCm: only that touches
    the GPUs.
    """
    machine = machine or Machine()
    built_in = _kernel(machine)
    answers: list[_Answer] = []
    for answer in _answers(machine, interpreter, built_in):
        answers.append(answer)
        if answer.names:
            break
    problems = tuple(_problems(machine, answers, built_in.names))
    if answers[-1].names:
        return Devices(answers[-1].names, answers[-1].source, problems)
    reasons = (f"{each.source} {each.problem or 'lists no GPU'}" for each in answers)
    return Devices(problems=problems, reason="; ".join(reasons))


def kernel_devices(machine: Machine) -> Devices:
    """Return the GPUs that the kernel driver lists, read from files alone."""
    found = _kernel(machine)
    return Devices(found.names, found.source)


def _answers(
    machine: Machine, interpreter: Interpreter | None, built_in: _Answer
) -> Iterator[_Answer]:
    """Ask one after the other, the best informed first."""
    yield _rocminfo(machine)
    if interpreter is not None:
        yield _torch(interpreter)
    yield built_in
    yield _amd_smi(machine)


def _rocminfo(machine: Machine) -> _Answer:
    printed = machine.ask("rocminfo")
    unheard = "" if _AGENTS in printed.stdout else "printed no HSA agents"
    return _Answer("rocminfo", _names_in(_ISA, printed), printed.problem or unheard)


def _amd_smi(machine: Machine) -> _Answer:
    printed = machine.ask("amd-smi", "static", "--asic", "--json")
    return _Answer(_AMD_SMI, _names_in(_GRAPHICS, printed), printed.problem)


def _names_in(pattern: re.Pattern[str], printed: Printed) -> tuple[str, ...]:
    return _valid(pattern.findall(printed.stdout))


def _torch(interpreter: Interpreter) -> _Answer:
    try:
        answer = interpreter.ask("devices", "targets")
    except InterpreterError as error:
        return _Answer("torch", problem=f"cannot be run: {str(error).splitlines()[0]}")
    return _Answer("torch", _valid(answer["targets"]), str(answer["reason"]))


def _kernel(machine: Machine) -> _Answer:
    """Read the driver's list of nodes, what is built in; a CPU is one too, with version 0."""
    folder = machine.path(_NODES)
    try:
        nodes = sorted((each for each in os.listdir(folder) if each.isdecimal()), key=int)
    except OSError:
        return _Answer(_NODES)
    versions = [_version(os.path.join(folder, each, "properties")) for each in nodes]
    return _Answer(_NODES, tuple(_processor(each) for each in versions if each))


def _version(properties: str) -> int:
    try:
        with open(properties, encoding="ascii") as file:
            match = _PROPERTY.search(file.read())
    except (OSError, ValueError):  # of a GPU that this container was not given
        return 0
    return int(match[1]) if match else 0


def _processor(version: int) -> str:
    """Return the name for a version in decimal digits, MMmmss: 90010 is gfx90a, 120001 gfx1201."""
    major, rest = divmod(version, 10_000)
    minor, stepping = divmod(rest, 100)
    return f"gfx{major}{minor:x}{stepping:x}"


def _valid(names: Iterable[str]) -> tuple[str, ...]:
    """Leave away what is not a name of a processor."""
    found = []
    for name in names:
        try:
            found.append(str(parse_target(name.lower())))
        except ValueError:
            continue
    return tuple(found)


def _problems(machine: Machine, answers: list[_Answer], built_in: tuple[str, ...]) -> Iterator[str]:
    rocminfo, usable = answers[0], answers[0].names
    if not usable and (rocminfo.failed or (built_in and rocminfo.problem)):
        yield f"rocminfo {rocminfo.problem}"
    elif not usable and built_in:
        yield (
            f"rocminfo lists no GPU, but the kernel driver lists {len(built_in)}: is this "
            "user in the groups render and video?"
        )
    for each in answers:
        if each.source == _AMD_SMI and each.failed:
            yield f"{_AMD_SMI} {each.problem}"
    override = machine.environment.get(_OVERRIDE)
    plain = {each.partition(":")[0] for each in usable}
    if override and plain and plain.isdisjoint(built_in) and built_in:
        yield (
            f"{_OVERRIDE}={override} is set: rocminfo reports {', '.join(sorted(plain))}, "
            f"but the GPU is {', '.join(sorted(set(built_in)))}"
        )
