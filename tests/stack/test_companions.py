"""Builds of torchvision and torchaudio that are not for the platform of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
