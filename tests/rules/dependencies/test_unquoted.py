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


WORKFLOW = """\
jobs:
  test:
    steps:
      - run: pip install {}
"""


@pytest.mark.parametrize(
    ("path", "text", "severity"),
    [
        (".github/workflows/test.yml", WORKFLOW.format("lm-eval>=0.4.5"), "note"),
        (".github/workflows/test.yml", WORKFLOW.format("lm-eval<0.5"), "error"),
        ("setup.sh", "pip install -U lm-eval>=0.4.5\n", "note"),
        ("setup.sh", "pip install lm-eval>=0.4.5\n", "warning"),
    ],
)
def test_where_pip_takes_the_newest_release_a_lost_lower_bound_is_a_note(
    repository: Repository, path: str, text: str, severity: str
) -> None:
    (found,) = repository.lint(path, text)
    assert (found.code, found.severity) == ("ROC208", severity)


def test_of_many_packages_the_help_names_three(repository: Repository) -> None:
    names = "".join(f" {each}>=0.1" for each in ("peft", "trl", "timm", "kornia", "einops"))
    (found,) = repository.lint("setup.sh", f"pip install{names}\n")
    assert found.help.endswith("pip installs any version of `peft`, `trl`, `timm` and 2 others.")


def test_a_bound_that_no_release_meets_is_to_be_corrected_before_it_is_quoted(
    repository: Repository,
) -> None:
    (found,) = repository.lint("setup.sh", "pip install 'trl>=0.8' torchao>=10.0.0\n")
    assert found.help.startswith("No known release of torchao meets `>=10.0.0`: the newest is 0.")
    assert found.help.endswith("Correct the version, then quote the requirement.")
    assert found.fix is None
    (met,) = repository.lint("setup.sh", "pip install torchao>=0.10.0\n")
    assert met.help.startswith('Write `"torchao>=0.10.0"`')
