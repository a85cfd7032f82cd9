"""Which driver is loaded, which release of AMD's it is, and whether AMD lists it for the ROCm."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.published import drivers
from rocmlint.stack.checks.driver import Driver, driver_and_rocm, find_driver, unknown
from rocmlint.stack.installed.rocm import Rocm, RocmReading
from rocmlint.stack.installed.torch_build import TorchBuild
from tools import build_drivers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from tests.support.stacks import FakeEnvironment, FakeMachine


UBUNTU = "Linux version 6.14.0-29-generic (buildd@lcy02) (x86_64-linux-gnu-gcc-13) #29~24.04\n"


def dkms(here: FakeMachine, module: str, package: str = "") -> Driver:
    here.file("/proc/version", UBUNTU)
    here.file("/sys/module/amdgpu/version", f"{module}\n")
    if package:
        here.file(
            "/var/lib/dpkg/status",
            f"Package: amdgpu-dkms\nStatus: install ok installed\nVersion: {package}\n",
        )
    driver = find_driver(here.machine)
    assert driver is not None
    return driver


@pytest.mark.parametrize(
    ("module", "package", "release"),
    [
        ("6.16.13", "1:6.16.13.30300100-2303411.24.04", "30.30.1"),
        ("6.12.12", "1:6.12.12.60402-2187269.22.04", "6.4.2"),
        ("7.1.3", "1:7.1.3.31500000-2390945.24.04", "31.50.0"),
        ("6.16.6", "", "30.20"),
        ("6.14.14", "", "30.10"),
        # The package was upgraded, and the old module is loaded until the next boot.
        ("6.14.14", "1:6.16.13.30300100-2303411.24.04", "30.10"),
        ("6.99.0", "", ""),
    ],
)
def test_the_release_of_amds_driver_is_told_by_its_package_or_its_module(
    here: FakeMachine, module: str, package: str, release: str
) -> None:
    driver = dkms(here, module, package)
    assert (driver.kind, driver.version, driver.release) == ("amdgpu-dkms", module, release)


def test_rpms_package_tells_it_too(here: FakeMachine) -> None:
    here.file("/var/lib/rpm/Packages", "")
    here.program("rpm", "amdgpu-dkms 6.8.5.60200\n")
    driver = dkms(here, "6.8.5")
    assert (driver.release, driver.source) == (
        "6.2.0",
        "/sys/module/amdgpu/version, rpm: amdgpu-dkms",
    )


def test_linux_itself_has_a_driver_without_a_version(here: FakeMachine) -> None:
    here.file("/proc/version", UBUNTU)
    here.file("/sys/module/amdgpu/srcversion", "A6F143BEC60C0AFC3263226\n")
    driver = find_driver(here.machine)
    assert driver == Driver("Linux", "6.14.0-29-generic", "/proc/version")
    assert unknown(driver, "7.2") == (
        f"AMD's matrix ({drivers.as_of()}) covers amdgpu-dkms only: whether this driver supports "
        "ROCm 7.2 is unknown"
    )


def test_without_a_module_there_is_no_driver(here: FakeMachine) -> None:
    here.file("/proc/version", UBUNTU)
    assert find_driver(here.machine) is None


def test_below_wsl_the_driver_is_that_of_windows(here: FakeMachine) -> None:
    here.file("/proc/version", "Linux version 6.6.87.2-microsoft-standard-WSL2 (root@x)\n")
    here.file("/dev/dxg", "")
    driver = find_driver(here.machine)
    assert driver is not None
    assert str(driver) == "Windows driver, under WSL, Linux 6.6.87.2-microsoft-standard-WSL2"
    assert driver.note.startswith(
        "librocdxg.so, through which ROCm reaches the Windows driver, was"
    )
    here.file("/opt/rocm/lib/librocdxg.so", "")
    bridged = find_driver(here.machine)
    assert bridged is not None
    assert bridged.note == f"{here.root}/opt/rocm/lib/librocdxg.so is installed"


def test_amds_wheels_have_what_rocm_needs_below_wsl(
    here: FakeMachine, packages: FakeEnvironment
) -> None:
    here.file("/dev/dxg", "")
    packages.install("rocm-sdk-core", "7.14.0")
    library = packages.write("_rocm_sdk_core/lib/librocdxg.so.1", "")
    driver = packages.show(here).driver
    assert driver is not None
    assert driver.note == f"{library} is installed"


def test_a_container_below_wsl_without_the_device_is_told(here: FakeMachine) -> None:
    here.file("/proc/version", "Linux version 6.6.87.2-microsoft-standard-WSL2 (root@x)\n")
    driver = find_driver(here.machine)
    assert driver is not None
    assert driver.note.startswith("/dev/dxg is missing")


@pytest.mark.parametrize("path", ["/sys/module/amdgpu/version", "/proc/version"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(here: FakeMachine, path: str) -> None:
    here.file(path, "").unlink()
    os.mkfifo(here.root / path.lstrip("/"))
    found = find_driver(here.machine)
    assert found is None or found.version == "of unknown version"


def judged(driver: str, wanted: str) -> list[tuple[str, str]]:
    rocm = Rocm((RocmReading("amd-smi version", "program", f"{wanted}.0"),))
    here = Driver("amdgpu-dkms", "", "", driver)
    return [(each.judgement, each.reason) for each in driver_and_rocm(here, None, rocm)]


@pytest.mark.parametrize(
    ("driver", "wanted", "expected"),
    [
        ("30.30.1", "7.2", "fits"),
        ("30.30.1", "10.0", "fits"),
        ("6.3.4", "7.0", "fits"),
        ("6.3.4", "7.2", "note"),
        ("31.40.0", "6.4", "note"),
    ],
)
def test_the_driver_is_compared_with_the_rocm_by_amds_matrix(
    driver: str, wanted: str, expected: str
) -> None:
    ((judgement, reason),) = judged(driver, wanted)
    assert judgement == expected
    if expected == "note":
        assert reason.startswith(f"AMD's matrix ({drivers.as_of()}) lists this driver with ROCm ")
        assert reason.endswith(f", not with {wanted}")


@pytest.mark.parametrize(
    ("driver", "wanted", "why"),
    [
        ("30.30.1", "7.10", "does not list ROCm 7.10: whether this driver supports it is unknown"),
        ("31.30.0", "7.14", "does not list this driver: whether it supports ROCm 7.14 is unknown"),
        ("", "7.2", "does not list this driver: whether it supports ROCm 7.2 is unknown"),
    ],
)
def test_what_amd_does_not_list_is_said_to_be_unknown(driver: str, wanted: str, why: str) -> None:
    assert judged(driver, wanted) == []
    told = unknown(Driver("amdgpu-dkms", "", "", driver), wanted)
    assert told == f"AMD's matrix ({drivers.as_of()}) {why}"


def test_what_counts_is_the_rocm_that_torch_brings() -> None:
    torch = TorchBuild("2.11.0+rocm7.2", "HIP", "", hip="7.2.53211", rocm="7.2")
    rocm = Rocm((RocmReading("amd-smi version", "program", "6.4.1"),))
    (verdict,) = driver_and_rocm(Driver("amdgpu-dkms", "", "", "6.3.4"), torch, rocm)
    assert (verdict.found, verdict.judgement) == ("7.2", "note")


def test_show_names_the_driver(packages: FakeEnvironment, here: FakeMachine) -> None:
    packages.torch("2.11.0+rocm7.2", "7.2.53211")
    dkms(here, "6.16.13")
    stack = packages.show(here)
    assert stack.driver is not None
    assert str(stack.driver) == "amdgpu-dkms 6.16.13 (AMD's 30.30)"
    assert [each.judgement for each in stack.verdicts if each.package == "amdgpu"] == ["fits"]


def test_the_shipped_table_is_what_the_recorded_facts_make() -> None:
    recorded = tomllib.loads(build_drivers.RECORDED.read_text())
    made = build_drivers.written(build_drivers.table(recorded))
    assert build_drivers.OUTPUT.read_text() == made


def test_the_matrix_is_read_from_the_page() -> None:
    page = '.. csv-table::\n    "30.10.x", "6.4.x, 7.0.x, 10.0.0"\n    "6.4.x", "6.1.x"\n'
    assert build_drivers.matrix(page) == {"30.10": ["6.4", "7.0", "10.0"], "6.4": ["6.1"]}
    with pytest.raises(ValueError, match="no table"):
        build_drivers.matrix("a page")
