"""`uv run --with`: packages that uv installs for one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats.installs.install import installs_of
from rocmlint.formats.scripts.shell.script import parse
from tests.support.repositories import versions, write

if TYPE_CHECKING:
    from rocmlint.formats.installs.install import Install
    from tests.support.project import Project
    from tests.support.repositories import Repository


def installs(script: str) -> list[Install]:
    return [install for _, install in installs_of(parse(script).commands)]


def asked(script: str) -> list[str]:
    return [str(each.requirement) for install in installs(script) for each in install.requirements]


@pytest.mark.parametrize(
    ("script", "requirements"),
    [
        ("uv run --with torch train.py", ["torch"]),
        ("uv run -w 'a==1' --with=b==2 -- python -m train --with c", ["a==1", "b==2"]),
        ("uv run --with 'a<2,>=1,b[c,d]>=1, e' train.py", ["a<2,>=1", "b[c,d]>=1", "e"]),
        ("sudo uv run --python 3.11 --with a pytest", ["a"]),
        ("uv run --with a", ["a"]),
    ],
)
def test_what_it_brings(script: str, requirements: list[str]) -> None:
    assert [each.tool for each in installs(script)] == ["uv run"]
    assert asked(script) == requirements


def test_a_list_and_an_index_count_too() -> None:
    (install,) = installs("uv run --with-requirements r.txt --index https://a train.py")
    assert [each.text for each in install.files] == ["r.txt"]
    assert [each.url for each in install.indexes] == ["https://a"]


@pytest.mark.parametrize(
    "script", ["uv run train.py", "uv run", "uv run --extra a pytest --with x"]
)
def test_without_packages_it_installs_none(script: str) -> None:
    assert installs(script) == []


def test_the_command_that_it_runs_counts_as_well() -> None:
    script = "uv run --with a bash -c 'pip install b'"
    assert [each.tool for each in installs(script)] == ["uv run", "pip"]
    assert asked(script) == ["a", "b"]


def test_an_unquoted_version_is_found(project: Project) -> None:
    project.write("run.sh", "uv run --with torch>=2.4 train.py\n")
    assert project.code("check", "run.sh", "--fix", "--select", "ROC208") == 0
    assert project.read("run.sh") == 'uv run --with "torch>=2.4" train.py\n'


@pytest.mark.usefixtures("in_repository")
@pytest.mark.parametrize("name", ["README.md", "run.sh"])
def test_it_says_which_version_a_project_runs_with(name: str) -> None:
    write(name, "uv run --with transformers==4.48.1 train.py\n")
    assert versions("train.py") == ["4.48.1"]


def test_it_replaces_no_torch(repository: Repository) -> None:
    rocm = "pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/rocm6.2.4\n"
    assert repository.codes("run_rocm.sh", f"{rocm}uv run --with vllm serve.py\n") == []


def test_it_brings_no_torch_for_others(repository: Repository) -> None:
    index = "--index-url https://download.pytorch.org/whl/rocm6.2.4"
    text = f"uv run {index} --with torch train.py\npip install torch\n"
    assert repository.codes("run_rocm.sh", text) == ["ROC201"]
