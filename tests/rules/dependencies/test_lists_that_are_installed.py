"""Findings at the lines of a list that a command installs, with the command as related place."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocmlint.api import lint_paths
from rocmlint.cli.main import main
from tests.support.repositories import write

pytestmark = pytest.mark.usefixtures("in_repository")

IMAGE = "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_release_2.3.0\n"
STEPS = "WORKDIR /app\nCOPY . /app\nRUN pip install -r requirements.txt\n"


def found(*paths: str, preview: bool = False) -> list[tuple[str, int, str]]:
    options = {"select": ["ROC201", "ROC209"], "preview": preview}
    return [
        (each.path, each.line, each.code) for each in lint_paths(paths or ["."], options=options)
    ]


def test_each_line_that_replaces_torch_is_found_in_one_run() -> None:
    write("requirements.txt", "torch>=2.4\nbitsandbytes\nnumpy\nxformers\nvllm\n")
    write("Dockerfile", IMAGE + STEPS)
    lines = [("requirements.txt", line, "ROC201") for line in (1, 2, 4, 5)]
    assert found() == lines
    assert found("requirements.txt") == lines
    (first, *_) = lint_paths(["requirements.txt"], options={"select": ["ROC201"]})
    (command,) = first.related
    assert str(command) == "Dockerfile:4:20 pip install -r requirements.txt"


def test_where_the_list_is_not_linted_all_are_found_at_the_command() -> None:
    write("requirements.txt", "torch>=2.4\nxformers\n")
    write("Dockerfile", IMAGE + STEPS)
    findings = lint_paths(["Dockerfile"], options={"select": ["ROC201"]})
    assert [(each.line, each.related) for each in findings] == [(4, ()), (4, ())]
    assert [each.help.rpartition(" (")[2] for each in findings] == [
        "requirements.txt:1 asks for it).",
        "requirements.txt:2 asks for it).",
    ]


def test_a_list_that_another_one_includes_is_where_to_edit() -> None:
    write("requirements/base.txt", "vllm==0.11.2\n")
    write("requirements.txt", "-r requirements/base.txt\n")
    write("docker/Dockerfile", IMAGE + STEPS)
    assert found() == [("requirements/base.txt", 1, "ROC201")]
    assert found("requirements/base.txt") == [("requirements/base.txt", 1, "ROC201")]


def test_each_command_that_installs_the_list_is_named() -> None:
    write("requirements.txt", "vllm==0.11.2\n")
    write("Dockerfile", IMAGE + STEPS)
    write(
        "install.sh",
        "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "pip install -r requirements.txt\n",
    )
    (finding,) = lint_paths(["."], options={"select": ["ROC201"]})
    assert [each.path for each in finding.related] == ["Dockerfile", "install.sh"]


def test_of_a_torch_that_a_script_installs_the_script_is_named() -> None:
    write("requirements.txt", "vllm==0.11.2\n")
    write(
        "install.sh",
        "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "pip install -r requirements.txt\n",
    )
    (finding,) = lint_paths(["."], options={"select": ["ROC201"]})
    assert "(line 1 of install.sh)" in finding.message


def test_a_project_file_is_where_to_edit() -> None:
    text = '[project]\nname = "a"\nversion = "1"\ndependencies = ["vllm==0.11.2"]\n'
    write("pyproject.toml", text)
    write("Dockerfile", f"{IMAGE}WORKDIR /app\nCOPY . /app\nRUN pip install .\n")
    assert found() == [("pyproject.toml", 4, "ROC201")]


def test_a_package_that_requires_triton_is_found_in_the_list() -> None:
    write("requirements.txt", "liger-kernel\n")
    write(
        "install.sh",
        "pip install torch --index-url https://download.pytorch.org/whl/rocm6.4\n"
        "pip install -r requirements.txt\n",
    )
    assert found(preview=True) == [("requirements.txt", 1, "ROC209")]


def test_an_excuse_at_the_command_holds_for_the_list() -> None:
    write("requirements.txt", "vllm==0.11.2\n")
    write("Dockerfile", IMAGE + STEPS.replace("-r", "--no-deps -r"))
    assert found() == []


def test_the_cache_forgets_a_list_when_the_command_changes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run() -> str:
        main(["requirements.txt", "--select", "ROC201"])
        return capsys.readouterr().out

    write("requirements.txt", "vllm==0.11.2\n")
    assert not run()
    write("Dockerfile", IMAGE + STEPS)
    first = run()
    assert "= from: Dockerfile:4:20 pip install -r requirements.txt" in first
    assert run() == first
    Path("Dockerfile").write_text(IMAGE + STEPS.replace("-r", "--no-deps -r"))
    assert not run()
