"""Files that nobody would write: no format's parser raises, and each says where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.formats import FORMATS, format_of
from rocmlint.formats.installs.install import install_of
from rocmlint.formats.model import Located, Parts
from rocmlint.text.text import Text
from tests.support.format_examples import REAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Entry

NAMES = sorted(REAL)
BITS = [
    *"\"'`$(){}[]<>|&;\\\n\t #=:-,*?!@~%^é\x00", "${", "$(", "<<EOF\n", "EOF", '"""', "\\\n", ">=",
    "&&", "- ", "  ", "pip install ", "[[", '["', "ARG ", "FROM ", "ENV ", "\ud800", "&a *a",
    "$$", "$(A)", "$(pin)", "<< ", "{{", "}}", "%A%", "`\n", "```\n", "%post\n", "ifeq\n",
    "A := $(A) $(A)\n", "//", "/*",
]  # fmt: skip

patient = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _all(entries: tuple[Entry, ...]) -> Iterator[Entry]:
    for each in entries:
        yield each
        yield from _all(each.entries)


def check(name: str, text: str) -> Parts:
    """Parse, and look at every place: none is outside the text, none ends before it begins."""
    found = format_of(name)
    assert found is not None
    parts = found.parse(text)
    lines = Text(text).lines
    words = [word for each in parts.commands for word in each.words]
    words += [each.target for command in parts.commands for each in command.redirects]
    located: list[Located] = [*parts.commands, *words, *parts.images, *parts.declared]
    located += [*parts.indexes, *parts.inclusions, *parts.configurations]
    located += [each for whole in parts.configurations for each in _all(whole.entries)]
    for span in (each.span for each in located):
        assert (1, 1) <= span[:2] <= span[2:]
        assert span.end_line <= len(lines)
        assert span.column <= len(lines[span.line - 1]) + 1
        assert span.end_column <= len(lines[span.end_line - 1]) + 1
    for problem in parts.problems:
        assert 1 <= problem.line <= len(lines) + 1
        assert "\n" not in problem.reason
    for command in parts.commands:
        install_of(command)
    return parts


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_are_changed_below_hold_something(name: str) -> None:
    parts = check(name, REAL[name])
    assert parts.commands or parts.declared or parts.configurations or parts.settings
    assert not parts.problems


def test_every_format_is_among_them() -> None:
    formats = {each.name for name in NAMES if (each := format_of(name)) is not None}
    assert formats | {"constraints"} == {each.name for each in FORMATS}


@pytest.mark.parametrize("name", NAMES)
@given(st.data())
@patient
def test_a_changed_file_is_read(name: str, data: st.DataObject) -> None:
    text = REAL[name]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        if data.draw(st.booleans()):
            text = text[:at] + data.draw(st.sampled_from(BITS)) + text[at:]
        else:
            text = text[:at] + text[at + data.draw(st.integers(1, 30)) :]
    check(name, text)


@pytest.mark.parametrize("name", NAMES)
@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read(name: str, text: str) -> None:
    check(name, text.replace("\r", ""))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "sign",
    [
        "(",
        "[",
        "{",
        "${",
        "$(",
        '"$(',
        "- ",
        "a:\n ",
        "? ",
        "[a,",
        "\\\n",
        "{{",
        "`\n",
        "ifdef a\n",
    ],
)
def test_what_nests_deep_is_read(name: str, sign: str) -> None:
    check(name, sign * 3000)


NESTED = f'{"(" * 1200}python_version > "3"{")" * 1200}'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", f"torch\nx; {NESTED}\n"),
        ("constraints.txt", f"torch\nx; {NESTED}\n"),
        ("setup.cfg", f"[options]\ninstall_requires =\n  torch\n  x; {NESTED}\n"),
        ("pyproject.toml", f"[project]\ndependencies = ['torch', 'x; {NESTED}']\n"),
        ("environment.yml", f"dependencies:\n- pip:\n  - torch\n  - 'x; {NESTED}'\n"),
    ],
)
def test_a_marker_that_nests_deep_is_one_problem(name: str, text: str) -> None:
    parts = check(name, text)
    assert [each.name for each in parts.declared] == ["torch"]
    assert ["nest too deep" in each.reason for each in parts.problems] == [True]


@pytest.mark.parametrize("name", ["environment.yml", ".gitlab-ci.yml"])
def test_blocks_that_nest_deep_are_one_problem(name: str) -> None:
    text = "".join(" " * depth + "a:\n" + " " * depth + "-\n" for depth in range(300))
    assert [each.reason for each in check(name, text).problems] == ["nested too deeply"]


OF_YAML = [
    "environment.yml",
    "docker-compose.yml",
    ".github/workflows/test.yml",
    ".devcontainer/devcontainer.json",
    "cog.yaml",
]


@pytest.mark.parametrize("mark", ["- ", "? ", ": ", "-\t"])
@pytest.mark.parametrize(
    "value", ['""', "[torch] ", "{torch: a} ", "- 'a' ", "a: [b] ", "*a ", "# "]
)
@pytest.mark.parametrize("name", OF_YAML)
def test_marks_of_blocks_after_a_value_are_one_problem(name: str, value: str, mark: str) -> None:
    """255 of most of them end the process in tree-sitter-yaml."""
    (problem,) = check(name, f"a:\n{value}{mark * 255}\n").problems
    assert problem.reason == "nested too deeply"
    assert problem.line == 2


@pytest.mark.parametrize("name", NAMES)
def test_aliases_that_multiply_end(name: str) -> None:
    lines = ["a0: &a0 [b, b, b, b, b, b, b, b, b]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    check(name, "\n".join([*lines, "script: *a11", "dependencies: *a11"]))
