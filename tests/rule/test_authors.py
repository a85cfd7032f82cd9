"""What rule authors import, and the page that lists it."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rocmlint
import rocmlint.rule
import rocmlint.testing
from rocmlint.rule import On, triggers

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from rule_authors import NAMES, authors_page, home_of  # noqa: E402 - mkdocs finds it beside its hook

PAGE = authors_page()
LISTED = re.findall(r"^::: (\S+)$", PAGE, re.MULTILINE)


def first_line(module: ModuleType, name: str) -> str:
    """Return the first line of the documentation of a name, as static analysis reads it."""
    value: Any = getattr(module, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        return (value.__doc__ or "").partition("\n")[0]
    tree = ast.parse(inspect.getsource(module)).body
    for statement, after in pairwise(tree):
        if isinstance(statement, ast.Assign) and isinstance(after, ast.Expr):
            if any(isinstance(each, ast.Name) and each.id == name for each in statement.targets):
                return (
                    ast.literal_eval(after.value) if isinstance(after.value, ast.Constant) else ""
                )
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_each_public_name_is_on_the_page_with_its_documentation(name: str) -> None:
    home = home_of(name)
    assert f"{home}.{name}" in LISTED
    assert first_line(import_module(home), name)


@pytest.mark.parametrize("name", sorted({*vars(rocmlint)["__all__"]} - {"__version__", "Rule"}))
def test_each_name_of_the_package_is_on_the_page_of_the_python_interface(name: str) -> None:
    assert re.search(rf"\b{name}\b", (ROOT / "docs" / "api.md").read_text())


@pytest.mark.parametrize("name", rocmlint.testing.__all__)
def test_each_name_for_tests_is_on_its_page(name: str) -> None:
    assert re.search(rf"\b{name}\b", (ROOT / "docs" / "testing-rules.md").read_text())


def test_each_way_to_make_a_trigger_is_exported() -> None:
    made = {
        name
        for name, value in inspect.getmembers(triggers, inspect.isfunction)
        if not name.startswith("_") and value.__annotations__.get("return") == On.__name__
    }
    assert {"assignments", "definitions"} < made <= set(NAMES)


def test_each_name_stands_in_one_section() -> None:
    assert len(LISTED) == len(set(LISTED))


def test_modules_that_a_rule_may_import_are_listed_with_their_functions() -> None:
    assert "members: [" in PAGE
    assert {"rocmlint.project.project", "rocmlint.rule.claims"} <= set(LISTED)
    assert "kernel_package" in PAGE
    assert re.findall(r"members: \[\]", PAGE) == []


def test_no_documentation_on_the_page_has_marks_of_sphinx() -> None:
    files = {import_module(home_of(name)).__file__ for name in NAMES}
    marked = [
        each
        for each in files
        if each and re.search(r":(?:class|func|meth|attr):`", Path(each).read_text())
    ]
    assert marked == []


def test_functions_say_what_they_return_and_not_what_they_give() -> None:
    lines = [first_line(import_module(home_of(name)), name) for name in NAMES]
    assert [line for line in lines if line.startswith(("Give ", "Say ", "Tell "))] == []
