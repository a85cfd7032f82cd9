"""What the log or the machine says about the driver: kernel, DKMS, page faults, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.facts.machine import driver
from rocmlint.why.facts.value import UnreadFact
from tests.support.situations import Situation

if TYPE_CHECKING:
    from pathlib import Path

RELEASES = {
    "5.4.0-97-generic": "5.4.0-97-generic",
    "Linux home 5.15.0-105-generic #115-Ubuntu SMP x86_64": "5.15.0-105-generic",
    "Linux version 6.14.0-33-generic (buildd@lcy02) (gcc-13)": "6.14.0-33-generic",
    "Kernel: 6.12.100+deb13-amd64": "",
    "kernel: 6.8.0-49-generic": "6.8.0-49-generic",
    "driver 6.12.12-2164967 of amdgpu": "",
}
"""Lines, and the release of the kernel that they name."""


@pytest.mark.parametrize("line", RELEASES)
def test_a_log_names_the_kernel(line: str, tmp_path: Path) -> None:
    assert driver.kernel(Situation(tmp_path).context(line)) == RELEASES[line]


def test_a_kernel_that_is_not_known_is_not_older(tmp_path: Path) -> None:
    assert isinstance(driver.kernel_version(Situation(tmp_path).context("")), UnreadFact)


STATES = {
    "amdgpu, 5.11.32-1350682, 5.4.0-97-generic, x86_64: installed": "installed",
    "amdgpu/6.7.0-1756574.22.04, 5.4.0-97-generic, x86_64: built": "built",
    "amdgpu/6.7.0-1756574.22.04, 6.8.0-40-generic, x86_64: installed": "added",
    "amdgpu, 4.3-52.el7: added": "added",
    "nvidia/550.54, 5.4.0-97-generic, x86_64: installed": "",
}
"""Lines of ``dkms status``, and what they mean for the kernel 5.4.0-97-generic."""


@pytest.mark.parametrize("line", STATES)
def test_dkms_counts_for_the_running_kernel(line: str, tmp_path: Path) -> None:
    context = Situation(tmp_path).context(f"$ dkms status\n{line}\n$ uname -r\n5.4.0-97-generic\n")
    assert driver.dkms_state(context) == STATES[line]


def test_dkms_is_read_from_its_tree(tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    situation.here.file("/proc/sys/kernel/osrelease", "6.8.0-40-generic\n")
    situation.here.file("/var/lib/dkms/amdgpu/6.10.5-2084815/source/dkms.conf", "")
    assert driver.dkms_state(situation.context("")) == "added"
    situation.here.file("/var/lib/dkms/amdgpu/6.10.5-2084815/6.8.0-40-generic/x86_64/log", "")
    assert driver.dkms_state(situation.context("")) == "built"
    situation.here.file("/var/lib/dkms/amdgpu/kernel-6.8.0-40-generic-x86_64/log", "")
    assert driver.dkms_state(situation.context("")) == "installed"
    assert driver.dkms_version(situation.context("")) == "6.10.5-2084815"


@pytest.mark.parametrize(
    ("client", "unit"),
    [
        ("CPF (0x4)", "command processor"),
        ("CPC (0x5)", "command processor"),
        ("SDMA0 (0x8)", "copy engine"),
        ("TCP (0x8)", ""),
        ("SQC (data) (0xa)", ""),
    ],
)
def test_a_page_fault_has_a_client(client: str, unit: str, tmp_path: Path) -> None:
    line = f"[   67.058813] amdgpu 0000:c4:00.0: amdgpu:      Faulty UTCL2 client ID: {client}"
    assert driver.faulting_unit(Situation(tmp_path).context(line)) == unit


def test_the_log_shows_the_memory_that_the_gpu_was_given(tmp_path: Path) -> None:
    log = "$ cat /sys/class/drm/card*/device/mem_info_vram_total\n103079215104\n"
    situation = Situation(tmp_path)
    assert driver.given_memory(situation.context(log)) == 96
    assert isinstance(driver.given_memory(situation.context("")), UnreadFact)
