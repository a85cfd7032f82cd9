"""Blanks and backslashes between the tokens of a fixture change nothing that is found in it."""

from __future__ import annotations

import pytest

from rocmlint.testing.code import Fixture
from tests.support.blanks import with_blanks
from tests.support.fixtures import fixtures, named

pytestmark = pytest.mark.slow

PYTHON = fixtures("bad", "good", suffix=".py")
LINE_BY_LINE = {"disabled-feature-toggle"}
"""Rules that look at the lines around a comment."""


@pytest.mark.parametrize("fixture", PYTHON, ids=named)
def test_blanks_between_tokens_change_no_finding(fixture: Fixture) -> None:
    places = [(each.line, each.code) for each in fixture.findings]
    found = fixture.lint(with_blanks(fixture.copy.read_text(), "  \t\f"))
    assert [(each.line, each.code) for each in found] == places


@pytest.mark.parametrize(
    "fixture", [each for each in PYTHON if each.rule.name not in LINE_BY_LINE], ids=named
)
def test_backslashes_between_tokens_change_no_finding(fixture: Fixture) -> None:
    found = fixture.lint(with_blanks(fixture.copy.read_text(), " \\\n\t"))
    assert sorted(each.code for each in found) == sorted(each.code for each in fixture.findings)
