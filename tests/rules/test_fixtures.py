"""Every rule on its fixtures and its documentation: the tests that a team runs on its own rules.

Here are besides what only the built-in rules have to hold.
"""

from __future__ import annotations

import re

import pytest

from rocmlint.rule.rule_files import built_in_folder
from rocmlint.testing import rule_tests
from rocmlint.testing.code import Fixture
from tests.support.fixtures import fixtures, named

pytestmark = pytest.mark.smoke

test_rules = rule_tests(built_in_folder())


@pytest.mark.parametrize("fixture", fixtures("bad"), ids=named)
def test_each_finding_says_what_to_do(fixture: Fixture) -> None:
    assert [each.message for each in fixture.findings if not re.search(r"\w", each.help)] == []
