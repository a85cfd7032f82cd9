"""Which rules are on, and that the options of a rule reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.config.settings import Settings
from rocmlint.errors import ConfigError
from rocmlint.lint.selection import enabled_rules, ignored_codes, selectors, why_off
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from pathlib import Path

RULES = '''
"""Rules of our own."""

from rocmlint.config.option import Option
from rocmlint.rule.rule import Rule


class Stable(Rule):
    """A stable rule."""

    code, name, since = "ACM011", "slow-copy", "1"
    retired = {"ACM015": "lazy-copy"}
    options = {
        "limit": Option("integer", 3, "How many."),
        "folders": Option("paths", (), "Where."),
        "level": Option("string", "low", "How much.", choices=("low", "high")),
    }


class Doubtful(Rule):
    """A rule in preview."""

    code, name, since, preview = "ACM012", "odd-copy", "1", True

'''


PROFILED = '''
"""Rules for a purpose."""

from rocmlint.rule.rule import Rule


class Purposeful(Rule):
    """A rule for those who fly."""

    code, name, since, profile = "ACM021", "heavy-copy", "1", "flight"


class DoubtfulPurpose(Rule):
    """A rule in preview for those who fly."""

    code, name, since, preview, profile = "ACM022", "vague-copy", "1", True, "flight"
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a project with two rules of its own."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "copies.py").write_text(RULES)
    (tmp_path / "rocmlint.toml").write_text("rules = ['own']\n")
    return tmp_path


@pytest.fixture
def flights(root: Path) -> Path:
    """Add two rules for a purpose to the project."""
    (root / "own" / "flights.py").write_text(PROFILED)
    return root


def settings(root: Path, **options: object) -> Settings:
    return Configuration(
        {name.replace("_", "-"): each for name, each in options.items()}
    ).settings_for(str(root))


def on(root: Path, **options: object) -> set[str]:
    codes = {rule.code for rule in enabled_rules(settings(root, **options))}
    return codes & {"ACM011", "ACM012", "ACM021", "ACM022"}


def test_stable_rules_are_on_and_preview_rules_off(root: Path) -> None:
    assert on(root) == {"ACM011"}


def test_preview_switches_preview_rules_on(root: Path) -> None:
    assert on(root, preview=True) == {"ACM011", "ACM012"}


@pytest.mark.parametrize("selector", ["ACM012", "odd-copy"])
def test_a_preview_rule_is_on_when_it_is_named_itself(root: Path, selector: str) -> None:
    assert on(root, select=[selector]) == {"ACM012"}
    assert on(root, extend_select=[selector]) == {"ACM011", "ACM012"}


@pytest.mark.parametrize("selector", ["ACM015", "lazy-copy"])
def test_a_retired_code_selects_the_rule_that_took_it_over(root: Path, selector: str) -> None:
    assert on(root, select=[selector]) == {"ACM011"}
    assert on(root, ignore=[selector]) == set()


def test_a_profile_switches_its_rules_on(flights: Path) -> None:
    assert on(flights, profile="flight") == {"ACM011", "ACM021"}
    assert on(flights, profile="flight", preview=True) == {"ACM011", "ACM012", "ACM021", "ACM022"}
    assert on(flights, profile="export") == {"ACM011"}


@pytest.mark.parametrize("selector", ["ACM0", "ACM02", "ACM021", "heavy-copy"])
def test_so_does_a_selector_with_its_family(flights: Path, selector: str) -> None:
    assert "ACM021" in on(flights, select=[selector])
    assert {"ACM011", "ACM021"} <= on(flights, extend_select=[selector])


@pytest.mark.parametrize("selector", ["ALL", "ACM"])
def test_all_does_not_switch_on_the_rules_of_a_profile_nor_does_preview(
    flights: Path, selector: str
) -> None:
    assert on(flights, select=[selector]) == {"ACM011"}
    assert on(flights, select=[selector], preview=True) == {"ACM011", "ACM012"}


def test_a_profile_adds_nothing_to_what_is_not_selected_or_is_ignored(flights: Path) -> None:
    assert on(flights, profile="flight", select=["ACM01"]) == {"ACM011"}
    assert on(flights, profile="flight", ignore=["ACM02"]) == {"ACM011"}


def test_an_unknown_profile_is_refused_with_those_that_there_are(flights: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"unknown profile 'fly' \(choose from (export, )?flight\)"
    ):
        enabled_rules(settings(flights, profile="fly"))


def test_what_is_off_without_its_profile_says_so(flights: Path) -> None:
    found = settings(flights)
    reasons = {rule.code: why_off(rule, found) for rule in load_rules(found.rules)}
    assert reasons["ACM021"] == reasons["ACM022"] == "profile flight"


@pytest.mark.parametrize("selector", ["ALL", "ACM", "ACM0", "ACM01"])
def test_a_family_does_not_switch_on_its_preview_rules(root: Path, selector: str) -> None:
    assert on(root, select=[selector]) == {"ACM011"}


@pytest.mark.parametrize(
    ("select", "ignore", "is_on"),
    [
        ("ACM0", "ROC", True),
        ("ACM0", "ACM0", False),
        ("ACM0", "ACM01", False),
        ("ACM011", "ACM01", True),
        ("slow-copy", "ACM01", True),
        ("ACM011", "slow-copy", False),
        ("ACM0", "ALL", True),
        ("ALL", "ALL", False),
    ],
)
def test_the_more_exact_selector_wins_and_ignore_where_equal(
    root: Path, select: str, ignore: str, *, is_on: bool
) -> None:
    assert ("ACM011" in on(root, select=[select], ignore=[ignore])) is is_on


def test_why_a_rule_is_off_is_told(root: Path) -> None:
    found = settings(root, select=["ACM0"], ignore=["ACM011"])
    reasons = {rule.code: why_off(rule, found) for rule in load_rules(found.rules)}
    assert (reasons["ACM011"], reasons["ACM012"]) == ("ignored", "preview")
    assert reasons["ROC602"] == "not selected"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("", "`prefixes` is not set"),
        ("prefixes = []", "`prefixes` is not set"),
        ("prefixes = ['visual']", None),
    ],
)
def test_a_rule_that_needs_an_option_is_off_until_it_is_set(
    root: Path, options: str, reason: str | None
) -> None:
    (root / "rocmlint.toml").write_text(f"[unknown-parameter-group]\n{options}\n")
    found = settings(root)
    rule = next(each for each in load_rules() if each.name == "unknown-parameter-group")
    assert why_off(rule, found) == reason
    assert (rule.code in {each.code for each in enabled_rules(found)}) is (reason is None)


def test_per_file_ignores_match_paths_from_the_root(root: Path) -> None:
    patterns = {"tests/": ["ACM0"], "/*.py": ["slow-copy"]}
    found = settings(root, per_file_ignores=patterns)
    assert ignored_codes(found, "src/tests/a.py") == {"ACM011", "ACM012"}
    assert ignored_codes(found, "setup.py") == {"ACM011"}
    assert ignored_codes(found, "src/a.py") == frozenset()


def test_options_reach_the_rule_with_their_defaults(root: Path) -> None:
    text = "rules = ['own']\n[slow-copy]\nlimit = 5\nfolders = ['a']\n"
    (root / "rocmlint.toml").write_text(text)
    rule = next(each for each in enabled_rules(settings(root)) if each.code == "ACM011")
    assert rule.settings == {"limit": 5, "folders": (str(root / "a"),), "level": "low"}


def test_a_value_that_is_no_choice_is_refused_with_the_nearest(root: Path) -> None:
    (root / "rocmlint.toml").write_text("rules = ['own']\n[slow-copy]\nlevel = 'hihg'\n")
    with pytest.raises(
        Exception, match=r":3: slow-copy: invalid value 'hihg' for level .*'high'\?$"
    ):
        enabled_rules(settings(root))


def test_selectors_are_all_words_that_select_a_rule(root: Path) -> None:
    rules = [rule for rule in load_rules(settings(root).rules) if rule.code.startswith("ACM0")]
    codes = ["ACM", "ACM0", "ACM01", "ACM011", "ACM012", "ACM015"]
    listed = ["ALL", *codes, "lazy-copy", "odd-copy", "slow-copy"]
    assert selectors(rules) == listed
