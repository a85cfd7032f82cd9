"""Which GPUs there are, by the word of whoever knows most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.gpus.devices import find_devices
from rocmlint.gpus.machine import Machine
from rocmlint.gpus.target import Target
from rocmlint.interpreter.ask import Interpreter
from tests.support.environments import Environment
from tests.support.stacks import ROCMINFO

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.stacks import FakeMachine


def nodes(here: FakeMachine, *versions: int) -> None:
    """Write the kernel's list; of a CPU the version is 0."""
    for number, version in enumerate(versions):
        here.file(
            f"/sys/class/kfd/kfd/topology/nodes/{number}/properties",
            f"cpu_cores_count 0\nsimd_count 304\ngfx_target_version {version}\nvendor_id 4098\n",
        )


def test_each_gpu_that_rocminfo_names_counts(here: FakeMachine) -> None:
    here.program("rocminfo", ROCMINFO)
    devices = find_devices(here.machine)
    assert devices.names == ("gfx942:sramecc+:xnack-",) * 2
    assert (devices.architectures, devices.source) == (("gfx942",), "rocminfo")


def test_what_rocminfo_never_prints_is_told(here: FakeMachine) -> None:
    here.program("rocminfo", "\x00\x1b[2Jgarbage\n")
    assert find_devices(here.machine).problems == ("rocminfo printed no HSA agents",)


def test_without_rocminfo_the_kernels_list_is_read(here: FakeMachine) -> None:
    nodes(here, 0, 90010, 90402, 100300, 110501, 120001)
    assert find_devices(here.machine).names == (
        "gfx90a",
        "gfx942",
        "gfx1030",
        "gfx1151",
        "gfx1201",
    )


def test_a_gpu_that_the_user_may_not_use_is_told(here: FakeMachine) -> None:
    nodes(here, 0, 90402)
    here.program("rocminfo", "ROCk module is loaded\nUnable to open /dev/kfd\n", code=1)
    devices = find_devices(here.machine)
    assert devices.names == ("gfx942",)
    assert devices.problems == ("rocminfo failed with exit code 1: Unable to open /dev/kfd",)


def test_a_gpu_that_is_made_to_look_like_another_is_told(here: FakeMachine) -> None:
    nodes(here, 0, 90402)
    here.program("rocminfo", "      Name:   amdgcn-amd-amdhsa--gfx1030\n")
    here.environment["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0"
    (problem,) = find_devices(here.machine).problems
    assert "rocminfo reports gfx1030, but the GPU is gfx942" in problem


def test_amd_smi_names_gpus_where_nobody_else_does(here: FakeMachine) -> None:
    said = '{"gpu_data": [{"gpu": 0, "asic": {"target_graphics_version": "GFX1100"}}]}'
    here.program("amd-smi", said)
    devices = find_devices(here.machine)
    assert (devices.names, devices.source) == (("gfx1100",), "amd-smi static")


def test_rocminfo_that_hangs_is_one_line(here: FakeMachine) -> None:
    here.program("rocminfo", does="sleep 600")
    machine = Machine(str(here.root), here.environment, seconds=0.5)
    (problem,) = find_devices(machine).problems
    assert problem.startswith("rocminfo did not answer within 0.5 s")


def torch_that_sees(target: str, folder: Path) -> Interpreter:
    """Return an interpreter with a torch for ROCm that sees two GPUs of a kind."""
    environment = Environment(folder)
    environment.write("torch/version.py", "__version__ = '2.13.0+rocm7.2'\nhip = '7.2.1'\n")
    environment.write(
        "torch/__init__.py",
        "class cuda:\n"
        "    device_count = staticmethod(lambda: 2)\n"
        "    class get_device_properties:\n"
        f"        def __init__(self, index): self.gcnArchName = {target!r}\n",
    )
    return Interpreter(str(environment.python))


def test_torch_knows_more_than_the_kernel(here: FakeMachine, tmp_path: Path) -> None:
    nodes(here, 0, 90402, 90402)
    torch = torch_that_sees("gfx942:sramecc+:xnack-", tmp_path / ".venv")
    devices = find_devices(here.machine, torch)
    assert (devices.names, devices.source) == (("gfx942:sramecc+:xnack-",) * 2, "torch")


def test_torch_is_not_asked_without_an_interpreter(here: FakeMachine) -> None:
    assert "torch" not in find_devices(here.machine).reason


def test_the_kernel_is_asked_where_torch_is_for_another_platform(
    here: FakeMachine, tmp_path: Path
) -> None:
    nodes(here, 0, 90402)
    environment = Environment(tmp_path / ".venv")
    environment.write("torch/version.py", "__version__ = '2.13.0+cu128'\n")
    environment.write("torch/__init__.py", "raise RuntimeError('no GPU of NVIDIA')\n")
    devices = find_devices(here.machine, Interpreter(str(environment.python)))
    assert devices.names == ("gfx942",)


def test_gpus_of_a_kind_are_one_target(here: FakeMachine) -> None:
    here.program("rocminfo", ROCMINFO)
    assert find_devices(here.machine).targets == (Target("gfx942", ("sramecc+", "xnack-")),)


def test_what_is_no_name_of_a_processor_is_left_away(here: FakeMachine) -> None:
    here.program("rocminfo", "HSA Agents\n  Name: amdgcn-amd-amdhsa--gfx942:what?\n")
    assert find_devices(here.machine).names == ()


def test_without_a_gpu_each_who_was_asked_says_why(here: FakeMachine) -> None:
    here.program("rocminfo", "HSA Agents\n", code=1)
    devices = find_devices(here.machine)
    assert devices.reason == (
        "rocminfo failed with exit code 1: HSA Agents; "
        "/sys/class/kfd/kfd/topology/nodes lists no GPU; amd-smi static is not installed"
    )
