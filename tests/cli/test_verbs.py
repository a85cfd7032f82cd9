"""``rocmlint rule``, ``config`` and ``completion``, and the laws of the tables of options."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from rocmlint.cli import flags, stack, verify
from rocmlint.cli.check import read
from rocmlint.cli.config import configuration_schema
from rocmlint.cli.main import VERBS
from rocmlint.cli.parser import check_parser
from rocmlint.config.settings import OPTIONS
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"

# rocmlint rule


@pytest.mark.parametrize("rule", ["ROC602", "exif-transpose-no-effect"])
def test_a_rule_is_explained_by_code_or_name(project: Project, rule: str) -> None:
    shown = project.run("rule", rule).stdout
    assert shown.startswith("exif-transpose-no-effect (ROC602)\n")
    assert "Why it matters" in shown


def test_rules_are_listed_where_none_is_named(project: Project) -> None:
    assert len(project.run("rule").stdout.splitlines()) == len(load_rules())


def test_all_rules_in_json_have_what_a_program_needs(project: Project) -> None:
    document = json.loads(project.run("rule", "--all", "--output-format", "json").stdout)
    assert document["version"] == 1
    assert {each["code"] for each in document["rules"]} == {rule.code for rule in load_rules()}
    assert all(each["summary"] and each["severity"] for each in document["rules"])


@pytest.mark.parametrize(
    ("name", "arguments"), [("rules", ["rule", "--all"]), ("options", ["config"])]
)
def test_json_is_as_its_schema_says(project: Project, name: str, arguments: list[str]) -> None:
    document = json.loads(project.run(*arguments, "--output-format", "json").stdout)
    jsonschema.validate(document, json.loads((SCHEMAS / f"{name}.json").read_text()))


def test_a_page_in_markdown_shows_examples(project: Project) -> None:
    page = project.run("rule", "ROC602", "--output-format", "markdown").stdout
    assert page.startswith("# exif-transpose-no-effect (ROC602)\n")
    assert "## Found\n\n```python\n" in page
    assert "# expect:" not in page


def test_examples_are_in_the_language_that_the_rule_is_about(project: Project) -> None:
    page = project.run("rule", "ROC208", "--output-format", "markdown").stdout
    assert "## Found\n\n```shell\n#!/bin/bash\n" in page
    assert "## Fixed\n\n```shell\n#!/bin/bash\n" in page
    (rule,) = json.loads(project.run("rule", "ROC206", "--output-format", "json").stdout)["rules"]
    assert rule["examples"]["language"] == "toml"
    assert "# expect:" not in rule["examples"]["bad"]


def test_an_unknown_rule_is_2_with_the_nearest(project: Project) -> None:
    ended = project.run("rule", "exif-transpos")
    assert ended.returncode == 2
    assert "did you mean 'exif-transpose'?" in ended.stderr


# rocmlint config


def schema() -> dict[str, Any]:
    return configuration_schema(load_rules())


def test_config_lists_every_option(project: Project) -> None:
    shown = project.run("config").stdout.splitlines()
    assert [line for line in shown if line in OPTIONS] == list(OPTIONS)
    document = json.loads(project.run("config", "--output-format", "json").stdout)
    names = [each["name"] for each in document["options"] if each["rule"] is None]
    assert names == list(OPTIONS)


def test_the_schema_is_one_and_has_every_option(project: Project) -> None:
    printed = json.loads(project.run("config", "--schema").stdout)
    jsonschema.Draft7Validator.check_schema(printed)
    with_options = [rule.name for rule in load_rules() if rule.options]
    assert list(printed["properties"]) == [*OPTIONS, *with_options]


@pytest.mark.parametrize(
    "configuration",
    [
        {"select": ["ALL", "ROC", "ROC602", "exif-transpose"], "preview": True},
        {"per-file-ignores": {"tests/": ["ROC6"]}, "rules": ["own"], "extend": "base.toml"},
        {"exif-transpose": {"allowed-paths": ["src/"]}},
    ],
)
def test_the_schema_takes_what_is_right(configuration: dict[str, Any]) -> None:
    jsonschema.validate(configuration, schema())


@pytest.mark.parametrize(
    "configuration",
    [
        {"selct": []},
        {"select": ["ROC777"]},
        {"preview": 1},
        {"per-file-ignores": {"a": ["x"]}},
        {"exif-transpose": {"allowed-path": []}},
    ],
)
def test_the_schema_refuses_what_is_wrong(configuration: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(configuration, schema())


# rocmlint completion


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_knows_every_flag_and_verb(project: Project, shell: str) -> None:
    script = project.run("completion", shell).stdout
    assert [name for name in flags.all_flags() if f"--{name}" not in script] == []
    assert [verb for verb in (*VERBS, *verify.VERBS, *stack.VERBS) if verb not in script] == []


def test_completion_for_an_unknown_shell_is_2(project: Project) -> None:
    assert project.code("completion", "dos") == 2


# The laws of the table


def test_every_option_with_a_group_is_a_flag_with_help() -> None:
    text = check_parser().format_help()
    for name, option in flags.all_flags().items():
        assert f"--{name}" in text
        assert option.help.endswith(".")
        assert option.metavar or option.type == "boolean"


@pytest.mark.parametrize("paths", [[], ["a.py"], ["a", "b"]])
def test_paths_alone_are_read_as_the_parser_reads_them(paths: list[str]) -> None:
    assert read(paths) == read(["--", *paths])
    assert read(paths) == read([*paths, "--color", "auto"])


def test_flags_lay_over_the_configuration_only_what_was_given() -> None:
    assert flags.overrides(read(["a.py"])) == {}
    given = read(["--select", "ROC1, ROC6", "--select=ROC9", "--no-preview"])
    assert flags.overrides(given) == {"select": ["ROC1", "ROC6", "ROC9"], "preview": False}


def test_a_clean_start_imports_nothing_heavy(project: Project) -> None:
    project.write("a.py", "import os\n")
    for _ in range(2):  # a file as young as the run that reads it is read again
        project.run("a.py")
    program = "import sys; from rocmlint.cli.main import main; main(['a.py']); print(*sys.modules)"
    before = "import sys; print(*sys.modules)"
    loaded = [
        set(
            subprocess.run(
                [sys.executable, "-c", each],
                cwd=project.root,
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
        )
        for each in (program, before)
    ]
    heavy = {"argparse", "dataclasses", "pathlib", "tomllib", "inspect", "tempfile", "hashlib"}
    heavy |= {
        "importlib.metadata",
        "libcst",
        "pathspec",
        "rocmlint.findings",
        "rocmlint.rule.registry",
    }
    assert (loaded[0] - loaded[1]) & heavy == set()
