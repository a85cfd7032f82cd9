"""Checkouts of well-known packages inside another project are left out, and said once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.discover import Discovery, discover

if TYPE_CHECKING:
    from pathlib import Path

SETUP = 'from setuptools import setup\nsetup(\n    name="transformers",\n    version="4.31.0",\n)\n'


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(root: Path, path: str = ".") -> tuple[list[str], Discovery]:
    discovery = discover([str(root / path)], lambda _: Settings(root=str(root)))
    return [str(each.path).removeprefix(f"{root}/") for each in discovery.files], discovery


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project with a copy of transformers, as FastV and H2O have some."""
    write(tmp_path, **{"demo.py": "", "src/transformers/setup.py": SETUP})
    write(tmp_path, **{"src/transformers/src/transformers/__init__.py": "", "src/job.py": ""})
    return tmp_path


def test_a_checkout_is_left_out_and_named_in_one_line(project: Path) -> None:
    files, discovery = found(project)
    assert files == ["demo.py", "src/job.py"]
    said = "not linted: a checkout of transformers; name the directory to lint it"
    assert discovery.notes == [f"{project}/src/transformers: {said}"]


def test_a_checkout_that_is_named_itself_is_linted(project: Path) -> None:
    files, discovery = found(project, "src/transformers")
    assert files == ["src/transformers/setup.py", "src/transformers/src/transformers/__init__.py"]
    assert discovery.notes == []


def test_a_submodule_is_a_checkout_and_a_clone_beside_the_project_is_none(project: Path) -> None:
    write(project, **{"src/transformers/.git": "gitdir: ../../.git/modules/transformers\n"})
    assert found(project)[0] == ["demo.py", "src/job.py"]
    (project / "src/transformers/.git").unlink()
    (project / "src/transformers/.git").mkdir()
    assert "src/transformers/setup.py" in found(project)[0]


@pytest.mark.parametrize(
    ("folder", "name", "text"),
    [
        ("transformers-4.31.0", "setup.py", SETUP),
        ("third_party/DeepSpeed", "setup.py", "setup(name='deepspeed')\n"),
        ("vendor/trl", "pyproject.toml", '[project]\nname = "trl"\nversion = "0.9"\n'),
    ],
)
def test_it_is_known_by_its_project_file(folder: str, name: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, **{"README.md": "", f"{folder}/{name}": text, f"{folder}/a.py": ""})
    assert found(tmp_path)[0] == []


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP, "sub/transformers/setup.py": SETUP},
        {"README.md": "", "python/pyproject.toml": '[project]\nname = "sglang"\n'},
        {"README.md": "", "transformers/setup.py": "setup(name='transformers_of_ours')\n"},
        {"README.md": "", "model/setup.py": "setup(name='m', requires=['transformers'])\n"},
        {"transformers/setup.py": SETUP},
    ],
    ids=["its own project", "its own repository", "another name", "a user", "a heap of checkouts"],
)
def test_what_is_no_checkout_in_another_project_is_linted(
    files: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, **files)
    assert found(tmp_path)[1].notes == []


def test_a_release_that_was_unpacked_is_left_out_whatever_package_it_is(tmp_path: Path) -> None:
    setup = SETUP.replace("transformers", "torch_geometric")
    write(tmp_path, **{"README.md": "# Wheels", "pytorch_geometric-2.8.0/setup.py": setup})
    files, discovery = found(tmp_path)
    assert files == []
    assert "a checkout of torch-geometric" in discovery.notes[0]


@pytest.mark.parametrize(
    "name",
    ["archive", "Archived", "old", "retired_benchmarks", "olderVersions", "old_code", "unused"],
)
def test_an_archive_is_left_out_and_named_in_one_line(name: str, tmp_path: Path) -> None:
    write(tmp_path, **{f"{name}/install.sh": "", "train.py": ""})
    files, discovery = found(tmp_path)
    assert files == ["train.py"]
    said = "not linted: an archive; name the directory to lint it"
    assert discovery.notes == [f"{tmp_path}/{name}: {said}"]
    assert found(tmp_path, name)[0] == [f"{name}/install.sh"]


@pytest.mark.parametrize(
    "path", ["models/deprecated/__init__.py", "archive_format/read.py", "old_models/a.py"]
)
def test_a_package_that_is_called_so_and_other_names_are_linted(path: str, tmp_path: Path) -> None:
    write(tmp_path, **{path: ""})
    assert found(tmp_path)[0] == [path]
