"""One name for one thing: public classes of one name, and modules of one name, are listed here."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.smoke

SOURCE = Path(__file__).parents[1] / "src" / "rocmlint"
MOST_MODULES = 3

SHARED_CLASSES = """
Action Aliases Below Binding Branch Calls Case Document Edit Effects Elsewhere Entry Evaluator
Evidence File Flow Function Index Installation Kind Library Line Mention Options Patch Place
Problem Program Reaching Reader Reference Replacement Result Session Setting Signature Source
Sources Subject Target Use Variables Written
"""
"""Names of public classes that several modules have: the list shrinks with each new name."""

SHARED_MODULES = {
    "check": "verbs of the command line, and the check behind each of them",
    "config": "one check of a model: its verb, its judgement and its facts; and the verb config",
    "memory": "one check of a model: its verb, its judgement and its facts; and files in memory",
    "nodes": "of syntax trees and of devices; three belong to trees that have little in common",
    "text": "the room, two output formats, and the texts of two rooms",
    "variables": "one subject: its verb, its judgements and facts, its table, and those of a shell",
}
"""Names of more than three modules, and why each stays."""


@cache
def classes() -> dict[str, list[str]]:
    """Return the modules that define each public class."""
    found = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(SOURCE)))
    return found


@cache
def modules() -> dict[str, list[str]]:
    """Return the modules of each name, without packages."""
    found = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        if path.stem != "__init__":
            found[path.stem].append(str(path.relative_to(SOURCE)))
    return found


def test_a_public_class_has_a_name_of_its_own() -> None:
    shared = {name: paths for name, paths in classes().items() if len(paths) > 1}
    assert {name: shared[name] for name in shared if name not in SHARED_CLASSES.split()} == {}


@pytest.mark.parametrize("name", SHARED_CLASSES.split())
def test_a_class_that_got_a_name_of_its_own_leaves_the_list(name: str) -> None:
    assert len(classes().get(name, ())) > 1


def test_at_most_three_modules_have_the_same_name() -> None:
    shared = {name: paths for name, paths in modules().items() if len(paths) > MOST_MODULES}
    assert {name: shared[name] for name in shared if name not in SHARED_MODULES} == {}


@pytest.mark.parametrize("name", SHARED_MODULES)
def test_a_module_name_that_became_rare_leaves_the_list(name: str) -> None:
    assert len(modules().get(name, ())) > MOST_MODULES
