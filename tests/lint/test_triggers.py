"""The short cuts of triggers: what they leave out could not have matched."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from rocmlint.rule import (
    On,
    Source,
    assignments,
    attributes,
    calls,
    commands,
    comments,
    declared,
    definitions,
    imports,
    nodes,
    walk,
)
from rocmlint.rule.registry import load_rules
from rocmlint.rule.triggers import Trigger

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("*.py"))
TRIGGERS = {
    f"{rule.code}-{number}": trigger
    for rule in load_rules(())
    for number, trigger in enumerate(rule.on)
    if trigger.node_types and trigger.region == "code"
}
AT_WORDS = [
    name for name, trigger in TRIGGERS.items() if trigger.begins and trigger.suspects is None
]


def source_of(text: str, path: str = "job.py") -> Source:
    return Source(path, text, place=path)


@cache
def fixture(path: Path) -> Source:
    """Return the source of a fixture; every trigger looks at the same one."""
    return source_of(path.read_text(encoding="utf-8"))


def only(on: On) -> Trigger:
    (trigger,) = on
    return trigger


@pytest.mark.parametrize("text", ["def run(self): ...\n", "async def run(): ...\n"])
def test_the_definition_of_a_function_is_no_call_of_it(text: str) -> None:
    assert not only(calls("run")).may_match(source_of(text))
    assert only(calls("run")).may_match(source_of(text + "run()\n"))


@pytest.mark.parametrize("name", TRIGGERS)
def test_a_trigger_that_matches_the_code_of_a_file_may_match_its_text(name: str) -> None:
    trigger = TRIGGERS[name]
    for path in FIXTURES:
        source = fixture(path)
        if trigger.has_word(source) and any(trigger.matches(source)):
            assert trigger.may_match(source), path


@pytest.mark.parametrize("name", AT_WORDS)
def test_to_look_where_words_stand_finds_what_the_whole_expression_finds(name: str) -> None:
    trigger = TRIGGERS[name]
    for path in FIXTURES:
        source = fixture(path)
        everywhere = {match.start() for match in trigger.pattern.finditer(source.code)}
        assert {match.start() for match in trigger.matches(source)} == everywhere, path


@pytest.mark.parametrize(
    "text",
    [
        'subprocess.run(["pip", "install", "torch"])\n',
        '(subprocess.run)(["pip", "install", "torch"])\n',
        'subprocess.run \\\n    (["pip", "install", "torch"])\n',
        '(subprocess.run  # pip is a program (of its own)\n)(["pip"])\n',
        "(\n    subprocess.run  # the command\n    # below\n)(pip)\n",
        'from subprocess import check_call as go\ngo(["pip"])\n',
    ],
)
def test_a_call_is_seen_however_it_is_laid_out(text: str) -> None:
    trigger = only(commands("pip", described="commands"))
    assert trigger.may_match(source_of(text))
    assert any(trigger.matches(source_of(text)))


@pytest.mark.parametrize(
    ("trigger", "text"),
    [
        (only(calls("barrier")), "# no barrier here, and no_barrier()\nbarriers = 1\n"),
        (only(commands("pip", described="commands")), '"""Run pip to install it."""\nrunning()\n'),
        (only(commands("pip", described="commands")), "pip = install.run()\n"),
        (only(comments("aiter", words=("aiter",))), "import aiter  # fast\n"),
        (only(declared("torch", described="requirements")), "import torch\n"),
        (only(nodes("Name", words=("one", "two"))), "three = bone\n"),
    ],
)
def test_what_stands_in_no_place_that_counts_needs_no_closer_look(
    trigger: Trigger, text: str
) -> None:
    assert not trigger.may_match(source_of(text))


def test_a_setup_script_declares_requirements() -> None:
    trigger = only(declared("torch", described="requirements"))
    assert trigger.may_match(source_of('setup(install_requires=["torch"])\n', "setup.py"))


def test_a_word_that_begins_in_another_match_is_found() -> None:
    trigger = only(nodes("Name", words=("import aiter", "aiter")))
    found = {match.start() for match in trigger.matches(source_of("import aiter\n"))}
    assert found == {0, len("import ")}


CODE = """\
import torch
from torch import nn as layers

class Model(layers.Module):
    def forward(self, x):
        self.scale = 2
        self.scale: int = 3
        self.scale += 4
        return self.scale * x

forward = Model().forward(scale)
"""


@pytest.mark.parametrize(
    ("trigger", "lines"),
    [
        (only(assignments("scale")), [6, 7, 8]),
        (only(assignments("forward")), [11]),
        (only(attributes("forward")), [11]),
        (only(calls("forward")), [11]),
        (only(definitions("forward")), [5]),
        (only(definitions("Model")), [4]),
        (only(imports("torch")), [1, 2]),
    ],
    ids=lambda each: each.description if isinstance(each, Trigger) else "",
)
def test_a_trigger_accepts_the_statements_that_it_names(trigger: Trigger, lines: list[int]) -> None:
    source = source_of(CODE)
    assert any(trigger.matches(source))
    kinds = [each for each in walk(source.module) if type(each).__name__ in trigger.node_types]
    accepted = [each for each in kinds if trigger.accepts(each, {})]
    assert sorted(source.span(each).line for each in accepted) == lines
