"""The stack below a model: ROCm, PyTorch and the libraries around them, and what fits what."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocmlint.gpus.devices import Devices, find_devices
    from rocmlint.gpus.machine import Machine
    from rocmlint.interpreter.ask import Interpreter, InterpreterError
    from rocmlint.stack.changes import PackageChange
    from rocmlint.stack.install import (
        Installation,
        NoWheelsError,
        Wanted,
        Wheels,
        index_url,
        install_command,
    )
    from rocmlint.stack.installed import Distribution, Environment, read_environment
    from rocmlint.stack.migration import Plan, plan
    from rocmlint.stack.pins import Obstacle, Pin
    from rocmlint.stack.rocm import Rocm, RocmReading, find_rocm
    from rocmlint.stack.show import Stack, read_stack
    from rocmlint.stack.sources import installation
    from rocmlint.stack.state import State, freeze, read_state, write_state
    from rocmlint.stack.survival import Survival, survived
    from rocmlint.stack.torch_build import TorchBuild, read_torch
    from rocmlint.stack.verdicts import Verdict
    from rocmlint.stack.versions import VersionError

__all__ = [
    "Devices",
    "Distribution",
    "Environment",
    "Installation",
    "Interpreter",
    "InterpreterError",
    "Machine",
    "NoWheelsError",
    "Obstacle",
    "PackageChange",
    "Pin",
    "Plan",
    "Rocm",
    "RocmReading",
    "Stack",
    "State",
    "Survival",
    "TorchBuild",
    "Verdict",
    "VersionError",
    "Wanted",
    "Wheels",
    "find_devices",
    "find_rocm",
    "freeze",
    "index_url",
    "install_command",
    "installation",
    "plan",
    "read_environment",
    "read_stack",
    "read_state",
    "read_torch",
    "survived",
    "write_state",
]

_HOME = {
    "PackageChange": "rocmlint.stack.changes",
    "Devices": "rocmlint.gpus.devices",
    "Distribution": "rocmlint.stack.installed",
    "Environment": "rocmlint.stack.installed",
    "Installation": "rocmlint.stack.install",
    "Interpreter": "rocmlint.interpreter.ask",
    "InterpreterError": "rocmlint.interpreter.ask",
    "Machine": "rocmlint.gpus.machine",
    "NoWheelsError": "rocmlint.stack.install",
    "Obstacle": "rocmlint.stack.pins",
    "Pin": "rocmlint.stack.pins",
    "Plan": "rocmlint.stack.migration",
    "RocmReading": "rocmlint.stack.rocm",
    "Rocm": "rocmlint.stack.rocm",
    "Stack": "rocmlint.stack.show",
    "State": "rocmlint.stack.state",
    "Survival": "rocmlint.stack.survival",
    "TorchBuild": "rocmlint.stack.torch_build",
    "Verdict": "rocmlint.stack.verdicts",
    "VersionError": "rocmlint.stack.versions",
    "Wanted": "rocmlint.stack.install",
    "Wheels": "rocmlint.stack.install",
    "find_devices": "rocmlint.gpus.devices",
    "find_rocm": "rocmlint.stack.rocm",
    "freeze": "rocmlint.stack.state",
    "index_url": "rocmlint.stack.install",
    "install_command": "rocmlint.stack.install",
    "installation": "rocmlint.stack.sources",
    "plan": "rocmlint.stack.migration",
    "read_environment": "rocmlint.stack.installed",
    "read_stack": "rocmlint.stack.show",
    "read_state": "rocmlint.stack.state",
    "read_torch": "rocmlint.stack.torch_build",
    "survived": "rocmlint.stack.survival",
    "write_state": "rocmlint.stack.state",
}


def __getattr__(name: str) -> object:
    # A verb of the command needs a few of them, and none needs all. No module is called like what
    # it has here: once loaded, it would stand in its place.
    from rocmlint.lazy import exported  # noqa: PLC0415

    return exported(__name__, name, _HOME)
