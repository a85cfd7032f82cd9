"""What Gator (terminills/gator, backend/utils/rocm_utils.py at 806c70d) says wrongly is not said.

Each test is a flaw that was seen when its code ran; docs/development/origins.md lists them.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rocmlint.stack
from rocmlint.gpus.devices import find_devices
from rocmlint.stack.installed.distributions import read_environment
from rocmlint.stack.installed.rocm import find_rocm
from rocmlint.stack.installed.torch_build import TorchBuild, read_torch
from rocmlint.stack.wheels.install import NoWheelsError, index_url

if TYPE_CHECKING:
    from tests.support.stacks import FakeMachine

SERVER = "https://download.pytorch.org/whl"
READ_BY_NOBODY = ("GPU_MAX_ALLOC_PERCENT", "HCC_AMDGPU_TARGET")
"""In no file of torch 2.13, aiter, flash-attn, HIP and HSA 5.2.3."""
FOR_SOME_MACHINES_ONLY = ("NCCL_IB_DISABLE", "HSA_ENABLE_SDMA")
"""Each switches something off that works on most machines."""


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch, which `[test]` brings")
def test_a_cpu_torch_is_no_rocm_build() -> None:
    """Gator: ``hasattr(torch.version, "hip")``, which is True for every build."""
    torch = read_torch(read_environment())
    assert torch is not None
    version_file = ast.parse(Path(torch.source).read_text())
    names = [each.target for each in version_file.body if isinstance(each, ast.AnnAssign)]
    assert "hip" in [each.id for each in names if isinstance(each, ast.Name)]
    assert (torch.kind, torch.rocm_release) == ("CPU", "")


@pytest.mark.parametrize(
    ("rocm", "folder"),
    [("6.0.2", "rocm6.0"), ("6.1.3", "rocm6.1"), ("6.2.4", "rocm6.2.4"), ("6.3.4", "rocm6.3")],
)
def test_each_rocm_6_has_its_own_index(rocm: str, folder: str) -> None:
    """Gator: whl/rocm6.5/ for all of them, an index that never was."""
    assert index_url(rocm).url == f"{SERVER}/{folder}"


def test_there_are_no_wheels_for_rocm_6_5() -> None:
    """Gator: whl/rocm6.5/."""
    with pytest.raises(NoWheelsError, match=r"the nearest version with wheels is 6\.4"):
        index_url("6.5.0")


def test_the_version_of_hsa_is_not_rocms(here: FakeMachine) -> None:
    """Gator: ROCm 1.15.0, from the first line of rocminfo with "Version" in it."""
    here.program("rocminfo", "ROCk module is loaded\nRuntime Version:         1.15\n")
    assert find_rocm(here.machine).version == ""


def test_therocks_layout_is_read(here: FakeMachine) -> None:
    """Gator: 5.7.0, for every /opt/rocm that has no .info/version."""
    here.file("/opt/rocm/core-7.14/.info/version", "7.14.0\n")
    here.link("/opt/rocm/core", "core-7.14")
    assert find_rocm(here.machine).version == "7.14.0"


def test_a_folder_named_rocm_is_no_rocm_5_7(here: FakeMachine) -> None:
    here.file("/opt/rocm/share/doc/README", "")
    rocm = find_rocm(here.machine)
    assert (rocm.version, len(rocm.problems)) == ("", 1)


def test_rocm_path_is_not_asked_last(here: FakeMachine) -> None:
    """Gator: the HSA version of rocminfo counts before what ROCM_PATH names."""
    here.program("rocminfo", "Runtime Version:         1.15\n")
    here.file("/home/me/rocm/.info/version", "7.2.0\n")
    here.environment["ROCM_PATH"] = "/home/me/rocm"
    assert find_rocm(here.machine).version == "7.2.0"


@pytest.mark.parametrize(
    ("hip", "rocm"),
    [("7.1.25424", "7.1"), ("6.4.43484-123eb5128", "6.4"), ("7.15.26333", "")],
)
def test_hips_build_version_is_reduced_to_rocms(hip: str, rocm: str) -> None:
    """Gator: ``rocm_build_version`` is HIP's build as it is; from 7.15 on HIP is not ROCm."""
    assert TorchBuild("2.10.0", "HIP", "", hip=hip).rocm_release == rocm


def test_a_gpu_is_named_by_its_processor_not_by_its_marketing_name(here: FakeMachine) -> None:
    """Gator: "compute_9_4" for an MI300X, since its list of names does not have it."""
    here.file(
        "/sys/class/kfd/kfd/topology/nodes/1/properties",
        "simd_count 304\ngfx_target_version 90402\n",
    )
    assert find_devices(here.machine).architectures == ("gfx942",)


@pytest.mark.parametrize("name", [*READ_BY_NOBODY, *FOR_SOME_MACHINES_ONLY])
def test_no_variable_is_advised_that_nobody_reads_or_few_need(name: str) -> None:
    (folder,) = rocmlint.stack.__path__
    rooms = [Path(folder), Path(folder).parent / "cli" / "stack"]
    texts = [path.read_text() for room in rooms for path in room.glob("*.py")]
    assert len(texts) > 20
    assert not [text for text in texts if name in text]
