"""The documentation of the built-in rules: what it has beyond that of a team's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.rule.documentation import documentation, not_reported, notes, sections
from rocmlint.rule.page import markdown
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from rocmlint.rule.rule import Rule

each_rule = pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)


@each_rule
def test_references_are_public_pages_below_what_to_use_instead(rule: type[Rule[Any]]) -> None:
    written = sections(documentation(rule))
    lines = written["References"].splitlines()
    assert [each for each in lines if not each.startswith("- https://")] == []
    assert list(written).index("References") > list(written).index("Use instead")


@each_rule
def test_each_excuse_and_each_doubt_is_a_line_of_the_page(rule: type[Rule[Any]]) -> None:
    lines = [line.removesuffix(".").replace("|", "\\|") for line in conditions_of(rule)]
    page = markdown(rule)
    assert [line for line in lines if f" {line} |\n" not in page] == []


def conditions_of(rule: type[Rule[Any]]) -> list[str]:
    lines = [*rule.tiers.values(), *notes(rule), *not_reported(rule)]
    return [f"{line[:1].upper()}{line[1:]}" for line in lines]
