"""The error messages that rules prevent: shown with the rule, found by their words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rocmlint.cli.main import main
from rocmlint.rule.errors import errors_of
from rocmlint.rule.page import described, markdown, plain_text
from rocmlint.rule.registry import load_rules
from rocmlint.rule.search import search
from rocmlint.why.entries.load import built_in
from rocmlint.why.facts.all import NAMES
from tests.support.reports import rendered

if TYPE_CHECKING:
    import pytest

SYMPTOMS = built_in(NAMES)
TWICE = next(rule for rule in load_rules() if rule.code == "ROC313")
"""Devices that two variables filter."""


def test_a_rule_has_the_entries_that_name_it() -> None:
    for rule in load_rules():
        naming = [each.id for each in SYMPTOMS if rule.code in each.rules]
        assert [each.id for each in errors_of(rule.code)] == naming


def test_the_page_of_a_rule_lists_its_errors() -> None:
    (first, *_) = errors_of(TWICE.code)
    assert f"({first.url})" in markdown(TWICE).partition("## Errors that it prevents")[2]
    assert f"Errors that it prevents\n- {first.title}" in plain_text(TWICE)
    assert {"title": first.title, "url": first.url} in described(TWICE)["errors"]


def test_a_rule_without_errors_has_no_such_section() -> None:
    rule = next(each for each in load_rules() if not errors_of(each.code))
    assert "Errors that it prevents" not in markdown(rule)


def test_a_message_is_searched_for_in_the_errors_of_all_rules(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert next(each.rule for each in search("invalid device ordinal", load_rules())) is TWICE
    assert main(["rule", "HIP error: invalid device ordinal"]) == 0
    assert capsys.readouterr().out.startswith("ROC313 ")


def test_only_json_names_the_errors_of_a_finding() -> None:
    assert all("errors" in each for each in json.loads(rendered("json"))["findings"])
    assert '"errors"' not in rendered("sarif")
