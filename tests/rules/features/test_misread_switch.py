"""Switches in copies of other projects are left to those who wrote them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

CODE = 'import os\n\ndebug = bool(os.environ.get("TRAINER_DEBUG", False))\nprint(debug)\n'
MIT = "MIT License\n\nCopyright (c) 2024 {}\n\nThe above copyright notice shall be included.\n"


@pytest.mark.parametrize(("holder", "codes"), [("The Lab", ["ROC316"]), ("Others", [])])
def test_code_with_the_license_of_others(project: Project, holder: str, codes: list[str]) -> None:
    project.write(".git/HEAD", "")
    project.write("LICENSE", MIT.format("The Lab"))
    project.write("games/LICENSE", MIT.format(holder))
    project.write("games/README.md", "# Games\n")
    project.write("games/play.py", CODE)
    result = project.run("--preview", "--select", "ROC316", "--output-format", "json")
    assert [each["code"] for each in json.loads(result.stdout)["findings"]] == codes
