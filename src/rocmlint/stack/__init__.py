"""The stack below a model: ROCm, PyTorch and the libraries around them, and what fits what."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocmlint.gpus.devices import Devices, find_devices
    from rocmlint.gpus.machine import Machine
    from rocmlint.interpreter.ask import Interpreter, InterpreterError
    from rocmlint.stack.installed.distributions import Distribution, Environment, read_environment
    from rocmlint.stack.installed.rocm import Rocm, RocmReading, find_rocm
    from rocmlint.stack.installed.torch_build import TorchBuild, read_torch
    from rocmlint.stack.migration import Plan, plan
    from rocmlint.stack.recorded.state import State, freeze, read_state, write_state
    from rocmlint.stack.show import Stack, read_stack
    from rocmlint.stack.survival import Survival, survived
    from rocmlint.stack.upgrade.changes import PackageChange
    from rocmlint.stack.upgrade.pins import Obstacle, Pin
    from rocmlint.stack.verdicts import Verdict
    from rocmlint.stack.versions import VersionError
    from rocmlint.stack.wheels.install import (
        Installation,
        NoWheelsError,
        Wanted,
        Wheels,
        index_url,
        install_command,
    )
    from rocmlint.stack.wheels.wheel_sources import installation

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
    "PackageChange": "rocmlint.stack.upgrade.changes",
    "Devices": "rocmlint.gpus.devices",
    "Distribution": "rocmlint.stack.installed.distributions",
    "Environment": "rocmlint.stack.installed.distributions",
    "Installation": "rocmlint.stack.wheels.install",
    "Interpreter": "rocmlint.interpreter.ask",
    "InterpreterError": "rocmlint.interpreter.ask",
    "Machine": "rocmlint.gpus.machine",
    "NoWheelsError": "rocmlint.stack.wheels.install",
    "Obstacle": "rocmlint.stack.upgrade.pins",
    "Pin": "rocmlint.stack.upgrade.pins",
    "Plan": "rocmlint.stack.migration",
    "RocmReading": "rocmlint.stack.installed.rocm",
    "Rocm": "rocmlint.stack.installed.rocm",
    "Stack": "rocmlint.stack.show",
    "State": "rocmlint.stack.recorded.state",
    "Survival": "rocmlint.stack.survival",
    "TorchBuild": "rocmlint.stack.installed.torch_build",
    "Verdict": "rocmlint.stack.verdicts",
    "VersionError": "rocmlint.stack.versions",
    "Wanted": "rocmlint.stack.wheels.install",
    "Wheels": "rocmlint.stack.wheels.install",
    "find_devices": "rocmlint.gpus.devices",
    "find_rocm": "rocmlint.stack.installed.rocm",
    "freeze": "rocmlint.stack.recorded.state",
    "index_url": "rocmlint.stack.wheels.install",
    "install_command": "rocmlint.stack.wheels.install",
    "installation": "rocmlint.stack.wheels.wheel_sources",
    "plan": "rocmlint.stack.migration",
    "read_environment": "rocmlint.stack.installed.distributions",
    "read_stack": "rocmlint.stack.show",
    "read_state": "rocmlint.stack.recorded.state",
    "read_torch": "rocmlint.stack.installed.torch_build",
    "survived": "rocmlint.stack.survival",
    "write_state": "rocmlint.stack.recorded.state",
}


def __getattr__(name: str) -> object:
    # A verb of the command needs a few of them, and none needs all. No module is called like what
    # it has here: once loaded, it would stand in its place.
    from rocmlint.lazy import exported  # noqa: PLC0415

    return exported(__name__, name, _HOME)
