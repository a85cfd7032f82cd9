"""``verify kernels``: which GPU is meant, named or found, and what usage is refused."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from tests.support.environments import Environment
from tests.support.hip_objects import needs_compiler
from tests.support.kernels import MI300, results

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = [pytest.mark.slow, needs_compiler]  # compiles device code for nearly every test

ROCMINFO = """\
Agent 1
  Name:                    AMD EPYC 9654 96-Core Processor
  Device Type:             CPU
Agent 2
  Name:                    gfx942
  Device Type:             GPU
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
    ISA 2
      Name:                    amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-
"""
AMD_SMI = '{"gpu_data": [{"gpu": 0, "asic": {"target_graphics_version": "GFX1100"}}]}'


def program(project: Project, name: str, prints: str, code: int = 0) -> str:
    """Put a program on a PATH of its own that prints what the real one was recorded to print."""
    folder = project.root / "bin"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text(prints)
    path = folder / name
    path.write_text(f"#!/bin/sh\ncat {folder / name}.txt\nexit {code}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_the_gpu_that_rocminfo_names_is_taken(project: Project, library: Path) -> None:
    path = program(project, "rocminfo", ROCMINFO)
    (result,) = results(project, str(library), PATH=path)
    assert (result["claim"], result["verdict"]) == (f"has code that runs on {MI300}", "proven")


def test_the_gpu_that_amd_smi_names_is_taken(project: Project, library: Path) -> None:
    program(project, "rocminfo", "ROCk module is NOT loaded, possibly no GPU devices\n", 1)
    path = program(project, "amd-smi", AMD_SMI)
    (result,) = results(project, str(library), PATH=path)
    assert result["claim"] == "has code that runs on gfx1100"


def test_the_gpu_that_torch_names_is_taken(project: Project, library: Path) -> None:
    environment = Environment(project.root / ".venv")
    environment.write("torch/version.py", "__version__ = '2.13.0+rocm7.2'\nhip = '7.2.1'\n")
    environment.write(
        "torch/__init__.py",
        "class cuda:\n"
        "    device_count = staticmethod(lambda: 2)\n"
        "    class get_device_properties:\n"
        "        def __init__(self, index): self.gcnArchName = 'gfx942:sramecc+:xnack-'\n",
    )
    (result,) = results(project, str(library), "--python", str(environment.python))
    assert (result["claim"], result["verdict"]) == (f"has code that runs on {MI300}", "proven")


def test_without_a_gpu_the_targets_are_told_and_nothing_is_proven(
    project: Project, library: Path
) -> None:
    ended = project.run("verify", "kernels", str(library))
    assert ended.returncode == 3
    assert "zstd, v5: gfx90a:xnack+ gfx942" in ended.stdout
    assert "rocminfo is not installed; torch " in ended.stdout
    assert "--arch" in ended.stdout


# Usage


def test_a_gpu_that_is_none_is_refused(project: Project) -> None:
    ended = project.run("verify", "kernels", ".", "--arch", "sm_90")
    assert ended.returncode == 2
    assert "--arch 'sm_90' is not a valid target" in ended.stderr


def test_a_path_that_is_not_there_is_told(project: Project) -> None:
    (result,) = results(project, "nowhere", "--arch", MI300)
    assert (result["verdict"], result["reason"]) == ("unproven", "No such file or directory")


@pytest.mark.parametrize("module", ["zstandard", "elftools"])
def test_a_missing_library_of_the_extra_is_named(
    project: Project, library: Path, module: str
) -> None:
    project.write(f"hidden/{module}.py", f"raise ImportError('no {module} here')\n")
    hidden = str(project.root / "hidden")
    ended = project.run("verify", "kernels", str(library), "--arch", MI300, PYTHONPATH=hidden)
    assert ended.returncode == 2
    assert f"requires {module}: pip install 'rocmlint[verify]'" in ended.stderr
