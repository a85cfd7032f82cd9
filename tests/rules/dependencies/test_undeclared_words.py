"""What ROC212 says of a package that is not declared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Project


def test_the_module_is_named_that_lost_a_name_which_another_one_still_has(project: Project) -> None:
    project.write("tune.py", "from peft.mapping import get_peft_model\n\nget_peft_model(1)\n")
    run = project.run("--preview", "--select", "ROC212", "--output-format", "json")
    (found,) = json.loads(run.stdout)["findings"]
    assert found["message"].endswith("lacks `peft.mapping.get_peft_model`")
