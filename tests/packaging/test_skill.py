"""The skill for coding agents: in the form that agents and their catalogs read, and true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rocmlint.cli.main import VERBS
from rocmlint.cli.why import main as why

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills" / "rocmlint"
TEXT = (SKILL / "SKILL.md").read_text()
EVALUATIONS: list[dict[str, Any]] = json.loads((SKILL / "evals" / "evals.json").read_text())[
    "evaluations"
]
TRIGGERING = [each for each in EVALUATIONS if each["skill_should_trigger"]]
KEYS = {
    True: {"id", "prompt", "skill_should_trigger", "workspace", "note"}
    | {"expected_behavior", "unexpected_behavior", "logs_contain", "files_exist"},
    False: {"id", "prompt", "skill_should_trigger", "note"},
}
AGENTS = (ROOT / "docs" / "agents.md").read_text()


def test_the_frontmatter_has_a_name_and_a_description() -> None:
    _, frontmatter, body = TEXT.split("---\n", 2)
    head = yaml.safe_load(frontmatter)
    assert head["name"] == SKILL.name
    assert 100 < len(head["description"]) <= 1024
    assert len(body.splitlines()) <= 100


def test_the_card_has_its_three_sections() -> None:
    card = (SKILL / "skill-card.md").read_text()
    assert re.findall(r"^## (\w+)\n\n\S", card, re.MULTILINE) == ["Description", "Owner", "License"]


def test_the_evaluations_have_the_form_of_the_catalog() -> None:
    assert len(TRIGGERING) >= 3
    assert len(EVALUATIONS) - len(TRIGGERING) >= 2
    assert len({each["id"] for each in EVALUATIONS}) == len(EVALUATIONS)
    for each in EVALUATIONS:
        assert set(each) <= KEYS[each["skill_should_trigger"]]
        assert "workspace" not in each or (SKILL / each["workspace"]).is_dir()
    assert all(each["unexpected_behavior"] for each in TRIGGERING)


def test_every_file_that_is_staged_belongs_to_an_evaluation() -> None:
    staged = {f"evals/files/{each.name}" for each in (SKILL / "evals" / "files").iterdir()}
    assert staged == {each["workspace"] for each in EVALUATIONS if "workspace" in each}


@pytest.mark.parametrize("text", [TEXT, AGENTS], ids=["skill", "page"])
def test_the_verbs_are_those_of_the_command(text: str) -> None:
    named = set(re.findall(r"(?:`|^|; |\$ )rocmlint ([a-z]+)\b", text, re.MULTILINE))
    assert {"doctor", "why"} <= named
    assert named - {*VERBS, "doctor"} == set()


def test_what_is_made_up_is_unknown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the evaluation says."""
    folder = SKILL / "evals" / "files" / "unknown"
    monkeypatch.chdir(folder)
    assert why(["job.log"]) == 3
    assert "unknown" in capsys.readouterr().out
