"""gitignore patterns in a configuration: negated ones, and those that never match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.lint.discovery.patterns import matches, problem_with
from tests.support.scripts import UNSAFE

if TYPE_CHECKING:
    from tests.support.project import Project


@pytest.mark.parametrize(
    "pattern", ["[", "a[b", "!", "![", "", "# x", "/", "./a", "a/../b", "!./a"]
)
def test_a_pattern_that_never_matches_is_a_mistake(pattern: str) -> None:
    assert (problem_with(pattern) or "").startswith(repr(pattern))


@pytest.mark.parametrize(
    "pattern", ["a", "/a/", "!a", "a[bc]", "**/x.py", "a b", ".hidden/", "..a"]
)
def test_a_pattern_that_may_match_is_none(pattern: str) -> None:
    assert problem_with(pattern) is None


@pytest.mark.parametrize("pattern", ["src/", "src/*.py", "/src/a.py"])
def test_a_negated_pattern_matches_all_other_files(pattern: str) -> None:
    assert matches(pattern, "src/a.py")
    assert not matches(f"!{pattern}", "src/a.py")
    assert matches(f"!{pattern}", "tests/a.py")


def test_rules_can_be_ignored_everywhere_but_in_some_files(project: Project) -> None:
    project.write("rocmlint.toml", "per-file-ignores = {'!src/' = ['ROC6']}\n")
    for name in ("src/a.py", "src/deep/b.py", "tests/c.py", "d.py"):
        project.write(name, UNSAFE)
    assert project.findings() == [("src/a.py", "ROC602"), ("src/deep/b.py", "ROC602")]


@pytest.mark.parametrize("pattern", ["[", "./build"])
def test_an_exclude_without_effect_is_a_mistake(project: Project, pattern: str) -> None:
    project.write("rocmlint.toml", f"\nexclude = ['{pattern}']\n")
    project.write("a.py", UNSAFE)
    ended = project.run()
    assert ended.returncode == 2
    assert f"rocmlint.toml:2: exclude: {pattern!r} " in ended.stderr
