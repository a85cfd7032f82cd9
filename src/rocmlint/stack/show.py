"""The whole stack at once: ROCm, GPUs, torch, packages, and a verdict on each pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.gpus.devices import Devices, find_devices
from rocmlint.gpus.machine import Machine
from rocmlint.interpreter.ask import Interpreter
from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds, kept
from rocmlint.stack.advice.torch_command import surroundings_of
from rocmlint.stack.checks.amd_packages import amd_packages
from rocmlint.stack.checks.companions import companions
from rocmlint.stack.checks.compiled import compiled
from rocmlint.stack.checks.declared import declared
from rocmlint.stack.checks.doubles import doubles
from rocmlint.stack.checks.driver import Driver, driver_and_rocm, find_driver
from rocmlint.stack.checks.guards import guards
from rocmlint.stack.checks.import_checks import imports
from rocmlint.stack.checks.jax import jax, plugins
from rocmlint.stack.checks.rivals import has_onnxruntime, rivals
from rocmlint.stack.checks.torch_and_rocm import torch_and_project, torch_and_rocm
from rocmlint.stack.checks.visible import seen_by_a_job, visible
from rocmlint.stack.installed.distributions import Environment, read_environment
from rocmlint.stack.installed.project_of_folder import rocm_evidence
from rocmlint.stack.installed.rocm import Rocm, find_rocm
from rocmlint.stack.installed.rocm_of_torch import RocmOfTorch, rocm_of_torch
from rocmlint.stack.installed.torch_build import TorchBuild, read_torch
from rocmlint.stack.verdicts import Verdict, conflicts_first, exit_code

if TYPE_CHECKING:
    from rocmlint.stack.checks.smoke import Observed


_UNKNOWN = 3
_NOTHING_TO_COMPARE = (
    "whether the packages are compatible: no two packages of the stack are installed, and there is "
    "neither a ROCm nor a GPU that torch could be compared with"
)


@dataclass(frozen=True)
class Stack:
    """The stack that is here. ``torch`` is None without one; ``observed`` without ``smoke``."""

    rocm: Rocm
    devices: Devices
    torch: TorchBuild | None
    environment: Environment
    verdicts: tuple[Verdict, ...]
    observed: Observed | None = None
    driver: Driver | None = None
    kept: KeptBuilds = NOTHING
    """Builds that commands in verdicts leave alone: none if torch is not for the ROCm."""
    rocm_of_torch: RocmOfTorch = ""
    """Where torch has ROCm's libraries from."""

    @property
    def exit_code(self) -> int:
        """1 for a conflict, 3 where not all could be answered, else 0."""
        code = exit_code(self.verdicts)
        return 3 if code == 0 and self.environment.unreadable else code

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Questions without an answer, a line each; the exit code is 3 if nothing is wrong."""
        open_ones = [each for each in self.verdicts if each.judgement == "unknown"]
        lines = [
            each.reason
            if each.reason.startswith(each.package)
            else f"{each.package}: {each.reason}"
            for each in open_ones
        ]
        lines += [each.replace(": has", " has", 1) for each in self.environment.unreadable]
        if not lines and self.exit_code == _UNKNOWN:
            lines = [_NOTHING_TO_COMPARE]
        return tuple(dict.fromkeys(lines))


def read_stack(  # noqa: PLR0913 - all have defaults
    interpreter: Interpreter | None = None,
    *,
    smoke: bool = False,
    machine: Machine | None = None,
    constraints: str = "",
    project: str = "",
    environment: Environment | None = None,
) -> Stack:
    """Look at an interpreter and the machine; with ``smoke`` import the packages, in children.

    ``constraints`` is the path of a constraints file, to be named in commands in place of torch.
    ``project`` is the folder of a project that torch is meant for, if any. ``environment`` is what
    the interpreter has, where that was read before.
    Raises InterpreterError where the interpreter cannot be asked.
    """
    interpreter, machine = interpreter or Interpreter(), machine or Machine()
    environment = environment or read_environment(interpreter)
    torch = read_torch(environment)
    libraries = rocm_of_torch(torch, environment)
    rocm = find_rocm(machine, environment, torch, includes=libraries == "torch")
    devices = find_devices(machine)
    beside_torch = rocm.without_torch
    place = surroundings_of(environment, beside_torch.version, devices.architectures)
    observed = None
    if smoke:
        from rocmlint.stack.checks.smoke import smoke as import_all  # noqa: PLC0415 - seldom wanted

        observed = import_all(interpreter, environment, devices, place)
    driver = find_driver(machine, environment)
    needs_torch = torch is not None or not (plugins(environment) or has_onnxruntime(environment))
    seen = seen_by_a_job(machine.environment, devices)
    judged = torch_and_rocm(torch, beside_torch, seen, libraries, place) if needs_torch else ()
    of_torch = tuple(judged)
    if torch is not None and project and not of_torch:
        of_torch = tuple(torch_and_project(torch, rocm_evidence(project), place))
    twice = tuple(doubles(environment))
    goes = any(each.judgement == "conflict" for each in of_torch)
    of_amd = tuple(amd_packages(environment, seen, replaces_torch=goes))
    stays = not goes and not any(each.judgement == "conflict" for each in (*of_amd, *twice))
    keep = replace(kept(environment), constraints=constraints) if stays else NOTHING
    beside = (
        *jax(environment, beside_torch, devices, place),
        *compiled(environment, torch, beside_torch, keep, place),
        *rivals(environment, torch, beside_torch),
    )
    verdicts = (
        *of_torch,
        *of_amd,
        *twice,
        *driver_and_rocm(driver, torch, beside_torch),
        *(replace(each, action=keep.added_to(each.action)) for each in beside),
        *visible(machine.environment, devices),
        *companions(environment, place),
        *declared(environment, keep, place),
        *guards(environment, keep, place),
        *imports(environment, keep),
        *(observed.verdicts if observed else ()),
    )
    return Stack(
        rocm,
        devices,
        torch,
        environment,
        conflicts_first(verdicts),
        observed,
        driver,
        keep,
        libraries,
    )
