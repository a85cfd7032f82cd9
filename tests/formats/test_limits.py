"""Values that grow without end: what is longer than some kilobytes is unknown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rocmlint.formats import parse
from rocmlint.formats.model import Word

TIMES = 10
DEEP = 40
"""Levels, each ten times as long as the one before: no machine holds the last."""


def last_word(name: str, text: str) -> Word:
    return parse(name, text).commands[-1].words[-1]


def script(levels: int) -> str:
    lines = [f'A{n}="{f"$A{n - 1}" * TIMES}"' for n in range(1, levels + 1)]
    return "\n".join(["A0=x", *lines, f"pip install $A{levels}"])


@pytest.mark.parametrize("levels", [5, DEEP])
def test_a_variable_of_a_shell_that_grows_is_unknown(levels: int) -> None:
    assert last_word("a.sh", script(3)) == Word("x" * 1000, last_word("a.sh", script(3)).span)
    assert not last_word("a.sh", script(levels)).known


def test_a_variable_that_grows_piece_by_piece_is_unknown() -> None:
    lines = ["A=xxxxxxxx", *["A+=$A"] * DEEP, 'pip install "$A"']
    assert not last_word("a.sh", "\n".join(lines)).known


def test_an_array_that_grows_is_unknown() -> None:
    lines = ["A=(x y)", *(['A=("${A[@]}" "${A[@]}")'] * DEEP), 'pip install "${A[@]}"']
    assert not last_word("a.sh", "\n".join(lines)).known


def test_a_command_that_repeats_a_long_value_has_unknown_words() -> None:
    text = f"A='{'x ' * 1500}'\npip install {'$A ' * 1000}\n"
    words = parse("a.sh", text).commands[-1].words
    assert len(words) < 10_000
    assert not words[-1].known


def test_a_script_in_a_script_that_grows_is_unknown() -> None:
    command = f'bash -c "pip install {"$A" * 5000}"'
    found = parse("a.sh", f"A={'x' * 4000}\n{command}\n").commands
    assert not found[-1].words[-1].known


@pytest.mark.parametrize("levels", [5, DEEP])
@pytest.mark.parametrize("instruction", ["ENV", "ARG"])
def test_a_variable_of_a_build_that_grows_is_unknown(instruction: str, levels: int) -> None:
    lines = [f'{instruction} A{n}="{f"$A{n - 1}" * TIMES}"' for n in range(1, levels + 1)]
    text = "\n".join(["FROM a", f"{instruction} A0=x", *lines, f"RUN pip install $A{levels}"])
    assert not last_word("Dockerfile", text).known


def test_the_folder_of_a_build_that_grows_is_bounded() -> None:
    lines = [f"ENV A{n}={f'$A{n - 1}/' * TIMES}" for n in range(1, DEEP)]
    workdirs = [f"WORKDIR $A{n}" for n in range(1, DEEP)]
    text = "\n".join(["FROM a", "ENV A0=x", *lines, *workdirs, "RUN pip install x"])
    (command,) = parse("Dockerfile", text).commands
    assert len(command.folder or "") < 100_000


@pytest.mark.parametrize("levels", [5, 30])
def test_a_variable_of_a_workflow_that_grows_is_unknown(levels: int) -> None:
    step: dict[str, object] = {"run": f"pip install ${{{{ env.A{levels} }}}}"}
    document: dict[str, object] = {"steps": [step]}
    for level in range(levels, 0, -1):
        value = f"${{{{ env.A{level - 1} }}}}" * TIMES
        document = {"env": {f"A{level}": value}, "job": document}
    document = {"env": {"A0": "x"}, "job": document}
    name = ".github/workflows/a.yml"
    assert not last_word(name, json.dumps(document)).known


def test_templates_that_build_on_each_other_end() -> None:
    names = [f".t{n}" for n in range(100)]
    jobs = {name: {"extends": names} for name in names}
    jobs["test"] = {"extends": names, "script": ["pip install x"]}
    (command,) = parse(".gitlab-ci.yml", json.dumps(jobs)).commands
    assert command.image is None


GROWING = {
    "Makefile": ("A{0} = {1}", "$(A{0})", "a:\n\tpip install {0}"),
    "justfile": ("a{0} := '{1}'", "{{{{a{0}}}}}", "a:\n    pip install {0}"),
    "a.ps1": ('$a{0} = "{1}"', "$a{0}", 'pip install "{0}"'),
    "a.bat": ('set "A{0}={1}"', "%A{0}%", 'pip install "{0}"'),
}


@pytest.mark.parametrize("end", ["x", ""])
@pytest.mark.parametrize("levels", [5, DEEP])
@pytest.mark.parametrize("name", GROWING)
def test_a_variable_of_another_format_that_grows_is_unknown(
    name: str, levels: int, end: str
) -> None:
    set_to, used, command = GROWING[name]
    lines = [set_to.format(0, end)]
    lines += [set_to.format(n, used.format(n - 1) * TIMES) for n in range(1, levels + 1)]
    text = "\n".join([*lines, command.format(used.format(levels))])
    words = parse(name, text).commands[-1].words
    assert sum(len(word.text) for word in words) < 5000


@pytest.mark.parametrize("name", GROWING)
def test_variables_that_lead_in_a_circle_are_unknown(name: str) -> None:
    set_to, used, command = GROWING[name]
    lines = [set_to.format(1, used.format(2)), set_to.format(2, used.format(1))]
    text = "\n".join([*lines, command.format(used.format(1))])
    assert not last_word(name, text).known


def test_what_an_unknown_word_comes_from_is_limited() -> None:
    many = " ".join(f"$A{n}" for n in range(300))
    lines = [f"A{n}=`{many}`" for n in range(300)]
    word = last_word("a.sh", "\n".join(["A=$(pwd)", "ls $A", *lines, "pip install $A0"]))
    assert not word.known
    assert len(word.origin) < 5000
    assert last_word("a.sh", "A=$(pwd)\nB=$A/x\nls $B").origin == "$A/x $(pwd)"


@pytest.mark.parametrize("name", ["a.ps1", "a.bat"])
def test_the_blocks_around_a_command_are_limited(name: str) -> None:
    opened = {"a.ps1": "if (a) {\n", "a.bat": "if a==b (\n"}[name]
    (*_, command) = parse(name, opened * 500 + "pip install torch\n").commands
    assert 1 < len(command.branches) < 200
    # Else whatever is kept by command would visit all blocks around each.
    assert hash(command) == hash(replace(command, branches=()))
