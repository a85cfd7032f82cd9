"""``rocmlint config KEY``: one option, with an example that can be copied."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rocmlint.cli.config import example
from rocmlint.cli.main import main
from rocmlint.config.file import parsed_toml
from rocmlint.config.option import as_toml, problem
from rocmlint.config.settings import OPTIONS
from rocmlint.rule.registry import load_rules

TABLES: dict[str | None, Any] = {None: OPTIONS} | {
    rule.name: rule.options for rule in load_rules() if rule.options
}


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["config", *arguments]) == 0
    return capsys.readouterr().out


def test_an_option_has_its_facts_and_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    shown = explained(capsys, "ignore").splitlines()
    assert shown[:2] == ["ignore", "    (list of strings; default: []; flag: --ignore)"]
    assert shown[-2:] == [
        "    [tool.rocmlint]",
        '    ignore = ["empty-cache-in-training-loop"]',
    ]


@pytest.mark.parametrize("key", ["exif-transpose.always", "tool.rocmlint.exif-transpose.always"])
def test_an_option_of_a_rule_is_found(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = explained(capsys, key)
    assert shown.endswith("    [tool.rocmlint.exif-transpose]\n    always = true\n")


@pytest.mark.parametrize("key", ["exif-transpose", "ROC601"])
def test_a_rule_stands_for_all_its_options(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = json.loads(explained(capsys, key, "--output-format", "json"))["options"]
    assert [each["name"] for each in options] == ["allowed-paths", "always"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("selct", "there is no option 'selct'; did you mean 'select'?"),
        ("xyzzy", "there is no option 'xyzzy'; `rocmlint config` lists the options"),
        ("statistics", "'statistics' is a flag of `rocmlint check`, not an option of"),
    ],
)
def test_an_unknown_option_is_refused(
    key: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", key]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("rule", TABLES, ids=str)
def test_every_option_has_a_valid_example(
    rule: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = json.loads(explained(capsys, *([rule] if rule else []), "--output-format", "json"))
    for each in listed["options"]:
        if each["rule"] == rule:
            name, value = each["name"], example(each)
            assert value is not None
            assert value != each["default"]
            assert problem(name, TABLES[rule][name], value) is None
            assert parsed_toml(f"{name} = {as_toml(value)}", "example.toml") == {name: value}
