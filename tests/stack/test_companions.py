"""Builds of torchvision and torchaudio that are not for the platform of torch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.checks.companions import companions

if TYPE_CHECKING:
    from tests.support.stacks import FakeEnvironment, FakeMachine


def test_a_companion_comes_from_the_index_of_torch(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.9.1+rocm6.4", "6.4.43484")
    packages.install("torchvision", "0.24.1+cpu", ["torch==2.9.1"])
    conflict, *_ = packages.show(here).verdicts
    assert conflict.action == (
        "pip install --no-deps torchvision==0.24.1+rocm6.4 "
        "--index-url https://download.pytorch.org/whl/rocm6.4"
    )


def test_a_companion_of_another_torch_gets_one_advice(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.9.1+rocm6.4", "6.4.43484")
    packages.install("torchvision", "0.25.0+rocm7.1", ["torch==2.10.0"])
    of_torchvision = [each for each in packages.show(here).verdicts if each.package != "torch"]
    assert [each.requirement for each in of_torchvision] == ["torch==2.10.0"]


def test_a_companion_of_amds_torch_has_an_extra_that_the_verb_knows(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.12.0+rocm7.14.0", "7.14.26133")
    packages.install("torchvision", "0.27.0+cpu", ["torch==2.12.0"])
    conflict, *_ = packages.show(here).verdicts
    flags = "--rocm 7.14.0 --torch 2.12.0 --torchvision"
    assert conflict.action.startswith(f"rocmlint stack install-command {flags}")


AMD = "2.9.1+rocm7.2.0"


@pytest.mark.parametrize(
    ("torch", "package", "version", "judgement"),
    [
        (AMD, "torchvision", "0.25.0+rocm7.2.0", "conflict"),
        (AMD, "torchaudio", "2.10.0+rocm7.2.0", "conflict"),
        ("2.10.0+cu128", "torchvision", "0.24.1+cu128", "conflict"),
        (AMD, "torchvision", "0.24.0+rocm7.2.0", "fits"),
        (AMD, "torchvision", "0.24.1+rocm7.2.0.gitb919bd0c", "fits"),
        (AMD, "torchaudio", "2.9.0+rocm7.2.0", "fits"),
    ],
)
def test_one_without_a_pin_is_compared_by_what_its_release_on_pypi_pins(
    packages: FakeEnvironment, torch: str, package: str, version: str, judgement: str
) -> None:
    packages.torch(
        torch, "7.2.26015" if "rocm" in torch else "", cuda="" if "rocm" in torch else "12.8"
    )
    packages.install(package, version, ["torch"])
    (verdict,) = companions(packages.read())
    assert (verdict.package, verdict.on, verdict.judgement) == (package, "torch", judgement)
    assert bool(verdict.action) == (judgement == "conflict")


@pytest.mark.parametrize(
    ("torch", "package", "version", "action"),
    [
        (
            AMD,
            "torchvision",
            "0.25.0+rocm7.2.0",
            "install the torchvision 0.24 for ROCm 7.2.0 with --no-deps, from where",
        ),
        (
            AMD,
            "torchaudio",
            "2.10.0+rocm7.2.0",
            "install the torchaudio 2.9 for ROCm 7.2.0 with --no-deps, from where",
        ),
        (
            "2.9.1+rocm6.4",
            "torchvision",
            "0.25.0+rocm6.4",
            "rocmlint stack install-command --rocm 6.4 --torch 2.9.1 --torchvision",
        ),
        (
            "2.9.1+rocm7.2.1.lw.gitff65f5bc",
            "torchvision",
            "0.25.0+rocm7.2.1.git82df5f59",
            "rocmlint stack install-command --rocm 7.2.1 --torch 2.9.1 --torchvision",
        ),
    ],
)
def test_what_to_do_keeps_the_rocm_of_torch(
    packages: FakeEnvironment, torch: str, package: str, version: str, action: str
) -> None:
    packages.torch(torch, "7.2.26015" if "rocm7" in torch else "6.4.43484")
    packages.install(package, version, ["torch"])
    (verdict,) = companions(replace(packages.read(), python="3.12.3"))
    assert verdict.action.startswith(action)


@pytest.mark.parametrize("version", ["0.99.0+rocm7.2.0", "0.25.0a0+git1234", "unknown"])
def test_of_a_release_that_nobody_knows_nothing_is_said(
    packages: FakeEnvironment, version: str
) -> None:
    packages.torch(AMD, "7.2.26015")
    packages.install("torchvision", version, ["torch"])
    assert list(companions(packages.read())) == []
