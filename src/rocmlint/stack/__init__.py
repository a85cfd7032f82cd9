"""The stack below a model: ROCm, PyTorch and the libraries around them, and what fits what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import exports

if TYPE_CHECKING:
    from rocmlint.gpus.devices import Devices as Devices
    from rocmlint.gpus.devices import find_devices as find_devices
    from rocmlint.gpus.machine import Machine as Machine
    from rocmlint.interpreter.ask import Interpreter as Interpreter
    from rocmlint.interpreter.ask import InterpreterError as InterpreterError
    from rocmlint.stack.installed.distributions import Distribution as Distribution
    from rocmlint.stack.installed.distributions import Environment as Environment
    from rocmlint.stack.installed.distributions import read_environment as read_environment
    from rocmlint.stack.installed.rocm import Rocm as Rocm
    from rocmlint.stack.installed.rocm import RocmReading as RocmReading
    from rocmlint.stack.installed.rocm import find_rocm as find_rocm
    from rocmlint.stack.installed.torch_build import TorchBuild as TorchBuild
    from rocmlint.stack.installed.torch_build import read_torch as read_torch
    from rocmlint.stack.migration import Plan as Plan
    from rocmlint.stack.migration import plan as plan
    from rocmlint.stack.recorded.state import State as State
    from rocmlint.stack.recorded.state import freeze as freeze
    from rocmlint.stack.recorded.state import read_state as read_state
    from rocmlint.stack.recorded.state import write_state as write_state
    from rocmlint.stack.show import Stack as Stack
    from rocmlint.stack.show import read_stack as read_stack
    from rocmlint.stack.survival import Survival as Survival
    from rocmlint.stack.survival import survived as survived
    from rocmlint.stack.upgrade.changes import PackageChange as PackageChange
    from rocmlint.stack.upgrade.pins import Obstacle as Obstacle
    from rocmlint.stack.upgrade.pins import Pin as Pin
    from rocmlint.stack.verdicts import Verdict as Verdict
    from rocmlint.stack.versions import VersionError as VersionError
    from rocmlint.stack.wheels.install import Installation as Installation
    from rocmlint.stack.wheels.install import NoWheelsError as NoWheelsError
    from rocmlint.stack.wheels.install import Wanted as Wanted
    from rocmlint.stack.wheels.install import Wheels as Wheels
    from rocmlint.stack.wheels.install import index_url as index_url
    from rocmlint.stack.wheels.install import install_command as install_command
    from rocmlint.stack.wheels.wheel_sources import installation as installation
else:
    # A verb of the command needs a few of them, and none needs all. No module is called like what
    # it has here: once loaded, it would stand in its place.
    __all__, __getattr__ = exports(
        __name__,
        {
            "rocmlint.gpus.devices": "Devices find_devices",
            "rocmlint.gpus.machine": "Machine",
            "rocmlint.interpreter.ask": "Interpreter InterpreterError",
            "rocmlint.stack.installed.distributions": "Distribution Environment read_environment",
            "rocmlint.stack.installed.rocm": "Rocm RocmReading find_rocm",
            "rocmlint.stack.installed.torch_build": "TorchBuild read_torch",
            "rocmlint.stack.migration": "Plan plan",
            "rocmlint.stack.recorded.state": "State freeze read_state write_state",
            "rocmlint.stack.show": "Stack read_stack",
            "rocmlint.stack.survival": "Survival survived",
            "rocmlint.stack.upgrade.changes": "PackageChange",
            "rocmlint.stack.upgrade.pins": "Obstacle Pin",
            "rocmlint.stack.verdicts": "Verdict",
            "rocmlint.stack.versions": "VersionError",
            "rocmlint.stack.wheels.install": (
                "Installation NoWheelsError Wanted Wheels index_url install_command"
            ),
            "rocmlint.stack.wheels.wheel_sources": "installation",
        },
    )
