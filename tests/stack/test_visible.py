"""What a job sees of the GPUs, by the variables that hide them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.gpus.devices import Devices
from rocmlint.stack.checks.visible import visible

if TYPE_CHECKING:
    from tests.support.stacks import FakeEnvironment, FakeMachine

EIGHT = Devices(("gfx942",) * 8, "rocminfo")
MIXED = Devices(("gfx1100", "gfx1036"), "rocminfo")


@pytest.mark.parametrize(
    ("variables", "devices", "sees"),
    [
        ({"HIP_VISIBLE_DEVICES": "-1"}, EIGHT, "no GPU"),
        ({"HIP_VISIBLE_DEVICES": ""}, EIGHT, "no GPU"),
        ({"HIP_VISIBLE_DEVICES": "0,2"}, EIGHT, "2 GPUs: gfx942, gfx942"),
        ({"HIP_VISIBLE_DEVICES": "0"}, MIXED, "1 GPU: gfx1100"),
        ({"HIP_VISIBLE_DEVICES": "1,0"}, MIXED, "2 GPUs: gfx1036, gfx1100"),
        ({"HIP_VISIBLE_DEVICES": "0,9,1"}, MIXED, "1 GPU: gfx1100"),
        ({"HIP_VISIBLE_DEVICES": "0,0"}, MIXED, "no GPU"),
        ({"CUDA_VISIBLE_DEVICES": "1"}, MIXED, "1 GPU: gfx1036"),
        ({"CUDA_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "0"}, MIXED, "1 GPU: gfx1100"),
        ({"HIP_VISIBLE_DEVICES": "GPU-1f2e"}, MIXED, "1 GPU: GPU-1f2e"),
        ({"ROCR_VISIBLE_DEVICES": "1"}, Devices(MIXED.names, "amd-smi static"), "1 GPU: gfx1036"),
        (
            {"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "0"},
            Devices(MIXED.names, "amd-smi static"),
            "1 GPU: gfx1036",
        ),
    ],
)
def test_a_note_says_what_a_job_would_see(
    variables: dict[str, str], devices: Devices, sees: str
) -> None:
    (verdict,) = visible(variables, devices)
    assert verdict.judgement == "note"
    assert verdict.reason == f"a job in this environment sees {sees}"


@pytest.mark.parametrize(
    ("variables", "devices"),
    [
        ({}, EIGHT),
        ({"HIP_VISIBLE_DEVICES": "0,1"}, MIXED),
        ({"HIP_VISIBLE_DEVICES": "-1"}, Devices()),
        # rocminfo lists what ROCr leaves.
        ({"ROCR_VISIBLE_DEVICES": "3,4"}, MIXED),
    ],
)
def test_nothing_is_said_where_a_job_sees_all(variables: dict[str, str], devices: Devices) -> None:
    assert list(visible(variables, devices)) == []


@pytest.mark.parametrize("value", ["9" * 5000, "\x1b[31m0", "٣", ",".join(["0"] * 100_000)])
def test_a_list_of_anything_is_read_to_the_end(value: str) -> None:
    (verdict,) = visible({"HIP_VISIBLE_DEVICES": value}, EIGHT)
    assert len(verdict.package) + len(verdict.reason) < 200


def test_show_takes_the_variables_of_the_machine(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    here.program("rocminfo", "HSA Agents\n  Name:   amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-\n")
    here.environment["HIP_VISIBLE_DEVICES"] = "-1"
    verdicts = packages.show(here).verdicts
    (note,) = (each for each in verdicts if each.grade == "variable")
    assert (note.package, note.on) == ("HIP_VISIBLE_DEVICES=-1", "1 GPU")


def test_a_hidden_gpu_is_not_compared_with_what_torch_has_code_for(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    isa = "  Name:   amdgcn-amd-amdhsa--{}\n"
    here.program("rocminfo", f"HSA Agents\n{isa.format('gfx1100')}{isa.format('gfx1036')}")
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("torch", "2.10.0+rocm7.1")
    assert "gfx1036" in {each.on for each in packages.show(here).verdicts}
    here.environment["HIP_VISIBLE_DEVICES"] = "0"
    assert "gfx1036" not in {each.on for each in packages.show(here).verdicts}
