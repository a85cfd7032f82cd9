"""The examples in the documentation of the rules: each is found, and what to use instead is not."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.cli.rule_page import markdown, not_reported, sections
from rocmlint.config.configuration import Configuration
from rocmlint.lint.run import Options, run
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.rule.rule import Rule

LONGEST = 10
NAMES = {
    "python": "job.py",
    "shell": "install_rocm.sh",
    "dockerfile": "Dockerfile",
    "toml": "pyproject.toml",
    "text": "requirements.txt",
}
"""How the files are called that have no title."""
BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<code>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
RULES = load_rules()
HEADINGS = ("Why it matters", "Example", "Use instead", "References")
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def files(rule: type[Rule[Any]], heading: str) -> dict[str, str]:
    """Return the files that a section shows, by their paths."""
    section = sections(inspect.getdoc(rule) or "")[heading]
    return {
        block["title"] or NAMES[block["language"]]: block["code"]
        for block in BLOCK.finditer(section)
    }


def found(shown: dict[str, str], root: Path, profile: str = "") -> set[str]:
    """Lint a project of these files with all rules and return the codes of what is found.

    Rules of a profile count only in examples of that profile. Of configurations only one that the
    example shows counts.
    """
    (root / ".git").mkdir()
    for name, code in shown.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    configured = "rocmlint.toml" in shown or any("[tool.rocmlint" in it for it in shown.values())
    options = {"preview": True} | ({"profile": profile} if profile else {})
    configuration = Configuration(options, isolated=not configured)
    paths = [str(root / name) for name in shown if not name.endswith("METADATA")]
    return {each.code for each in run(paths, configuration.settings_for, Options()).findings}


@each_rule
def test_the_documentation_has_its_headings(rule: type[Rule[Any]]) -> None:
    written = sections(inspect.getdoc(rule) or "")
    assert set(HEADINGS) <= set(written)
    assert all(written.values())
    assert [each for each in written if each in HEADINGS] == list(HEADINGS)


@each_rule
def test_the_page_shows_all_that_the_documentation_says(rule: type[Rule[Any]]) -> None:
    """It shows one paragraph, the summary, above the sections."""
    above = (inspect.getdoc(rule) or "").partition("\n## ")[0]
    assert "\n\n" not in above.strip()


@each_rule
def test_references_are_public_pages(rule: type[Rule[Any]]) -> None:
    lines = sections(inspect.getdoc(rule) or "")["References"].splitlines()
    assert [each for each in lines if not each.startswith("- https://")] == []


@each_rule
@pytest.mark.parametrize("heading", ["Example", "Use instead"])
def test_examples_have_at_most_ten_lines(rule: type[Rule[Any]], heading: str) -> None:
    shown = files(rule, heading)
    assert shown
    lines = [line for code in shown.values() for line in code.splitlines() if line]
    assert len(lines) <= LONGEST


@each_rule
def test_the_example_is_found_by_the_rule(rule: type[Rule[Any]], tmp_path: Path) -> None:
    assert rule.code in found(files(rule, "Example"), tmp_path, rule.profile)


@each_rule
def test_what_to_use_instead_is_silent(rule: type[Rule[Any]], tmp_path: Path) -> None:
    assert found(files(rule, "Use instead"), tmp_path, rule.profile) == set()


@each_rule
def test_each_excuse_is_a_line_of_the_page(rule: type[Rule[Any]]) -> None:
    lines = not_reported(rule)
    assert len(set(lines)) == len(rule.excuses)
    assert [f"- {line}" for line in lines if f"- {line}\n" not in markdown(rule)] == []
