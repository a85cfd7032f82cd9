"""The fixtures of the built-in rules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rocmlint.rule.rule_files import built_in_folder
from rocmlint.testing.code import Fixture
from rocmlint.testing.fixtures import RuleFolder

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.rule.registry import RuleType

BUILT_IN = RuleFolder(built_in_folder())


def fixtures(*kinds: str, suffix: str = "") -> list[Fixture]:
    """Return the fixtures of these kinds ("bad", "good"), of those rules that look at code."""
    return [
        _fixture(rule, path)
        for kind in kinds
        for rule in BUILT_IN.rules
        if rule.on
        for path in BUILT_IN.files(rule, kind)
        if path.name.endswith(suffix)
    ]


@cache
def _fixture(rule: RuleType, path: Path) -> Fixture:
    """Return the same object to all tests, so that the fixture is linted once."""
    return Fixture(BUILT_IN, rule, path)


def named(fixture: Fixture) -> str:
    """Return the path of a fixture from the folder of all fixtures."""
    return fixture.path.relative_to(BUILT_IN.fixtures).as_posix()
