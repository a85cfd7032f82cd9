"""Parts of AMD's wheels that are missing, broken or left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.wheels.amd_parts import is_build_of_amd

if TYPE_CHECKING:
    from tests.support.stacks import FakeEnvironment, FakeMachine


def test_a_package_rocm_without_the_core_is_another_one(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("rocm", "0.2.1")
    assert packages.show(here).rocm.readings == ()


@pytest.mark.parametrize(
    ("version", "problems"),
    [
        ("latest", ["has no valid version"]),
        ("0.1.dev0", []),  # those of ROCm 7.1.1 for Windows
        ("0.0.0.dev0+849eec4", []),
    ],
)
def test_a_core_whose_version_names_no_rocm_is_valid_all_the_same(
    packages: FakeEnvironment, here: FakeMachine, version: str, problems: list[str]
) -> None:
    packages.install("rocm-sdk-core", version)
    rocm = packages.show(here).rocm
    assert [each.problem for each in rocm.problems] == problems
    assert rocm.version == ""


def test_a_cpu_torch_over_amds_wheels_leads_to_amds_torch(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("rocm-sdk-core", "7.13.0")
    packages.torch("2.14.1")
    (conflict,) = (each for each in packages.show(here).verdicts if each.judgement == "conflict")
    assert conflict.action == "rocmlint stack install-command --rocm 7.13.0 --gpu gfx..."


def test_code_of_amds_torch_is_not_wanted_beside_the_torch_of_pytorch(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("rocm-sdk-core", "7.14.1")
    packages.install("amd-torch-device-gfx1151", "2.12.0+rocm7.14.1")
    packages.torch("2.14.1+rocm7.14", "7.14.60850")
    (note,) = (each for each in packages.show(here).verdicts if each.judgement != "fits")
    assert note.reason.endswith("but torch 2.14.1+rocm7.14 is a build of PyTorch's")
    assert note.action == (
        "if torch 2.14.1+rocm7.14 stays: pip uninstall -y amd-torch-device-gfx1151"
    )


def test_code_for_a_gpu_waits_for_the_torch_that_is_advised(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    for name in ("rocm", "rocm-sdk-core", "rocm-sdk-libraries"):
        packages.install(name, "10.2.0a20261120")
    packages.torch("2.14.1")
    here.program("rocminfo", "  Name:                    amdgcn-amd-amdhsa--gfx950\n")
    told = {
        each.package: each.action
        for each in packages.show(here).verdicts
        if each.judgement == "conflict"
    }
    assert told["torch"].endswith("install-command --nightly --source amd")  # of a newer ROCm
    assert told["rocm-sdk-libraries"] == (
        "install the other torch first, then run this again: it may come with another ROCm"
    )


@pytest.mark.parametrize(
    ("version", "is_of_amd"),
    [
        ("2.12.0+rocm7.14.1", True),
        ("2.9.1+rocm7.2.1.lw.gitff65f5bc", True),
        ("2.15.0a0+rocm10.2.0a20261120", True),
        ("2.14.1+rocm7.14", False),
        ("2.5.1+rocm6.2.4", False),
        ("2.16.0.dev20261115+rocm10.0", False),
        ("2.12.0", False),
    ],
)
def test_the_label_tells_whose_build_it_is(version: str, is_of_amd: bool) -> None:
    assert is_build_of_amd(version) is is_of_amd


def test_a_part_that_is_missing_comes_from_amds_index(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("rocm-sdk-core", "7.14.0")
    packages.torch("2.12.0+rocm7.14.0", "7.14.26133")
    packages.install("torch", "2.12.0+rocm7.14.0", ["rocm[libraries]==7.14.0"])
    (missing,) = (each for each in packages.show(here).verdicts if each.judgement == "conflict")
    assert missing.action == (
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "'rocm[libraries]==7.14.0'"
    )


def test_a_part_of_the_release_for_windows_comes_from_its_files(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    part = "rocm-sdk-libraries-custom==7.2.1"
    packages.install("rocm-sdk-core", "7.2.1")
    packages.install("rocm", "7.2.1", [f'{part}; extra == "libraries"'])
    packages.torch("2.9.1+rocm7.2.1", "7.2.53211")
    packages.install("torch", "2.9.1+rocm7.2.1", ["rocm[libraries]==7.2.1"])
    (missing,) = (each for each in packages.show(here).verdicts if each.judgement == "conflict")
    assert missing.action == (
        f"pip install --find-links https://repo.radeon.com/rocm/windows/rocm-rel-7.2.1/ {part}"
    )


def test_a_part_of_another_release_for_windows_comes_from_its_files(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("rocm-sdk-core", "7.2.1")
    packages.install("rocm-sdk-devel", "7.1.1")
    (other,) = (each for each in packages.show(here).verdicts if each.judgement == "conflict")
    assert other.action == (
        "pip install --find-links https://repo.radeon.com/rocm/windows/rocm-rel-7.2.1/ "
        "rocm-sdk-devel==7.2.1, or uninstall it"
    )


def test_a_core_that_alone_is_of_another_release_is_what_is_changed(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    for name in ("rocm", "rocm-sdk-libraries-gfx110X-all", "rocm-sdk-devel"):
        packages.install(name, "7.14.0")
    packages.install("rocm-sdk-core", "7.13.0")
    (core,) = (each for each in packages.show(here).verdicts if each.judgement == "conflict")
    assert (core.package, core.on, core.action) == (
        "rocm-sdk-core",
        "rocm",
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ rocm-sdk-core==7.14.0",
    )


@pytest.mark.parametrize("version", ["", "7" * 5000, "a b", "7.14\x1b[31m", "1!7.0a1"])
def test_hostile_versions_of_the_sdk_are_read_to_the_end(
    packages: FakeEnvironment, here: FakeMachine, version: str
) -> None:
    packages.install("rocm-sdk-core", "7.14.0")
    folder = packages.install("rocm-sdk-libraries", "7.14.0")
    (folder / "METADATA").write_text(f"Name: rocm-sdk-libraries\nVersion: {version}\n")
    stack = packages.show(here)
    assert stack.rocm.version == "7.14.0"
    assert stack.exit_code in {1, 3}
