"""The fixtures of the built-in rules."""

from __future__ import annotations

from functools import cache

from rocmlint.rule.rule_files import built_in_folder
from rocmlint.testing.code import Fixture
from rocmlint.testing.fixtures import RuleFolder

BUILT_IN = RuleFolder(built_in_folder())


def fixtures(*kinds: str, suffix: str = "") -> list[Fixture]:
    """Return the fixtures of these kinds ("bad", "good"), of those rules that look at code."""
    found = (each for kind in kinds for each in _of_kind(kind))
    return [each for each in found if each.path.name.endswith(suffix)]


@cache
def _of_kind(kind: str) -> tuple[Fixture, ...]:
    """Return the same objects to all tests, so that each fixture is linted once."""
    return tuple(
        Fixture(BUILT_IN, rule, path)
        for rule in BUILT_IN.rules
        if rule.on
        for path in BUILT_IN.files(rule, kind)
    )


def named(fixture: Fixture) -> str:
    """Return the path of a fixture from the folder of all fixtures."""
    return fixture.path.relative_to(BUILT_IN.fixtures).as_posix()
