"""The way back from an install: only what has changed, and only builds that pip can bring back."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.stack.survived import _verdict
from rocmlint.stack import Interpreter, freeze, survived
from tests.support.stacks import INDEX, FakeEnvironment

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.stack import State, Survival

NIGHTLY = "10.2.0a20261120"


@pytest.fixture
def packages(tmp_path: Path) -> FakeEnvironment:
    made = FakeEnvironment(tmp_path / "venv")
    made.install("pip", "26.0")
    return made


def written_down(packages: FakeEnvironment) -> State:
    return freeze(Interpreter(str(packages.python)))


def remove(packages: FakeEnvironment, name: str) -> None:
    for path in packages.site.glob(f"{name}-*.dist-info"):
        shutil.rmtree(path)


def replaced(packages: FakeEnvironment, version: str = "2.11.0") -> None:
    """Do what an install does that brings PyPI's torch."""
    remove(packages, "torch")
    packages.torch(version, cuda="13.0", git="other")


def answer(packages: FakeEnvironment, before: State) -> Survival:
    return survived(packages.read(), before)


@pytest.mark.parametrize(
    ("installer", "how"),
    [("rpm", "with dnf or zypper"), ("conda", "with conda"), ("pip", "from where it came")],
)
def test_of_a_rocm_build_without_a_label_pip_is_not_asked_for_pypis(
    packages: FakeEnvironment, installer: str, how: str
) -> None:
    place = packages.torch("2.8.0", "6.4.43484")
    (place / "INSTALLER").write_text(f"{installer}\n")
    before = written_down(packages)
    replaced(packages, "2.8.0")
    uninstall, told = answer(packages, before).commands
    assert uninstall == f"{sys.executable} -m pip uninstall -y torch"
    assert told.startswith("# torch 2.8.0 ")
    assert told.endswith(f"PyPI's build instead: reinstall it {how}") or installer == "pip"
    assert told.endswith(how)


def test_a_build_from_source_is_not_asked_from_an_index(packages: FakeEnvironment) -> None:
    packages.torch("2.11.0a0+gitabc1234", "7.1.52802")
    before = written_down(packages)
    replaced(packages)
    *_, last = answer(packages, before).commands
    assert last == (
        "# torch 2.11.0a0+gitabc1234 came from an unknown index (see its label), or was built "
        "from source: reinstall it from there"
    )


def test_a_nightly_build_of_amd_comes_back_from_its_index(packages: FakeEnvironment) -> None:
    packages.torch(f"2.15.0a0+rocm{NIGHTLY}", "7.17.26471")
    before = written_down(packages)
    replaced(packages)
    *_, last = answer(packages, before).commands
    assert last.endswith(" --index-url https://nightly.repo.amd.com/rocm/whl-next/")


def test_where_only_torchvision_has_changed_torch_stays(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("torchvision", "0.25.0+rocm7.1")
    before = written_down(packages)
    remove(packages, "torchvision")
    packages.install("torchvision", "0.25.0")
    told = answer(packages, before)
    assert _verdict(told) == (
        "torch is the recorded build, but packages that belong to it or to ROCm have changed:"
    )
    install = "-m pip install --force-reinstall --no-deps torchvision==0.25.0+rocm7.1"
    assert told.commands == (f"{sys.executable} {install} --index-url {INDEX}/rocm7.1",)


def test_of_a_part_that_is_gone_nobody_is_said_to_have_installed_torch(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.12.0+rocm10.0.0", "7.15.26333")
    packages.install("rocm-sdk-device-gfx942", "10.0.0")
    before = written_down(packages)
    remove(packages, "rocm_sdk_device_gfx942")
    told = answer(packages, before)
    (command,) = told.commands
    assert told.suspects == ()
    assert command.endswith(
        " rocm-sdk-device-gfx942==10.0.0 --index-url https://stable.repo.amd.com/rocm/whl-next/"
    )


def test_what_a_new_triton_has_overwritten_comes_back(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("triton-rocm", "3.6.0")
    before = written_down(packages)
    packages.install("triton", "3.6.0")
    uninstall, install = answer(packages, before).commands
    assert uninstall.endswith(" uninstall -y triton")
    assert " triton-rocm==3.6.0 " in install
    assert " torch==" not in install
