"""Copies of one function in a project are one finding, which counts the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Project

CHECK = """\
import torch


def check_bfloat16_supported():
    return torch.version.cuda is not None and torch.cuda.is_bf16_supported()
"""


def test_identical_copies_are_reported_once(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("runs/one/precision.py", CHECK)
    project.write("runs/two/precision.py", f"# The second run.\n{CHECK}")
    (found,) = json.loads(project.run("--output-format", "json").stdout)["findings"]
    assert (found["path"], found["code"]) == ("runs/one/precision.py", "ROC302")
    assert found["help"].endswith("The same holds for 1 more place, in another file.")


def test_another_function_with_the_same_fault_is_a_finding_of_its_own(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("runs/one/precision.py", CHECK)
    project.write("runs/two/precision.py", CHECK.replace("torch.cuda.", "torch.cuda .  "))
    assert project.findings() == [
        ("runs/one/precision.py", "ROC302"),
        ("runs/two/precision.py", "ROC302"),
    ]
