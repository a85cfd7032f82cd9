"""What is wrong with a local rule is told in one line, with the file and line of the mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.errors import RuleError
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

RULE = '''\
from rocmlint.rule import Option, PythonRule, calls


class ItemLoop(PythonRule["cst.Call"]):
    """A call of item."""

    code = "ACME101"
    name = "item-loop"
    since = "1.0"
    on = calls("item")

    def check(self, node, source):
        yield self.finding(node, source, "item is called")
'''
PLACE = "own/item_loop.py:"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def mistake(own: Path, text: str, name: str = "item_loop.py") -> str:
    (own / name).write_text(text)
    with pytest.raises(RuleError) as raised:
        load_rules((str(own),))
    return str(raised.value)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            'since = "1.0"',
            'since = "1.0"\n    severity = "warn"',
            "10: invalid value 'warn' for severity (choose from error, warning, note)",
        ),
        (
            'since = "1.0"',
            'since = "1.0"\n    severity = "warn"',
            "; did you mean 'warning'?",
        ),
        ('"item-loop"', '"Item Loop"', "8: name must be kebab-case, such as item-in-training-loop"),
        ('"item-loop"', '"Item Loop"', "not 'Item Loop'; did you mean 'item-loop'?"),
        ('"item-loop"', "7", "8: name must be kebab-case, such as item-in-training-loop, not 7"),
        ('"item-loop"', '"exclude"', "8: name: exclude is an option of [tool.rocmlint]"),
        ('"ACME101"', '"acme-1"', "7: code must be capital letters and a number, such as ACME101"),
        ('"ACME101"', '"ROC999"', "7: code: ROC999 is reserved"),
        ('calls("item")', "3", "10: on must be triggers, such as calls("),
        (
            'calls("item")',
            'calls("item", where="(")',
            "10: on: '(' is not a valid regular expression: missing )",
        ),
        ('calls("item")', 'calls("")', "10: on: an empty word is in every file"),
        ('since = "1.0"', "", "4: since must be a string, not None"),
        ("on =", "skips = 'test'\n    on =", "10: skips must be a set of kinds of files"),
        ("on =", "excuses = len\n    on =", "10: excuses must be a tuple of functions"),
        ("on =", "preview = 'yes'\n    on =", "10: preview must be true or false, not 'yes'"),
        ("on =", "needs = 'x'\n    on =", "10: needs: 'x' is not one of the options of this rule"),
        (
            "on =",
            'options = {"limit": 3}\n    on =',
            "10: options: limit must be an Option(type, default, help), not 3",
        ),
        (
            "on =",
            'options = {"limit": Option("integre", 3, "How many.")}\n    on =',
            "10: options: limit: invalid value 'integre' for its type",
        ),
        (
            "on =",
            'options = {"limit": Option("integer", "3", "How many.")}\n    on =',
            "10: options: limit: its default must be a whole number, not '3'",
        ),
        ("def check", "def chekc", "4: ItemLoop has no method `check`"),
        (
            'PythonRule["cst.Call"]',
            "object",
            "4: no rule in this file: ItemLoop must derive from PythonRule or PartRule",
        ),
        ('code = "ACME101"', "", "4: ItemLoop has no `code`, such as ACME101"),
        ('calls("item")', 'calls("item"', "10: SyntaxError: "),
        ("import Option", "import Optoin", "1: ImportError: "),
        ('calls("item")', "calls(3)", "10: TypeError: "),
        ("from rocmlint", "raise SystemExit(0)\nfrom rocmlint", "1: SystemExit: 0"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_what_is_right(
    own: Path, before: str, after: str, told: str
) -> None:
    assert before in RULE
    line = mistake(own, RULE.replace(before, after, 1))
    assert line.startswith(PLACE)
    assert told in line
    assert "\n" not in line


def test_an_attribute_of_several_that_are_set_together_has_its_line(own: Path) -> None:
    text = RULE.replace('name = "item-loop"\n    since = "1.0"', 'name, since = "Item", "1"')
    assert mistake(own, text).startswith(f"{PLACE}8: name must be ")


def test_an_attribute_of_a_base_in_a_helper_file_has_its_place_there(own: Path) -> None:
    (own / "_base.py").write_text(
        RULE.replace('code = "ACME101"\n    name = "item-loop"', "severity = 3")
    )
    text = 'from ._base import ItemLoop\n\n\nclass Own(ItemLoop):\n    code, name = "A1", "own"\n'
    assert mistake(own, text).startswith("own/_base.py:7: severity must be a string, not 3")


def test_a_file_without_any_rule_is_told_how_helpers_are_named(own: Path) -> None:
    line = mistake(own, "HELP = 3\n")
    assert line == (
        "own/item_loop.py: no rule in this file; the name of a file without rules must begin with _"
    )


@pytest.mark.parametrize(
    "name", ["_helper.py", "test_item_loop.py", "conftest.py", "fixtures/a.py"]
)
def test_helpers_tests_and_fixtures_are_no_rules(own: Path, name: str) -> None:
    (own / "item_loop.py").write_text(RULE)
    (own / "fixtures").mkdir()
    (own / name).write_text("1 / 0\n")
    assert "ACME101" in {each.code for each in load_rules((str(own),))}


@pytest.mark.parametrize(
    ("attribute", "line", "before", "after"),
    [("code", 7, '"item-loop"', '"other"'), ("name", 8, '"ACME101"', '"ACME102"')],
)
def test_a_label_that_two_rules_share_is_told_with_both_places(
    own: Path, attribute: str, line: int, before: str, after: str
) -> None:
    (own / "item_loop.py").write_text(RULE)
    told = mistake(own, RULE.replace(before, after), "other.py")
    assert told.startswith(f"own/other.py:{line}: {attribute}: ")
    assert told.endswith(f" is also the {attribute} of own/item_loop.py:{line}")


def test_the_name_of_a_built_in_rule_is_taken(own: Path) -> None:
    told = mistake(own, RULE.replace("item-loop", "exif-transpose"))
    assert told == f"{PLACE}8: name: exif-transpose is also the name of a built-in rule"


def test_the_command_prints_the_line_and_exits_with_2(project: Project) -> None:
    project.write("own/item_loop.py", RULE.replace("on =", 'severity = "warn"\n    on ='))
    project.write("rocmlint.toml", "rules = ['own']\n")
    ended = project.run()
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: own/item_loop.py:10: invalid value 'warn' for severity ")
    assert ended.stderr.count("\n") == 1


def test_a_rule_that_cannot_be_made_is_told_with_its_line(project: Project) -> None:
    broken = "    def __init__(self, *, settings):\n        1 / 0\n"
    project.write("own/item_loop.py", RULE + "\n" + broken)
    project.write("rocmlint.toml", "rules = ['own']\n")
    ended = project.run()
    assert ended.returncode == 2
    assert ended.stderr == "error: own/item_loop.py:16: ZeroDivisionError: division by zero\n"


def test_a_directory_that_is_not_there_is_told_with_file_and_key(project: Project) -> None:
    project.write("pyproject.toml", "[tool.rocmlint]\npreview = true\nrules = ['nosuch']\n")
    ended = project.run()
    assert ended.returncode == 2
    assert ended.stderr == "error: pyproject.toml:3: rules: no such directory: nosuch\n"
