"""Every rule on its fixtures and its documentation: the tests that a team runs on its own rules.

Here are besides what only the built-in rules have to hold.
"""

from __future__ import annotations

import re

import pytest

from rocmlint.rule.rule_files import built_in_folder
from rocmlint.testing import rule_tests
from rocmlint.testing.code import Fixture
from tests.support.blanks import with_blanks
from tests.support.fixtures import fixtures, named

pytestmark = pytest.mark.smoke

test_rules = rule_tests(built_in_folder())

PYTHON = fixtures("bad", "good", suffix=".py")
LINE_BY_LINE = {"disabled-feature-toggle"}
"""Rules that look at the lines around a comment."""


@pytest.mark.slow
@pytest.mark.parametrize("fixture", PYTHON, ids=named)
def test_blanks_between_tokens_change_no_finding(fixture: Fixture) -> None:
    places = [(each.line, each.code) for each in fixture.findings]
    for blanks in ("  ", "\t\f"):
        found = fixture.lint(with_blanks(fixture.copy.read_text(), blanks))
        assert [(each.line, each.code) for each in found] == places


@pytest.mark.slow
@pytest.mark.parametrize(
    "fixture", [each for each in PYTHON if each.rule.name not in LINE_BY_LINE], ids=named
)
def test_backslashes_between_tokens_change_no_finding(fixture: Fixture) -> None:
    found = fixture.lint(with_blanks(fixture.copy.read_text(), " \\\n\t"))
    assert sorted(each.code for each in found) == sorted(each.code for each in fixture.findings)


@pytest.mark.parametrize("fixture", fixtures("bad"), ids=named)
def test_each_finding_says_what_to_do(fixture: Fixture) -> None:
    assert [each.message for each in fixture.findings if not re.search(r"\w", each.help)] == []
