"""Makefiles and justfiles: the commands of their recipes, and what is put into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats.scripts import justfile, makefile
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from rocmlint.formats.model import Parts
    from rocmlint.text.text import Span

INDEX = "https://download.pytorch.org/whl/rocm6.4"


def run(parts: Parts) -> list[str]:
    return [" ".join(word.text for word in each.words) for each in parts.commands]


def at(text: str, span: Span) -> str:
    lines = Text(text)
    start = lines.offset_of(span.line) + span.column - 1
    return text[start : lines.offset_of(span.end_line) + span.end_column - 1]


# make


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        pytest.param("a:\n\tpip install x\n", ["pip install x"], id="recipe"),
        pytest.param("a: b c\n\t@-pip install x\n", ["pip install x"], id="signs before it"),
        pytest.param("a: b ; +pip install x\n", ["pip install x"], id="behind the rule"),
        pytest.param(
            "a:\n\tcd x && \\\n\t  pip install y\n", ["cd x", "pip install y"], id="continued"
        ),
        pytest.param("a:\n\tls\n# why\n\n\tpip list\n", ["ls", "pip list"], id="comment between"),
        pytest.param("\tpip install x\n", [], id="no rule above"),
        pytest.param("A = b\n\tpip install x\n", [], id="variable above"),
        pytest.param("define A\n\tpip install x\nendef\n", [], id="canned recipe"),
        pytest.param(".RECIPEPREFIX = >\na:\n> pip list\n", ["pip list"], id="other prefix"),
        pytest.param("SHELL = /usr/bin/python3\na:\n\timport os\n", [], id="another shell"),
        pytest.param("SHELL := /bin/bash -e\na:\n\tpip list\n", ["pip list"], id="bash"),
        pytest.param("a:\n    pip list\n", [], id="blanks in place of a tab"),
    ],
)
def test_commands_of_a_makefile(text: str, commands: list[str]) -> None:
    assert run(makefile.parse(text)) == commands


@pytest.mark.parametrize(
    ("variables", "word", "known"),
    [
        ("A = x", "x", True),
        ("A := x  # why", "x", True),
        ("A ?= x", "x", True),
        ("A = x\nA = y", "y", True),
        ("A = $(B)\nB = y", "y", True),
        ("A = x$(A)", "$(A)", False),
        ("A = $(shell pwd)", "$(A)", False),
        ("A != pwd", "$(A)", False),
        ("ifeq ($(GPU),1)\nA = x\nelse\nA = y\nendif", "$(A)", False),
        ("all: A = x", "$(A)", False),
        ("", "$(A)", False),
    ],
)
def test_the_value_of_a_variable_of_make(variables: str, word: str, known: bool) -> None:
    (command,) = makefile.parse(f"{variables}\na:\n\tpip install $(A)\n").commands
    assert (command.words[2].text, command.words[2].known) == (word, known)


def test_a_list_of_packages_is_several_words_at_one_place() -> None:
    text = "A = torch \\\n  numpy\nA += einops\na:\n\tpip install ${A} --index-url $$URL\n"
    (command,) = makefile.parse(text).commands
    assert [word.text for word in command.words[2:]] == [
        *("torch", "numpy", "einops", "--index-url", "$URL"),
    ]
    assert {at(text, word.span) for word in command.words[2:5]} == {"${A}"}
    assert not command.words[-1].known


def test_what_a_makefile_exports_reaches_its_commands() -> None:
    text = f"export A = 1\nB = {INDEX}\nexport B\nC = 3\na:\n\tpip list\n"
    (command,) = makefile.parse(text).commands
    assert command.variables == {"A": "1", "B": INDEX}


def test_each_line_of_a_recipe_has_a_shell_of_its_own() -> None:
    lines = "a:\n\tcd x\n\tpip list\n"
    assert [each.folder for each in makefile.parse(lines).commands] == ["", ""]
    assert [each.folder for each in makefile.parse(f".ONESHELL:\n{lines}").commands] == ["", "x"]


def test_what_ifeq_decides_are_branches() -> None:
    text = "a:\nifdef ROCM\n\tpip install x\nelse\n\tpip install y\nendif\n\tpip install z\n"
    one, other, always = makefile.parse(text).commands
    assert one.branches[0].block == other.branches[0].block
    assert [each.arm for each in (*one.branches, *other.branches)] == [0, 1]
    assert always.branches == ()


# just


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        pytest.param("a:\n    pip install x\n", ["pip install x"], id="recipe"),
        pytest.param("@a b='c' *d: e\n\t@-pip list\n", ["pip list"], id="parameters"),
        pytest.param("a:\n  pip install \\\n    x\n", ["pip install x"], id="continued"),
        pytest.param(
            f'i := "{INDEX}"\na:\n  pip list {{{{ i }}}}\n', [f"pip list {INDEX}"], id="value"
        ),
        pytest.param("a:\n  #!/bin/bash\n  cd x\n  pip list\n", ["cd x", "pip list"], id="script"),
        pytest.param("a:\n  #!/usr/bin/env python3\n  import os\n", [], id="script of Python"),
        pytest.param('set shell := ["pwsh", "-c"]\na:\n  ls\n', [], id="another shell"),
        pytest.param("a := `pip list`\nalias b := c\n", [], id="no recipe"),
    ],
)
def test_commands_of_a_justfile(text: str, commands: list[str]) -> None:
    assert run(justfile.parse(text)) == commands


@pytest.mark.parametrize("value", ["v", "arch()", "v + '1'", "env_var('X')", "unknown"])
def test_what_just_computes_is_unknown(value: str) -> None:
    text = f"v := '1'\na v='2':\n  pip install torch=={{{{{value}}}}}\n"
    (command,) = justfile.parse(text).commands
    assert not command.words[2].known


def test_a_shell_of_just_that_is_none_of_its_words() -> None:
    (command,) = justfile.parse("export A := 'b'\na:\n  echo {{{{x\n").commands
    assert (command.words[1].text, command.variables) == ("{{x", {"A": "b"})
