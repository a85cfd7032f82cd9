"""Packages that are installed twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.checks.doubles import doubles
from tests.support.stacks import FakeEnvironment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="packages")
def with_torch(packages: FakeEnvironment) -> FakeEnvironment:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    return packages


def found(packages: FakeEnvironment) -> list[tuple[str, str, str]]:
    return [(each.judgement, each.reason, each.action) for each in doubles(packages.read())]


def search_also(packages: FakeEnvironment, folder: Path) -> None:
    start = packages.python.read_text()
    packages.python.write_text(start.replace('packages"', f'packages:{folder}"'))


def test_the_metadata_of_two_torches_in_one_folder_is_a_conflict(packages: FakeEnvironment) -> None:
    packages.install("torch", "2.9.1+rocm6.4")
    assert found(packages) == [
        (
            "conflict",
            f"{packages.site} has the metadata of both: one was installed over the other",
            "repeat pip uninstall torch until it is gone, then install it again",
        )
    ]


def test_a_torch_behind_another_is_a_note(packages: FakeEnvironment) -> None:
    behind = packages.root / "later"
    behind.mkdir()
    packages.install("torch", "2.9.1").rename(behind / "torch-2.9.1.dist-info")
    search_also(packages, behind)
    reason = f"torch 2.9.1 in {behind} is not used: torch 2.10.0+rocm7.1 in {packages.site} "
    assert found(packages) == [("note", f"{reason}comes first", "")]


def test_the_same_folder_twice_on_the_path_is_one(packages: FakeEnvironment) -> None:
    link = packages.root / "lib64"
    link.symlink_to(packages.site)
    packages.python.write_text(
        packages.python.read_text().replace('packages"', f'packages:{link}"')
    )
    assert packages.read().hidden == ()


def test_what_pip_could_not_remove_is_not_installed(packages: FakeEnvironment) -> None:
    left = packages.install("torch", "2.9.1+rocm6.4")
    left.rename(packages.site / "~orch-2.9.1+rocm6.4.dist-info")
    packages.install("peft", "0.17.0").rename(packages.site / "~eft-0.17.0.dist-info")
    environment = packages.read()
    assert str(environment.get("torch")) == "torch 2.10.0+rocm7.1"
    assert (environment.get("peft"), environment.hidden) == (None, ())
