"""``rocmlint config --schema``: what an editor needs to complete and check a configuration."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from rocmlint.cli.config import SCHEMAS, configuration_schema
from rocmlint.cli.main import main
from rocmlint.config.file import parsed_toml
from rocmlint.config.settings import OPTIONS
from rocmlint.rule.registry import load_rules


def schema(file: str) -> dict[str, Any]:
    return configuration_schema(load_rules(), file)


@pytest.mark.parametrize("file", SCHEMAS)
def test_the_schema_is_printed_with_the_address_that_it_is_published_at(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "--schema", file]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == schema(file)
    assert printed["$id"] == f"https://rocmlint.github.io/rocmlint/latest/schema/{SCHEMAS[file]}"
    Draft7Validator.check_schema(printed)


@pytest.mark.parametrize("file", SCHEMAS)
def test_selectors_are_defined_once(file: str) -> None:
    text = json.dumps(schema(file))
    assert text.count('"package-path-level"') == 1
    assert text.count('"$ref": "#/definitions/selector"') == 7


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ("", True),
        ("select = ['ROC1', 'ALL', 'package-path-level']\nrequired-version = '>=0.1'", True),
        ("per-file-ignores = {'!src/' = ['ROC6']}\n[exif-transpose]\nalways = true", True),
        ("prevew = true", False),
        ("select = ['ROC999']", False),
        ("per-file-ignores = {'a' = ['ROC999']}", False),
        ("profile = 'exprt'", False),
        ("[exif-transpose]\nalway = true", False),
    ],
)
def test_both_schemas_accept_what_rocmlint_accepts(text: str, *, is_valid: bool) -> None:
    table = parsed_toml(text, "rocmlint.toml")
    assert Draft7Validator(schema("rocmlint.toml")).is_valid(table) is is_valid
    whole = {"project": {"name": "x"}, "tool": {"rocmlint": table, "other": {"a": 1}}}
    assert Draft7Validator(schema("pyproject.toml")).is_valid(whole) is is_valid


def test_every_default_is_valid() -> None:
    properties = schema("rocmlint.toml")["properties"]
    defaults = {name: each["default"] for name, each in properties.items() if "default" in each}
    assert defaults.keys() <= OPTIONS.keys()
    Draft7Validator(schema("rocmlint.toml")).validate(defaults)


def test_the_schema_of_one_project_is_not_the_published_one() -> None:
    assert "$id" not in configuration_schema(load_rules(), local=True)
