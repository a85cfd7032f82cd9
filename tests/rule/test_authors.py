"""What rule authors import, and the page that lists it."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

import rocmlint.rule
from rocmlint.rule import On, triggers

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from rule_authors import authors_page, first_line

PAGE = authors_page()


@pytest.mark.parametrize("name", rocmlint.rule.__all__)
def test_each_public_name_is_on_the_page_with_its_first_line(name: str) -> None:
    line = first_line(name, getattr(rocmlint.rule, name))
    assert line
    assert f"| `{name}` | {line.replace('|', chr(92) + '|')} |" in PAGE


def test_each_way_to_make_a_trigger_is_exported() -> None:
    made = {
        name
        for name, value in inspect.getmembers(triggers, inspect.isfunction)
        if not name.startswith("_") and value.__annotations__.get("return") == On.__name__
    }
    assert {"assignments", "definitions"} < made <= set(rocmlint.rule.__all__)


def test_the_page_says_what_a_source_a_file_and_a_project_answer() -> None:
    for name in ("resolve(node)", "value_of(node)", "kinds", "read(path)", "is_rocm"):
        assert f"| `{name}` |" in PAGE


def test_no_line_of_the_page_is_empty() -> None:
    assert re.findall(r"^\| `[^`]+` \| *\|$", PAGE, re.MULTILINE) == []


def test_functions_say_what_they_return_and_not_what_they_give() -> None:
    lines = re.findall(r"^\| `\S+\([^`]*\)` \| (.+) \|$", PAGE, re.MULTILINE)
    assert lines
    assert [line for line in lines if line.startswith(("Give ", "Say ", "Tell "))] == []


def test_each_kind_of_question_has_its_section() -> None:
    sections = set(re.findall(r"^## (.+)$", PAGE, re.MULTILINE))
    assert {
        "Attributes and methods of a Source",
        "Attributes and methods of a File",
        "Attributes and methods of a Project",
        "Syntax helpers",
        "Triggers",
        "Commands and installs",
        "Claims",
        "Published facts: `rocmlint.published.requirements`",
    } <= sections
