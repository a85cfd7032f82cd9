"""Dockerfiles: instructions, variables and images, and the places of what RUN runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.formats.images.dockerfile import parse
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from rocmlint.formats.model import Command
    from rocmlint.text.text import Span


def at(text: str, span: Span) -> str:
    lines = Text(text)
    start = lines.offset_of(span.line) + span.column - 1
    return text[start : lines.offset_of(span.end_line) + span.end_column - 1]


def texts(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in parse(text).commands]


def last(text: str) -> Command:
    return parse(text).commands[-1]


INSTALLED = [["pip", "install", "x"]]


@pytest.mark.parametrize(
    "text",
    [
        "RUN pip install x",
        "run pip install x  \n",
        "RUN --mount=type=cache,target=/var/cache/pip --network=none pip install x",
        "RUN pip \\\n    install x",
        "RUN pip \\\n# why\n\n  # and how\n  install x",
        "RUN pip \\  \n install x",
        'RUN ["pip", "install", "x"]',
        'RUN [ "sudo", "pip", "install", "\\u0078" ]',
        "RUN <<EOF\npip install x\nEOF\nUSER me",
        "RUN <<-'EOF' bash\n\tpip install x\n\tEOF\n",
        "RUN <<EOF\n#!/bin/bash -e\npip install x\nEOF\n",
        "# escape=`\nFROM a\nRUN pip `\n install x",
        "ONBUILD RUN pip install x",
        "CMD pip install x",
        "ENV PKG=x\nRUN pip install $PKG",
        'SHELL ["/bin/bash", "-c"]\nRUN pip install x',
    ],
)
def test_a_command_is_found_however_it_is_written(text: str) -> None:
    assert texts(text) == INSTALLED


@pytest.mark.parametrize(
    "text",
    [
        "# RUN pip install x",
        "COPY <<EOF /run.sh\nRUN pip install x\nEOF",
        "RUN <<EOF python3\npip install x\nEOF",
        "RUN <<EOF\n#!/usr/bin/env python3\npip install x\nEOF",
        'SHELL ["powershell", "-Command"]\nRUN pip install x',
        "LABEL a='pip install x'",
    ],
)
def test_what_no_shell_runs_is_no_command(text: str) -> None:
    assert texts(text) == []


def test_a_script_of_an_exec_form_is_looked_into() -> None:
    text = 'RUN ["bash", "-lc", "cd a && pip install x>=1"]'
    command = last(text)
    assert [word.text for word in command.words] == ["pip", "install", "x"]
    assert at(text, command.redirects[0].span) == ">=1"
    assert (parse(text).commands[0].shell, command.shell) == (False, True)


def test_text_behind_comments_inside_a_command_keeps_its_place() -> None:
    text = "RUN pip install a \\\n  # é\n  && pip install b>=1 \\\n\n  c\n"
    command = last(text)
    assert [at(text, word.span) for word in command.words] == ["pip", "install", "b", "c"]
    assert at(text, command.redirects[0].span) == ">=1"


# Variables


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ENV V=1\nRUN pip $V", "1"),
        ('ENV V 1 2\nRUN pip "$V"', "1 2"),
        ('ENV A=1 B="2 3"\nRUN pip "$A$B"', "12 3"),
        ("ARG V=1\nRUN pip $V", "1"),
        ("ARG V=1\nFROM a\nARG V\nRUN pip $V", "1"),
        ("ARG V=1\nENV V=2\nRUN pip $V", "2"),
        ("FROM a AS b\nENV V=1\nFROM b\nRUN pip $V", "1"),
        ("ENV A=1\nENV B=https://x/rocm$A\nRUN pip $B", "https://x/rocm1"),
    ],
)  # fmt: skip
def test_a_variable_with_a_value_is_put_in(text: str, word: str) -> None:
    found = last(text).words[-1]
    assert (found.text, found.known) == (word, True)


@pytest.mark.parametrize(
    "text",
    [
        "ARG V\nRUN pip $V",
        "ARG V=1\nFROM a\nRUN pip $V",
        "FROM a AS b\nENV V=1\nFROM c\nRUN pip $V",
        "ENV V=${X:-1}\nRUN pip $V",
        "RUN V=$(date) && pip $V",
        "RUN V=1\nRUN pip $V",
    ],
)
def test_a_variable_without_one_is_unknown(text: str) -> None:
    assert not last(text).words[-1].known


def test_variables_reach_the_command() -> None:
    command = last("ARG A=1\nENV PIP_CONSTRAINT=c.txt\nRUN B=2 pip x")
    assert command.variables == {"A": "1", "PIP_CONSTRAINT": "c.txt", "B": "2"}


# Images


@pytest.mark.parametrize(
    ("text", "images"),
    [
        ("FROM rocm/pytorch:latest", [("rocm/pytorch:latest", True)]),
        ("FROM --platform=linux/amd64 rocm/dev AS b", [("rocm/dev", True)]),
        ("ARG B=rocm/dev\nFROM ${B}:1", [("rocm/dev:1", True)]),
        ("ARG B\nFROM ${B}", [("${B}", False)]),
        ("FROM a AS Base\nFROM base\nFROM c", [("a", True), ("c", True)]),
    ],
)
def test_images_are_what_stages_build_on(text: str, images: list[tuple[str, bool]]) -> None:
    assert [(each.text, each.known) for each in parse(text).images] == images


def test_an_image_stands_at_its_place() -> None:
    text = "# é\nFROM --platform=linux/amd64 rocm/dev AS b"
    assert at(text, parse(text).images[0].span) == "rocm/dev"


# Problems


def test_an_unknown_instruction_is_a_problem_and_the_rest_counts() -> None:
    parts = parse("FROM a\n  FOO bar\nRUN pip install x\n")
    assert [(each.line, each.column) for each in parts.problems] == [(2, 3)]
    assert len(parts.commands) == 1


@pytest.mark.parametrize("text", ["", "\n\n", "# a", "FROM", "RUN", "ENV", "ARG =", "RUN <<EOF"])
def test_too_little_is_no_problem(text: str) -> None:
    assert parse(text).problems == ()


# Places


@pytest.mark.parametrize(
    "text",
    ["RUN pip ==", "RUN pip install == && pip install x", "RUN pip ==;pip x", "RUN (pip =~)"],
)
def test_a_last_word_of_equals_signs_is_a_word(text: str) -> None:
    (word,) = [each for each in parse(text).commands[0].words if each.text in ("==", "=~")]
    assert at(text, word.span) == word.text


def test_the_command_behind_a_last_word_of_equals_signs_is_one_of_its_own() -> None:
    assert texts("RUN pip install == && pip install x")[-1] == ["pip", "install", "x"]


def test_equals_signs_of_a_test_compare() -> None:
    assert texts('RUN if [[ $A == "a b" ]]; then pip install x; fi')[-1] == ["pip", "install", "x"]


@pytest.mark.parametrize("text", ["RUN <<h\n`F\n", "RUN <<h\n\n`F\nh\n", "RUN cat <<h\n\n`F\nh"])
def test_a_stray_backtick_in_a_heredoc_ends_behind_where_it_begins(text: str) -> None:
    spans = [command.span for command in parse(text).commands]
    spans += [word.span for command in parse(text).commands for word in command.words]
    assert spans
    assert all(span[:2] <= span[2:] for span in spans)


def test_the_words_of_a_heredoc_stand_at_their_places() -> None:
    text = "FROM a\nRUN <<EOF\n\npip install é \\\n  x\n\npip y\nEOF\nUSER b\n"
    found = [at(text, word.span) for command in parse(text).commands for word in command.words]
    assert found == ["pip", "install", "é", "x", "pip", "y"]


words = st.lists(st.text("abcXYZ019._=:/@+,-é", min_size=1, max_size=6), min_size=1, max_size=5)
separators = st.sampled_from([" ", "  ", " \\\n  ", " \\\n# é '\n  ", " \\\n\n ", "\t"])


@given(words, st.lists(separators, min_size=5, max_size=5))
def test_words_stand_at_their_places(written: list[str], between: list[str]) -> None:
    call = "".join(mark + word for word, mark in zip(written, between, strict=False))
    text = f"FROM a\nRUN pip{call}\nUSER é\n"
    found = last(text).words[1:]
    assert [word.text for word in found] == written
    assert [at(text, word.span) for word in found] == written


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "RUN make \\ # four jobs\n && pip install a\n",
            (1, 10, "The comment behind `\\` ends the instruction"),
        ),
        ("RUN make\n && pip install a\n", (1, 8, "The line ends without `\\`")),
        ("RUN make\npip install a\n", (2, 1, "'pip' is not a valid Dockerfile")),
        ("RUN make \\\n # four jobs\n && pip install a\n", None),
    ],
)
def test_a_line_that_no_longer_goes_on_is_told_where_it_ends(
    text: str, told: tuple[int, int, str] | None
) -> None:
    found = parse(text).problems
    places = [(each.line, each.column) for each in found]
    assert places == ([] if told is None else [told[:2]])
    assert told is None or found[0].reason.startswith(told[2])
