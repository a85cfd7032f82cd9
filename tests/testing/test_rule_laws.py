"""The tests of a team's rules: each law holds for a new rule, and is told where it is broken."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.rule.template import KINDS
from rocmlint.errors import ConfigError
from rocmlint.testing import cases

if TYPE_CHECKING:
    from tests.support.project import Project

RULE = "tools/rules/no_old_name.py"
BAD = "tools/rules/fixtures/no_old_name/bad.py"
GOOD = "tools/rules/fixtures/no_old_name/good.py"
FIXED = "tools/rules/fixtures/no_old_name/fixed.py"


@pytest.fixture
def team(project: Project) -> Project:
    """Make a project with a rule of its own, as the command writes it."""
    ended = project.run("rule", "--new", "no-old-name", "--code", "ACME101")
    assert (ended.returncode, ended.stderr) == (0, "")
    return project


def failing(project: Project) -> list[str]:
    """Test the rules of a project and return what fails."""
    ended = project.run("rule", "--test", "tools/rules")
    assert ended.returncode == (1 if ended.stdout else 0), ended.stderr
    return ended.stdout.splitlines()


def change(project: Project, name: str, before: str, after: str) -> None:
    text = project.read(name)
    assert before in text
    project.write(name, text.replace(before, after, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_rule_of_each_kind_works_and_passes_at_once(project: Project, kind: str) -> None:
    assert project.code("rule", "--new", "no-old", "--code", "ACME101", "--kind", kind) == 0
    ended = project.run("rule", "--test", "tools/rules")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("Tested 1 rule: ")
    (bad,) = (project.root / "tools" / "rules" / "fixtures" / "no_old").glob("bad.*")
    project.write(f"use{bad.suffix}", bad.read_text())
    found = project.findings(f"use{bad.suffix}")
    assert [code for _, code in found] == ["ACME101"]


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        (BAD, "  # expect: ACME101", "", f"{BAD}:1: ACME101 is found here, but not expected: "),
        (
            BAD,
            "value",
            "new_name(3)  # expect: ACME101\nvalue",
            f"{BAD}:1: ACME101 is expected here, but not found: nothing in this line matches `on`",
        ),
        (
            RULE,
            "yield self.finding(",
            "yield from () and self.finding(",
            f"{BAD}:1: ACME101 is expected here, but not found: `check` was called here, and yiel",
        ),
        (GOOD, "new_name", "old_name", f"{GOOD}:1: ACME101 is found in good code: "),
        (FIXED, "new_name", "newer_name", f"{FIXED}:1: the fixes make this line 'value = new_"),
        (RULE, '"new_name"', '"(old_name)"', f"{FIXED}:1: the fixes make this line "),
        (RULE, '"new_name"', '"new_name("', f"{FIXED}:1: the fixes make this line "),
        (
            RULE,
            'is used", help',
            'is used.", help',
            f"{BAD}:1: ACME101: the message must be one sentence without a full stop: ",
        ),
        (RULE, 'Use `new_name`."', 'Use it"', f"{BAD}:1: ACME101: the help must end with a full"),
        (
            RULE,
            'calls("old_name")',
            'calls("old_name", where="never")',
            f"{BAD}:1: ACME101 is found here only if the whole file is parsed: what `on` looks",
        ),
        (
            RULE,
            "## Why it matters",
            "## Reasons",
            f"{RULE}:17: the docstring must have the heading",
        ),
        (
            RULE,
            "    value = old_name(3)",
            "    value = 3",
            f"{RULE}:17: ACME101 finds nothing in ## Example: nothing in it matches `on`",
        ),
        (
            RULE,
            "yield self.finding(",
            "yield from () and self.finding(",
            f"{RULE}:17: ACME101 finds nothing in ## Example: `check` was called for job.py:1, and",
        ),
        (
            RULE,
            "    value = new_name(3)",
            "    value = old_name(3)",
            f"{RULE}:17: ACME101 is found in ## Use instead: `old_name` is used",
        ),
        (RULE, "## Fix safety", "## References", f"{RULE}:17: it has fixes, so the docstring must"),
        (
            RULE,
            "    ## Fix safety",
            "    ## References\n    see the wiki\n\n    ## Fix safety",
            f"{RULE}:17: a reference must be `- https://…`, not 'see the wiki'",
        ),
        (
            RULE,
            "severity =",
            "excuses = (lambda *_: False,)\n    severity =",
            f"{RULE}:17: each of the excuses",
        ),
        (RULE, "name.value ==", "node.no ==", f"{BAD}:1: error in your rule {RULE}:46: AttributeE"),
    ],
)
def test_a_law_that_is_broken_is_told_by_file_and_line(
    team: Project, name: str, before: str, after: str, told: str
) -> None:
    change(team, name, before, after)
    assert told in {line[: len(told)] for line in failing(team)}


def test_an_excuse_is_told_where_a_finding_is_missing(team: Project) -> None:
    excuse = 'def is_kept(node, source):\n    """Old names that are kept."""\n    return True\n\n\n'
    change(team, RULE, "class NoOldName", f"{excuse}class NoOldName")
    change(team, RULE, "    on = calls", "    excuses = (is_kept,)\n    on = calls")
    asks = "if self.is_excused(node, source):\n                return\n            "
    change(team, RULE, "fix = Fix(", f"{asks}fix = Fix(")
    why = "excused by `is_kept` (Old names that are kept; from this file)"
    told = f"ACME101 is expected here, but not found: {why}"
    failures = failing(team)
    assert f"{BAD}:1: {told}" in failures
    assert f"{RULE}:22: ACME101 finds nothing in ## Example: {why}" in failures


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (BAD, f"{RULE}:17: no file no_old_name/bad… has a line with # expect: ACME101"),
        (BAD, f"{FIXED}:1: there is no {BAD} to make it of"),
        (GOOD, f"{RULE}:17: there is no file no_old_name/good…"),
        (FIXED, f"{RULE}:17: it has fixes, but there is no file no_old_name/fixed…"),
    ],
)
def test_a_fixture_that_is_missing_is_told(team: Project, name: str, told: str) -> None:
    (team.root / name).unlink()
    assert told in failing(team)


def test_a_fix_of_a_fix_is_told(team: Project) -> None:
    change(team, RULE, 'name.value == "old_name"', "True")
    change(team, RULE, 'calls("old_name")', 'calls("old_name", "new_name")')
    assert f"{FIXED}:1: ACME101 has a fix here, too: fixing twice must change nothing more" in (
        failing(team)
    )


def test_built_in_rules_say_nothing_of_a_team_s_fixtures(team: Project) -> None:
    turned = "from PIL import ImageOps\n\nimage = ImageOps.exif_transpose(image)\n"
    team.write(GOOD, turned + "image = ImageOps.exif_transpose(image)\n")
    assert failing(team) == []


def test_only_the_rules_that_are_named_are_failing(team: Project) -> None:
    assert team.code("rule", "--new", "no-other") == 0
    change(team, GOOD, "new_name", "old_name")
    assert team.code("rule", "--test", "tools/rules", "acme102") == 1  # the fixture has old_name
    change(team, GOOD, "old_name", "new_name")
    ended = team.run("rule", "--test", "tools/rules", "ACME102")
    assert ended.stderr.startswith("Tested 1 rule: ")
    assert (
        "there is no rule 'ACME109'" in team.run("rule", "--test", "tools/rules", "ACME109").stderr
    )


def test_a_mistake_in_a_rule_and_a_directory_without_rules_exit_with_2(team: Project) -> None:
    change(team, RULE, '"warning"', '"warn"')
    ended = team.run("rule", "--test", "tools/rules")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {RULE}:40: invalid value 'warn' for severity")
    (team.root / "empty").mkdir()
    ended = team.run("rule", "--test", "empty")
    assert ended.stderr == "error: empty: there are no rules in this directory\n"
    assert team.code("rule", "--test", "nosuch") == 2


def test_cases_have_the_names_of_fixture_and_law(team: Project) -> None:
    names = [str(case) for case in cases(team.root / "tools" / "rules")]
    assert "no_old_name/bad.py: marked lines are found" in names
    assert "no_old_name: its example is found" in names
    with pytest.raises(ConfigError):
        cases(team.root)


def test_the_command_needs_no_pytest(team: Project) -> None:
    code = (
        "import sys; sys.modules['pytest'] = None; from rocmlint.cli.main import main; "
        "sys.exit(main(['rule', '--test', 'tools/rules']))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=team.root, check=False).returncode == 0


def test_pytest_runs_each_case_and_prints_the_lines_of_what_fails(team: Project) -> None:
    team.write(
        "test_own.py",
        "from rocmlint.testing import rule_tests\n\ntest_rules = rule_tests('tools/rules')\n",
    )
    change(team, GOOD, "new_name", "old_name")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_own.py"]
    ended = subprocess.run(command, cwd=team.root, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "\ntools/rules/fixtures/no_old_name/good.py:1: ACME101 is found in good" in ended.stdout
    assert "test_rules[no_old_name/good.py: good code is silent]" in ended.stdout
    assert "1 failed, " in ended.stdout
