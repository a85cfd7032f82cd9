"""``rocmlint rule``: what a person reads who looks up a code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.main import main
from rocmlint.rule.documentation import summary
from rocmlint.rule.page import example, plain_text
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from rocmlint.rule.registry import RuleType

each_rule = pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["rule", *arguments]) == 0
    return capsys.readouterr().out


@each_rule
def test_the_summary_comes_first_and_what_it_looks_at_last(rule: RuleType) -> None:
    lines = [line for line in plain_text(rule).splitlines() if line]
    assert lines[:2] == [f"{rule.name} ({rule.code})", summary(rule).replace("``", "`")]
    assert lines[-2] == "Looks at"


@each_rule
def test_a_terminal_gets_no_marks_of_markdown(rule: RuleType) -> None:
    prose = [line for line in plain_text(rule).splitlines() if not line.startswith("    ")]
    assert [line for line in prose if line.startswith("#") or "``" in line] == []


@each_rule
def test_the_example_is_shown_where_there_are_no_fixtures(
    rule: RuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an environment that rocmlint was installed into from a wheel."""
    monkeypatch.setattr("rocmlint.rule.page.built_in_folder", lambda: os.devnull)
    assert example(rule) is None
    shown = plain_text(rule).partition("\nExample\n")[2].partition("\nNot reported\n")[0]
    wrong, _, right = shown.partition("\nUse instead\n")
    assert [line for line in wrong.splitlines() if line.startswith("    ")]
    assert [line for line in right.splitlines() if line.startswith("    ")]


def test_a_code_is_found_in_lower_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(capsys, "roc101") == explained(capsys, "ROC101")
    assert "ROC601" in explained(capsys, "roc6")


def test_the_page_says_how_to_hide_one_finding_and_turn_the_rule_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = explained(capsys, "ROC101")
    assert "`# rocmlint: ignore[ROC101] reason`" in told
    assert '    ignore = ["package-path-level"]' in told


def test_the_page_says_how_to_turn_a_rule_in_preview_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rule = next(each for each in load_rules() if each.preview)
    assert f'    extend-select = ["{rule.name}"]' in explained(capsys, rule.code)


def test_options_are_listed_with_type_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    told = explained(capsys, "exif-transpose")
    assert "In the table `[tool.rocmlint.exif-transpose]`:" in told
    assert "- `allowed-paths` (list of strings, default `[]`): " in told
