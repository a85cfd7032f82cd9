"""Deprecated names that nobody replaces: of a frozen program, or in the copy of a project."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import paths_with, write

CALL = """\
import torch

with torch.cuda.amp.autocast():
    print(torch.ones(1))
"""
MIT = "MIT License\n\nCopyright (c) 2024 {}\n\nThe above copyright notice shall be included.\n"


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "torch>=2.6\n")
    write("LICENSE", MIT.format("The Lab"))


def test_a_program_that_allows_newer_releases_is_reported() -> None:
    write("train.py", CALL)
    assert paths_with("ROC213") == ["train.py"]


@pytest.mark.parametrize(
    ("requirement", "other"),
    [
        ("torch>=2.6", "import warnings\n\nwarnings.filterwarnings('ignore')\n"),
        ("torch==2.7.0", ""),
    ],
)
def test_who_hears_no_warning_reads_a_note(requirement: str, other: str) -> None:
    write("requirements.txt", f"{requirement}\n")
    write("train.py", CALL)
    write("main.py", other)
    (found,) = lint_paths(["."], options={"select": ["ROC213"]})
    assert (found.path, found.severity) == ("train.py", "note")


def test_a_package_that_pins_torch_is_reported() -> None:
    write("requirements.txt", "")
    write("setup.py", "setup(name='lab', install_requires=['torch==2.7.0'])\n")
    write("lab/__init__.py", "from . import train\n")
    write("lab/train.py", CALL)
    assert paths_with("ROC213") == ["lab/train.py"]


@pytest.mark.parametrize("folder", ["archive", "legacy", "retired_benchmarks", "vision/_old"])
def test_archives_are_left_alone(folder: str) -> None:
    write(f"{folder}/train.py", CALL)
    write(f"{folder}/install.sh", "pip install numpy>=2\n")
    write(f"{folder}/config.py", "def load(\n")
    assert paths_with("ROC213") == paths_with("ROC208") == paths_with("ROC900") == []
