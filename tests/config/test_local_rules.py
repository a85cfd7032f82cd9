"""Local rules run code of the project that is linted: when they are loaded, and when not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

RULE = '''
from pathlib import Path

Path(__file__).with_name("was_run").touch()

from rocmlint.rule.rule import Rule
from rocmlint.config.option import Option


class Own(Rule):
    """A rule of the project."""

    code, name, since = "ACME01", "own-rule", "1"
    options = {"limit": Option("integer", 3, "How many.")}
'''
CODE = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image  # rocmlint: ignore[ACME01] why
"""


@pytest.fixture
def guarded(project: Project) -> Project:
    """Make a project with a rule of its own, which its configuration and its code name."""
    project.write("own/own_rule.py", RULE)
    project.write(
        "pyproject.toml",
        "[tool.rocmlint]\nrules = ['own']\nextend-select = ['ACME01', 'own-rule']\n"
        "[tool.rocmlint.own-rule]\nlimit = 4\n",
    )
    project.write("src/a.py", CODE)
    return project


def was_run(project: Project) -> bool:
    return (project.root / "own" / "was_run").exists()


def test_a_run_loads_the_rules_of_the_project(guarded: Project) -> None:
    assert guarded.code("src") == 1
    assert was_run(guarded)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--no-local-rules", "src"],
        ["--no-local-rules", "--no-cache", "src"],
        ["--no-local-rules", "--unsafe-fixes", "--diff", "src"],
        ["--no-local-rules", "--output-format", "sarif", "src"],
        ["--isolated", "src"],
        ["--config", "local-rules = false", "src"],
        ["--show-settings"],
        ["--show-files"],
        ["rule"],
        ["rule", "--all"],
        ["rule", "ROC602"],
        ["rule", "exif-transpose"],
        ["rule", "--no-local-rules", "ACME01"],
        ["config"],
        ["config", "--schema"],
        ["completion", "bash"],
        ["verify", "--no-local-rules", "src"],
        ["stack", "show"],
    ],
    ids=" ".join,
)
def test_no_code_of_the_project_is_run(guarded: Project, arguments: list[str]) -> None:
    guarded.run(*arguments)
    assert not was_run(guarded)


def test_no_code_is_run_for_standard_input(guarded: Project) -> None:
    guarded.run("--no-local-rules", "-", stdin=CODE)
    assert not was_run(guarded)


@pytest.mark.parametrize("local", ["true", "false"])
def test_a_configuration_cannot_take_back_what_the_command_says(
    guarded: Project, local: str
) -> None:
    guarded.write("src/rocmlint.toml", f"rules = ['../own']\nlocal-rules = {local}\n")
    assert guarded.code("--no-local-rules", "src") == 1
    assert not was_run(guarded)


def test_without_local_rules_what_names_them_is_no_mistake(guarded: Project) -> None:
    ended = guarded.run("--no-local-rules", "--no-cache", "--output-format", "concise", "src")
    assert ended.stdout.splitlines()[0].startswith("src/a.py:5:5: ROC602 ")
    assert (ended.returncode, len(ended.stdout.splitlines())) == (1, 1)


def test_a_word_that_means_no_rule_is_a_mistake_where_no_local_rules_are(project: Project) -> None:
    project.write("rocmlint.toml", "select = ['ACME01']\n")
    assert "unknown rule 'ACME01'" in project.run("--no-local-rules").stderr


def test_settings_tell_of_local_rules_that_they_do_not_list(guarded: Project) -> None:
    shown = guarded.run("--show-settings").stdout
    assert "# local rules in own: loaded by a run, not listed here" in shown
    shown = guarded.run("--show-settings", "--no-local-rules").stdout
    assert "# local rules in own: not loaded, not listed here" in shown


@pytest.mark.parametrize("arguments", [["rule", "ACME01"], ["rule", "--local-rules"]], ids=" ".join)
def test_a_rule_that_is_not_built_in_is_explained_where_it_is_named(
    guarded: Project, arguments: list[str]
) -> None:
    assert "A rule of the project." in guarded.run(*arguments).stdout


def test_the_schema_has_the_options_of_local_rules_where_they_are_wanted(guarded: Project) -> None:
    schema = json.loads(guarded.run("config", "--schema", "--local-rules").stdout)
    assert "own-rule" in schema["properties"]


def test_flake8_loads_no_local_rules_where_it_is_told_so(guarded: Project) -> None:
    command = [sys.executable, "-m", "flake8", "--rocmlint-no-local-rules", "src"]
    ended = subprocess.run(
        command, cwd=guarded.root, capture_output=True, text=True, check=False, timeout=120
    )
    assert "ROC602" in ended.stdout
    assert not was_run(guarded)
