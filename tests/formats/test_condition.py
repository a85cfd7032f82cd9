"""The repositories for which a job of a workflow runs."""

from __future__ import annotations

import pytest

from rocmlint.formats.ci.condition import repositories
from rocmlint.formats.ci.workflow import parse


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("github.repository_owner == 'pytorch'", {"pytorch"}),
        ("${{ github.repository == 'PyTorch/vision' }}", {"pytorch/vision"}),
        ("'pytorch' == github.repository_owner && !cancelled()", {"pytorch"}),
        ("(github.repository_owner == 'a') || (github.repository_owner == 'b')", {"a", "b"}),
        ("startsWith(github.repository, 'pytorch/')", {"pytorch"}),
        ("github.repository_owner == 'a' || github.event_name != 'schedule'", set()),
        ("github.repository_owner != 'pytorch'", set()),
        ("!(github.repository_owner == 'pytorch')", set()),
        ("github.event_name == 'push'", set()),
        ("", set()),
    ],
)
def test_owners_that_a_condition_asks_for(condition: str, found: set[str]) -> None:
    assert repositories(condition) == found


def test_conditions_of_jobs_and_steps() -> None:
    text = """\
jobs:
  gpu:
    if: github.repository_owner == 'pytorch'
    steps:
      - run: pip list
  any:
    steps:
      - run: pip check
      - if: github.repository == 'pytorch/vision'
        run: pip freeze
"""
    found = {each.words[1].text: each.step.repositories for each in parse(text).commands}
    assert found == {"list": {"pytorch"}, "check": set(), "freeze": {"pytorch/vision"}}
