"""``--python``: an interpreter, or the folder of its environment, alike for verify and stack."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.stacks import FakeEnvironment

VERBS = pytest.mark.parametrize("verb", [("stack", "show"), ("verify", "stock", "torch")])


@VERBS
def test_a_folder_stands_for_its_interpreter(
    packages: FakeEnvironment, project: Project, verb: tuple[str, ...]
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    of_program = project.run(*verb, "--python", str(packages.python))
    of_folder = project.run(*verb, "--python", str(packages.root))
    assert "torch" in of_program.stdout
    assert (of_folder.stdout, of_folder.returncode) == (of_program.stdout, of_program.returncode)


@VERBS
def test_a_folder_without_one_is_refused_with_what_to_type(
    project: Project, verb: tuple[str, ...]
) -> None:
    ended = project.run(*verb, "--python", str(project.root))
    assert ended.returncode == 2
    assert "is a directory without an interpreter; name one, such as --python .venv" in ended.stderr


def test_check_takes_python_for_environment(packages: FakeEnvironment, project: Project) -> None:
    project.write("a.py", "import torch\n")
    ended = project.run("--python", str(packages.root), "--show-settings")
    assert f'environment = "{packages.root}"  # command line' in ended.stdout


def test_check_looks_for_a_bare_name_on_path(
    packages: FakeEnvironment, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(packages.python.parent), prepend=os.pathsep)
    ended = project.run("--python", packages.python.name, "--show-settings")
    assert f'environment = "{packages.python}"  # command line' in ended.stdout
