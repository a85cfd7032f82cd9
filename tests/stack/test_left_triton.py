"""What ``stack install-command`` says of a triton that its command would leave there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.stacks import FakeEnvironment

if TYPE_CHECKING:
    from tests.support.project import Project

OF_AMD = ("--source", "amd", "--gpu", "gfx942")


@pytest.mark.parametrize(
    ("torch", "triton", "flags"),
    [
        ("2.10.0", ("triton", "3.6.0"), ("--rocm", "7.1", "--torch", "2.10")),  # PyPI's, for CUDA
        ("2.9.1+rocm6.4", ("pytorch-triton-rocm", "3.5.1"), ("--rocm", "7.1")),
        ("2.9.1+rocm7.13.0", ("triton", "3.5.1+rocm7.13.0"), ("--rocm", "6.4")),
        ("2.10.0+rocm7.1", ("triton-rocm", "3.6.0"), ("--rocm", "10.1", *OF_AMD)),
    ],
)
def test_a_triton_of_another_name_stays_and_is_told(
    project: Project, torch: str, triton: tuple[str, str], flags: tuple[str, ...]
) -> None:
    assert f"{triton[0]} {triton[1]} would stay" in notes(project, torch, triton, flags)


@pytest.mark.parametrize(
    ("torch", "triton", "flags"),
    [
        ("2.8.0+rocm6.4", ("pytorch-triton-rocm", "3.4.0"), ("--rocm", "6.4")),
        ("2.10.0+rocm7.1", ("triton-rocm", "3.6.0"), ("--rocm", "7.2")),
        ("2.16.0.dev20261115+rocm7.14", ("triton-rocm", "3.9.0"), ("--rocm", "7.14", "--nightly")),
        ("2.12.0+rocm10.0.0", ("triton", "3.7.0+rocm10.0.0"), ("--rocm", "10.1", *OF_AMD)),
    ],
)
def test_a_triton_of_the_same_name_is_replaced(
    project: Project, torch: str, triton: tuple[str, str], flags: tuple[str, ...]
) -> None:
    assert "would stay" not in notes(project, torch, triton, flags)


def test_where_the_torch_is_installed_nothing_comes(project: Project) -> None:
    flags = ("--rocm", "7.1", "--torch", "2.10")
    assert "would stay" not in notes(project, "2.10.0+rocm7.1", ("triton", "3.6.0"), flags)


def notes(project: Project, torch: str, triton: tuple[str, str], flags: tuple[str, ...]) -> str:
    packages = FakeEnvironment(project.root / "venv")
    packages.torch(torch)
    packages.install(*triton)
    done = project.run("stack", "install-command", *flags, "--python", str(packages.python))
    assert done.returncode == 0
    return done.stderr
