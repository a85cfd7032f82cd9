"""Which GPU a job has: as the log names it, else as the machine does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.facts.machine import gpus as facts
from rocmlint.why.facts.value import UnreadFact
from tests.support.situations import Situation

if TYPE_CHECKING:
    from pathlib import Path

NAMED = {
    "rocBLAS error: Cannot read x: No such file or directory for GPU arch : gfx1103": "gfx1103",
    "1 error generated when compiling for gfx1151.": "gfx1151",
    "Name: amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-": "gfx942",
    "Device 0: AMD Instinct MI50, gfx906:sramecc+:xnack- (0x906), VMM: no": "gfx906",
    "device: AMD Radeon RX 7900 XTX": "gfx1100",
    "RX 5700XT": "gfx1010",
    "AMD Instinct MI300X OAM": "gfx942",
    "AMD Radeon 780M Graphics": "gfx1103",
    "AMD Ryzen AI Max+ 395 (Strix Halo)": "gfx1151",
    "AMD Radeon AI PRO R9700": "gfx1201",
    "RX 6700 here": "gfx1031",
    "supported: gfx900 gfx906 gfx908 gfx90a": "",
    "PYTORCH_ROCM_ARCH=gfx942": "",
    "/lib/rocblas/library/Kernels.so-000-gfx1100.hsaco": "",
    "gfx942 or gfx950": "",
    "step 7900 of 9000, 300M parameters": "",
}
"""Lines, and the GPU that they name."""


@pytest.mark.parametrize("line", NAMED)
def test_a_log_names_the_gpu_that_a_program_used(line: str, tmp_path: Path) -> None:
    found = facts.gpus(Situation(tmp_path).context(line))
    assert (found if isinstance(found, tuple) else ()) == tuple(filter(None, [NAMED[line]]))


def test_the_log_goes_before_the_machine(tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    situation.gpus("gfx942", "gfx942")
    assert facts.gpus(situation.context("compiling for gfx1151")) == ("gfx1151",)
    assert facts.gpus(situation.context("no GPU in this line")) == ("gfx942",)
    assert facts.gpu_count(situation.context("")) == 2


def test_a_gpu_that_nobody_names_is_unread_with_a_command(tmp_path: Path) -> None:
    found = facts.gpus(Situation(tmp_path).context("RuntimeError"))
    assert found == UnreadFact("the GPU", "rocminfo | grep gfx")


@pytest.mark.parametrize(
    ("gpu", "value", "fits", "usual"),
    [
        ("gfx1031", "", None, "10.3.0"),
        ("gfx1031", "10.3.0", True, ""),
        ("gfx1102", "eleven", None, "11.0.0"),
        ("gfx1151", "11.0.0", False, ""),
        ("gfx1201", "11.0.0", False, ""),
        ("gfx1030", "10.3.0", True, ""),
        ("gfx1100", "", None, ""),
        ("gfx90a", "9.4.2", False, ""),
        ("gfx1103", "", None, ""),
    ],
)
def test_an_override_is_for_gpus_that_run_the_code_of_the_other(
    gpu: str, value: str, *, fits: bool | None, usual: str, tmp_path: Path
) -> None:
    situation = Situation(tmp_path)
    situation.gpus(gpu)
    situation.here.environment["HSA_OVERRIDE_GFX_VERSION"] = value
    context = situation.context("RuntimeError")
    assert facts.override_fits(context) is fits
    assert facts.stand_in(context) == usual


@pytest.mark.parametrize(
    ("gpus", "integrated"),
    [
        (("gfx1036", "gfx1100"), "gfx1036"),
        (("gfx1151",), ""),
        (("gfx942", "gfx942"), ""),
        (("gfx1100", "gfx1036"), "gfx1036"),
    ],
)
def test_an_integrated_gpu_is_told_only_beside_another_one(
    gpus: tuple[str, ...], integrated: str, tmp_path: Path
) -> None:
    situation = Situation(tmp_path)
    situation.gpus(*gpus)
    assert facts.integrated(situation.context("")) == integrated


def test_without_any_word_it_is_open_whether_the_gpu_is_of_amd(tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    assert isinstance(facts.amd_gpu(situation.context("")), UnreadFact)
    situation.here.file("/sys/bus/pci/devices/0000:03:00.0/class", "0x030000\n")
    situation.here.file("/sys/bus/pci/devices/0000:03:00.0/vendor", "0x10de\n")
    context = situation.context("")
    assert facts.amd_gpu(context) is False
    assert facts.nvidia_gpu(context) is True
