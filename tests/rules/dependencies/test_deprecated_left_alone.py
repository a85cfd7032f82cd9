"""Deprecated names that nobody replaces: of a frozen program, or in the copy of a project."""

from __future__ import annotations

from pathlib import Path

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


def copied(license_: str, *, readme: bool = True) -> list[str]:
    write("video/sat/train.py", CALL)
    write("video/LICENSE", license_)
    if readme:
        write("video/README.md", "# Video\n")
    return paths_with("ROC213")


def test_a_copied_project_has_the_license_of_others() -> None:
    assert copied(MIT.format("Others")) == []


@pytest.mark.parametrize("holder", ["The Lab", "the lab "])
def test_a_part_of_the_project_has_its_license(holder: str) -> None:
    assert copied(MIT.format(holder)) == ["video/sat/train.py"]


def test_a_project_among_others_without_a_repository_is_no_copy() -> None:
    Path(".git").rmdir()
    write("LICENSE", "")
    write("video/requirements.txt", "torch>=2.6\n")
    assert copied(MIT.format("Others")) == ["video/sat/train.py"]


def test_a_license_without_a_readme_is_no_project() -> None:
    assert copied(MIT.format("Others"), readme=False) == ["video/sat/train.py"]


def test_what_only_the_copy_licenses_is_of_others() -> None:
    write("LICENSE", "")
    assert copied(MIT.format("Others")) == []


@pytest.mark.parametrize("folder", ["archive", "legacy", "retired_benchmarks", "vision/_old"])
def test_archives_are_left_alone(folder: str) -> None:
    write(f"{folder}/train.py", CALL)
    write(f"{folder}/install.sh", "pip install numpy>=2\n")
    write(f"{folder}/config.py", "def load(\n")
    assert paths_with("ROC213") == paths_with("ROC208") == paths_with("ROC900") == []
