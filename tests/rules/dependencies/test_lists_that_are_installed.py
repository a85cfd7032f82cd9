"""Findings at a command that installs a list, with the line of the list as related place."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import write

pytestmark = pytest.mark.usefixtures("in_repository")

IMAGE = "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_release_2.3.0\n"
STEPS = "WORKDIR /app\nCOPY . /app\nRUN pip install -r requirements.txt\n"


def found(*paths: str, preview: bool = False) -> list[tuple[str, int, str]]:
    options = {"select": ["ROC201", "ROC209"], "preview": preview}
    return [
        (each.path, each.line, each.code) for each in lint_paths(paths or ["."], options=options)
    ]


def test_each_line_that_replaces_torch_is_found_at_the_command_in_one_run() -> None:
    write("requirements.txt", "torch>=2.4\nbitsandbytes\nnumpy\nxformers\nvllm\n")
    write("Dockerfile", IMAGE + STEPS)
    findings = lint_paths(["."], options={"select": ["ROC201"]})
    assert {(each.path, each.line) for each in findings} == {("Dockerfile", 4)}
    places = [each.help.rpartition(" (")[2].partition(" ")[0] for each in findings]
    assert sorted(places) == [f"requirements.txt:{line}" for line in (1, 2, 4, 5)]
    related = {str(place) for each in findings for place in each.related}
    assert "requirements.txt:1:1 torch>=2.4" in related


def test_a_list_that_another_one_includes_is_where_to_edit() -> None:
    write("requirements/base.txt", "vllm==0.11.2\n")
    write("requirements.txt", "-r requirements/base.txt\n")
    write("docker/Dockerfile", IMAGE + STEPS)
    (finding,) = lint_paths(["."], options={"select": ["ROC201"]})
    assert [each.path for each in finding.related] == ["requirements/base.txt"]


def test_a_project_file_is_where_to_edit() -> None:
    text = '[project]\nname = "a"\nversion = "1"\ndependencies = ["vllm==0.11.2"]\n'
    write("pyproject.toml", text)
    write("Dockerfile", f"{IMAGE}WORKDIR /app\nCOPY . /app\nRUN pip install .\n")
    (finding,) = lint_paths(["."], options={"select": ["ROC201"]})
    assert [(each.path, each.line) for each in finding.related] == [("pyproject.toml", 4)]


def test_a_package_that_requires_triton_is_found_in_the_list() -> None:
    write("requirements.txt", "liger-kernel\n")
    write(
        "install.sh",
        "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "pip install -r requirements.txt\n",
    )
    assert found(preview=True) == [("install.sh", 2, "ROC209")]


def test_an_excuse_at_the_command_holds_for_the_list() -> None:
    write("requirements.txt", "vllm==0.11.2\n")
    write("Dockerfile", IMAGE + STEPS.replace("-r", "--no-deps -r"))
    assert found() == []
