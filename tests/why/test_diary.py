"""A team's own entries: ``symptoms`` in the configuration, ``--add``, ``--test``, ``--stale``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.text.toml import loads
from rocmlint.why.diary import template_of
from rocmlint.why.entries.template import Template
from tests.support.project import Project

if TYPE_CHECKING:
    from subprocess import CompletedProcess

ROOT = Path(__file__).parents[2]
MESSAGE = "RuntimeError: shape '[0, 4, -1]' is invalid for input of size 1280"
LOG = f"""Traceback (most recent call last):
  File "train.py", line 3, in <module>
    model.generate(**batch)
{MESSAGE}
"""
ROW = """[[symptom]]
id = "N-007"
title = "vision inputs in every step of generate()"
match = ["shape '[0, {:int}, -1]' is invalid"]
cause = "pixel_values are passed in every step of generate()"
do = ["pass pixel_values in the first step only"]
examples = ["RuntimeError: shape '[0, 4, -1]' is invalid for input of size 1280"]
near_misses = ["RuntimeError: shape '[2, 4, -1]' is invalid for input of size 9"]
"""
CONFIGURATION = '[tool.rocmlint]\nsymptoms = ["docs/symptoms.toml"]\n'


@pytest.fixture
def team(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write("pyproject.toml", CONFIGURATION)
    project.write("docs/symptoms.toml", ROW)
    return project


def why(project: Project, *flags: str, log: str = "") -> CompletedProcess[str]:
    return project.run("why", *flags, stdin=log)


def test_an_own_entry_answers_before_the_built_in_ones(team: Project) -> None:
    ended = why(team, log=LOG)
    assert ended.returncode == 0
    assert "known (N-007)" in ended.stdout.splitlines()[0]
    assert "do        pass pixel_values in the first step only" in ended.stdout


def test_an_own_message_is_found_in_a_large_log(team: Project) -> None:
    noise = "step 17 loss 2.31 and nothing else happened here\n" * 60_000
    row = ROW.replace("match = [", 'match = ["the reactor is too warm"]\nversions = [')
    team.write("docs/symptoms.toml", row)
    team.write("train.log", f"{noise}the reactor is too warm\n{noise}")
    assert "known (N-007)" in why(team, "train.log").stdout


def test_the_files_are_relative_to_the_configuration(team: Project) -> None:
    inner = team.root / "src"
    inner.mkdir()
    assert why(Project(inner), log=LOG).returncode == 0


def test_a_draft_has_the_message_as_a_template_and_the_next_number(team: Project) -> None:
    (row,) = loads(why(team, "--add", log=LOG).stdout)["symptom"]
    assert row["id"] == "N-008"
    assert row["match"] == ["shape '[{:int}, {:int}, {:int}]' is invalid for input of size {:int}"]
    assert row["exception"] == ["RuntimeError"]
    assert row["examples"] == [MESSAGE]
    assert row["cause"] == ""


def test_a_draft_names_the_versions_that_are_installed(team: Project) -> None:
    (row,) = loads(why(team, "--add", log=LOG).stdout)["symptom"]
    assert all("==" in each for each in row["versions"])


def test_the_first_draft_of_a_team_is_n_001(tmp_path: Path) -> None:
    (row,) = loads(why(Project(tmp_path), "--add", log=LOG).stdout)["symptom"]
    assert row["id"] == "N-001"


def test_a_draft_without_a_cause_is_refused_and_one_with_a_cause_passes(team: Project) -> None:
    draft = why(team, "--add", log=LOG).stdout
    team.write("docs/symptoms.toml", ROW + draft)
    ended = why(team, "--test")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "symptom 'N-008': the cause is empty" in ended.stderr
    team.write("docs/symptoms.toml", ROW + draft.replace('cause = ""', 'cause = "found"'))
    ended = why(team, "--test")
    assert (ended.returncode, ended.stdout) == (0, "Tested 2 symptoms with 3 messages: all pass.\n")


def test_a_log_without_an_error_gives_no_draft(team: Project) -> None:
    ended = why(team, "--add", log="\n\n")
    assert (ended.returncode, ended.stdout) == (2, "")


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (
            ("[0, 4, -1]' is invalid for", "[1, 4, -1]' is invalid for"),
            "does not match its example",
        ),
        (("shape '[2, 4", "shape '[0, 4"), "matches its near miss"),
        (("examples =", "references ="), "has no example"),
    ],
)
def test_failing_examples_are_listed(team: Project, change: tuple[str, str], failure: str) -> None:
    team.write("docs/symptoms.toml", ROW.replace(*change))
    ended = why(team, "--test")
    assert ended.returncode == 1
    assert f"symptom 'N-007': {failure}" in ended.stdout
    assert ended.stdout.endswith(": 1 failure.\n")


def test_all_entries_are_listed_with_the_own_ones_first(team: Project) -> None:
    lines = why(team, "--list").stdout.splitlines()
    assert lines[0].split(maxsplit=1) == ["N-007", "vision inputs in every step of generate()"]
    assert any(each.startswith("devices-filtered-twice ") for each in lines[1:])


def test_the_list_as_json_follows_its_schema(team: Project) -> None:
    listed = json.loads(why(team, "--list", "--output-format", "json").stdout)
    schema = json.loads((ROOT / "docs" / "schema" / "symptoms.json").read_text())
    Draft202012Validator(schema).validate(listed)
    sources = [each["source"] for each in listed["symptoms"]]
    assert sources[0] == str(Path("docs/symptoms.toml"))
    assert set(sources[1:]) == {None}


@pytest.mark.parametrize(
    ("pins", "versions", "is_stale"),
    [
        (["transformers==4.53.2"], ["transformers==4.53.2"], False),
        (["transformers>=5"], ["transformers==4.53.2"], True),
        (["transformers>=4.40"], ["transformers>4.40,<4.45"], False),
        (["transformers<4.40"], ["transformers>4.40,<4.45"], True),
        (["torch==2.9.1"], ["torch==2.9.1+rocm6.4"], False),
        (["torch==2.9.1"], ["torch==2.8.0+rocm6.4"], True),
        ([], ["transformers==4.53.2"], False),
        (["transformers>=5", "torch==2.9.1"], ["torch==2.9.1", "transformers<5"], True),
    ],
)
def test_an_entry_is_stale_if_the_project_excludes_its_versions(
    team: Project, pins: list[str], versions: list[str], is_stale: bool
) -> None:
    project = f'[project]\nname = "a"\nversion = "1"\ndependencies = {json.dumps(pins)}\n'
    team.write("pyproject.toml", project + CONFIGURATION)
    team.write("docs/symptoms.toml", f"{ROW}versions = {json.dumps(versions)}\n")
    ended = why(team, "--stale")
    assert ended.returncode == 0
    assert ended.stdout.endswith(f"Stale: {int(is_stale)} of 1 symptom.\n")
    assert ("N-007: vision inputs" in ended.stdout) is is_stale


def test_a_lock_makes_an_entry_stale(team: Project) -> None:
    team.write("uv.lock", '[[package]]\nname = "transformers"\nversion = "5.1.0"\n')
    team.write("docs/symptoms.toml", f'{ROW}versions = ["transformers<5"]\n')
    assert "transformers 5.1.0 is locked in uv.lock" in why(team, "--stale").stdout


@pytest.mark.parametrize(
    ("text", "flag", "said"),
    [
        ("[[symptom", "--test", "docs/symptoms.toml"),
        (ROW * 2, "--list", "the id 'N-007' is used twice"),
        (f"{ROW}owners = 'x'\n", "--add", "unknown key 'owners'"),
        (f"{ROW}when = 'open()'\n", "--stale", "is not allowed or not known"),
        (f"{ROW}versions = ['torch 2']\n", "--stale", "not a requirement: 'torch 2'"),
    ],
)
def test_a_bad_file_is_one_line(team: Project, text: str, flag: str, said: str) -> None:
    team.write("docs/symptoms.toml", text)
    ended = why(team, flag, log=LOG)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert said in ended.stderr


def test_without_own_entries_there_is_nothing_to_test(tmp_path: Path) -> None:
    ended = why(Project(tmp_path), "--test")
    assert ended.returncode == 2
    assert "set symptoms" in ended.stderr


def test_a_draft_shows_no_secrets(tmp_path: Path) -> None:
    log = f"OSError: https://me:word@host/a?token=abc with hf_{'a' * 30} failed"
    printed = why(Project(tmp_path), "--add", log=log).stdout
    assert not [each for each in ("word", "abc", "aaaa") if each in printed]


TEMPLATES = {
    "expected 4 tensors, got 12": "expected {:int} tensors, got {:int}",
    "/opt/x/lib.so: undefined symbol: _ZN3c10": "{:path}: undefined symbol: _ZN3c10",
    "needs torch 2.4.1, found 2.9.1+rocm6.4": "needs torch {:version}, found {:version}",
    "fault at 0x7f12ab of commit 1a2b3c4d5e": "fault at {:word} of commit {:word}",
    "no field {x} in gfx942 on cuda:0": "no field {{x}} in gfx942 on cuda:{:int}",
    "and/or is not a path": "and/or is not a path",
    "C:\\a\\b.py is missing": "{:path} is missing",
}


@pytest.mark.parametrize(("message", "template"), TEMPLATES.items())
def test_what_changes_from_run_to_run_is_a_placeholder(message: str, template: str) -> None:
    assert template_of(message) == template
    assert Template(template).find(message) is not None
