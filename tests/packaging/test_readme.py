"""The README: short, with real output, and links that work on a package index too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocmlint.rule.registry import load_rules
from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
ON_GITHUB = "https://github.com/rocmlint/rocmlint/blob/main/"
ON_SITE = "https://rocmlint.github.io/rocmlint/latest/"
MAXIMUM_LINES = 90


def shown(command: str) -> list[str]:
    """Return the lines below a command in the README."""
    block = re.search(rf"^\$ {re.escape(command)}.*\n((?s:.+?))\n```$", README, re.MULTILINE)
    assert block is not None, command
    return block[1].splitlines()


def assert_in_order(lines: Iterable[str], output: str) -> None:
    """Check that each line is one of the output, in this order; `...` stands for its end."""
    printed = iter(output.splitlines())
    for line in lines:
        wanted = line.removesuffix(" ...")
        fits = str.__eq__ if wanted == line else str.startswith
        assert any(fits(each, wanted) for each in printed), line


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= MAXIMUM_LINES


def test_each_command_shows_five_lines() -> None:
    for command in ("rocmlint why", "rocmlint --output-format"):
        assert len(shown(command)) == 5


def test_it_begins_with_doctor_why_and_the_linter() -> None:
    places = [README.index(each) for each in ("`rocmlint doctor`", "rocmlint why", "$ rocmlint --")]
    assert places == sorted(places)
    assert places[-1] < README.index("`rocmlint stack`") < README.index("## Install")


def test_why_prints_what_it_shows() -> None:
    command = re.search(r'^\$ rocmlint why "(.+)"$', README, re.MULTILINE)
    assert command is not None
    assert_in_order(shown("rocmlint why"), Project(ROOT).run("why", command[1]).stdout)


def test_the_linter_prints_what_it_shows() -> None:
    command = re.search(r"^\$ rocmlint (--output-format .+)$", README, re.MULTILINE)
    assert command is not None
    output = Project(ROOT).run(*command[1].split(), "--no-cache").stdout
    assert_in_order(shown(f"rocmlint {command[1]}"), output)


def test_the_first_command_is_one_for_a_checkout() -> None:
    first = re.search(r"^```console\n(.+)$", README, re.MULTILINE)
    assert first is not None
    assert "pip install . &&" in first[1]
    before, _, after = README.partition("Nothing is released yet.")
    for word in ("uvx", "pipx", "v0.1.0"):
        assert word not in before
        assert word in after


def test_it_names_every_family() -> None:
    rows = "\n".join(line for line in README.splitlines() if line.startswith("| ROC"))
    codes = {rule.code[:4] for rule in load_rules()}
    assert [code for code in sorted(codes) if not re.search(rf"\b{code}\b", rows)] == []


def test_it_has_the_command_that_ci_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    pattern = re.search(r"grep -m 1 -E '(?P<pattern>.+)' README", script)
    assert pattern is not None
    assert re.search(pattern["pattern"], README, re.MULTILINE)


def test_its_links_are_absolute_and_lead_to_pages() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) > 10
    assert [each for each in links if not is_there(each)] == []


def is_there(link: str) -> bool:
    if link.startswith(ON_GITHUB):
        return (ROOT / link.removeprefix(ON_GITHUB)).is_file()
    page = link.removeprefix(ON_SITE).rstrip("/")
    return link.startswith(ON_SITE) and (ROOT / "docs" / f"{page}.md").is_file()


def test_the_hook_is_one_of_the_repository() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    for hook in re.findall(r"- id: (\S+)", README):
        assert f"- id: {hook}\n" in hooks
