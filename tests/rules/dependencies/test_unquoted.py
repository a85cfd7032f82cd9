"""Specifiers that a shell takes for redirections, line by line: a run reports one of a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.repositories import Repository


@pytest.mark.parametrize(
    "command",
    [
        "pip install numpy>=1.26",
        "python3 -m pip install --upgrade safetensors >=0.4.0 einops",
        "sudo pip3 install 'accelerate>=1.0' \"peft[extra]\" datasets<4 > install.log 2>&1",
        "pip install transformers>=4.45,<5 trl>$TRL_VERSION",
        "pip install transformers[torch]>=4.45,<5",
        'bash -c "uv pip install kornia>=0.7.1"',
        "conda install -y numpy<2",
        "pip install kornia >= 0.7",
    ],
)
def test_commands_that_lose_a_bound(repository: Repository, command: str) -> None:
    assert repository.codes("install.sh", f"{command}\n") == ["ROC208"]


def test_a_file_has_one_finding_for_what_is_cut_off_and_one_for_what_is_read(
    project: Project,
) -> None:
    project.write(
        "setup.sh",
        "pip install peft>=0.10\npip install numpy<2\npip install trl>=0.8\npip install timm<1\n",
    )
    output = project.run("check", ".", "--select", "ROC208", "--output-format", "json").stdout
    found = json.loads(output)["findings"]
    assert [each["message"][:17] for each in found] == ["The shell cuts `>", "The shell reads t"]
    assert all(each["help"].endswith("The same holds for 1 more place.") for each in found)
    project.run("check", ".", "--select", "ROC208", "--fix")
    assert project.read("setup.sh").count('"') == 8


def test_images_for_other_processors_of_a_project_for_rocm_are_left_alone(
    repository: Repository,
) -> None:
    text = "FROM ubuntu:24.04\nRUN pip install setuptools>=49.4\n"
    assert repository.codes("Dockerfile.cpu", text) == ["ROC208"]
    repository.write("Dockerfile.rocm", "FROM rocm/dev-ubuntu-24.04\n")
    assert repository.codes("Dockerfile.cpu", text) == []
    assert repository.codes("Dockerfile", text) == ["ROC208"]
