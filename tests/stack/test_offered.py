"""Whose indexes have a torch, and the ``install-command`` that is told for it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.wheels.install import Wanted
from rocmlint.stack.wheels.offered import how_to_install, indexes_of

if TYPE_CHECKING:
    from tests.support.project import Project

ANY = Wanted("")
STRIX_HALO = Wanted("", gpus=("gfx1151",), every=False)


@pytest.mark.parametrize(
    ("torch", "told"),
    [
        ("2.4.1", "PyTorch's index has torch 2.4 for ROCm 6.0 and 6.1"),
        (
            "2.13.0+rocm10.1.0",
            "PyTorch's index has torch 2.13 for ROCm 7.1 and 7.2, AMD's for 10.0.0 and 10.1.0",
        ),
        (
            "2.15.0a0",
            "PyTorch's index has torch 2.15 for ROCm 7.14 and 10.0 (nightly builds of 2026-08-28)",
        ),
        ("3.0.0", ""),
    ],
)
def test_the_line_says_whose_index_it_is(torch: str, told: str) -> None:
    assert indexes_of(torch) == told


@pytest.mark.parametrize(
    ("torch", "wanted", "flags"),
    [
        ("2.9.1", ANY, "--rocm 6.4 --torch 2.9.1 (or --rocm 6.3)"),
        ("2.9.1+rocm6.3", ANY, "--rocm 6.3 --torch 2.9.1"),
        ("2.8.0", Wanted("", python="3.14"), ""),
        ("2.12.0", Wanted("7.14.1"), "--rocm 7.14.1 --torch 2.12.0"),
        ("2.12.0", Wanted("6.4"), "--rocm 7.2 --torch 2.12.0 (or --rocm 7.1)"),
        ("2.8.0", STRIX_HALO, ""),  # neither PyTorch nor AMD has code for it
        ("2.9.1", STRIX_HALO, "--rocm 7.13.0 --torch 2.9.1 (or --rocm 7.12.0 or 7.11.0)"),
        ("2.14.0+rocm10.1.0", ANY, "--rocm 10.1.0 --torch 2.14.0"),
        ("2.15.0a0+rocm10.2.0", ANY, ""),
        (
            "2.9.1+rocm7.2.1.lw.gitff65f5bc",
            ANY,
            "--source radeon --rocm 7.2.1 --torch 2.9.1",
        ),
    ],
)
def test_the_command_is_one_that_installs_the_torch(torch: str, wanted: Wanted, flags: str) -> None:
    assert how_to_install(torch, wanted) == (flags and f"rocmlint stack install-command {flags}")


def test_what_is_told_is_a_command_that_works(project: Project) -> None:
    told = how_to_install("2.14.0+rocm10.1.0", Wanted("", companions=("torchvision",)))
    done = project.run(*shlex.split(told)[1:])
    assert done.returncode == 0
    assert "torchvision[device-all]==0.29.0a0+rocm10.1.0" in shlex.split(done.stdout)
