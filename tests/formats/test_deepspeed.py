"""Configurations of DeepSpeed: where they are in JSON and YAML, and of what kind each value is."""

from __future__ import annotations

import pytest

from rocmlint.formats.deepspeed import parse
from rocmlint.formats.model import DeepSpeedConfig


def only(text: str) -> DeepSpeedConfig:
    (found,) = parse(text).configurations
    return found


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("true", "bool"),
        ("null", "null"),
        ("2", "int"),
        ("-1", "int"),
        ("5e8", "float"),
        ("0.5", "float"),
        ('"5e8"', "str"),
        ('"true"', "str"),
        ('"auto"', "str"),
        ('"$SIZE"', "unknown"),
        ('"{{ size }}"', "unknown"),
        ("[1, 2]", "list"),
        ("{}", "dict"),
    ],
)
@pytest.mark.parametrize(
    "template", ['{{"zero_optimization": {{"x": {}}}}}', "zero_optimization:\n  x: {}"]
)
def test_a_value_is_of_the_kind_that_it_is_written_as(
    template: str, written: str, kind: str
) -> None:
    setting = only(template.format(written)).get("zero_optimization", "x")
    assert setting is not None
    assert setting.kind == kind


@pytest.mark.parametrize(
    ("written", "kind"),
    [("yes", "bool"), ("Off", "bool"), ("~", "null"), ("fast", "str"), ("${size}", "unknown")],
)
def test_yaml_has_words_of_its_own(written: str, kind: str) -> None:
    setting = only(f"zero_optimization:\n  x: {written}").get("zero_optimization", "x")
    assert setting is not None
    assert setting.kind == kind


def test_a_setting_stands_where_its_key_does() -> None:
    text = '{\n  // two nodes\n  "zero_optimization": {\n    "stage": 2\n  }\n}\n'
    setting = only(text).get("zero_optimization", "stage")
    assert setting is not None
    assert (setting.text, setting.span[:2]) == ("2", (4, 6))


def test_a_configuration_may_lie_in_another_one() -> None:
    text = "runs:\n- deepspeed:\n    steps: 1\n    zero_optimization: {stage: 3}\n- {}\n"
    assert [each.name for each in only(text).entries] == ["steps", "zero_optimization"]


@pytest.mark.parametrize(
    "text",
    [
        '{"zero_optimization": true}',
        '{"train_batch_size": 1}',
        '{"zero_optimization": {',
        '{"zero_optimization": {"stage": {{ stage }}}}',
        "[1, 2]",
        "",
    ],
)
def test_other_files_hold_none(text: str) -> None:
    assert parse(text).configurations == ()
