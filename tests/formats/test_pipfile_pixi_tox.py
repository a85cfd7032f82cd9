"""Pipfile, pixi.toml, tox.ini: requirements, indexes, commands."""

from __future__ import annotations

import pytest

from rocmlint.formats.packaging import pipfile, pixi, pyproject, tox
from tests.support.parts import at, declared

# Pipfile


def test_packages_of_a_pipfile_and_its_indexes() -> None:
    text = (
        '[[source]]\nurl = "https://pypi.org/simple"\n[[source]]\nurl = "https://x/rocm6.4"\n'
        '[packages]\ntorch = {version = "==2.8.0", index = "r"}\na = "*"\nb = {path = "."}\n'
        'c = {git = "https://x/c.git"}\nd = {extras = ["e"], version = "~=1.0"}\n'
        '[dev-packages]\npytest = ">=8"\n[docs]\nsphinx = "*"\n[requires]\npython_version = "3"\n'
    )
    parts = pipfile.parse(text)
    assert declared(parts) == [
        ("torch==2.8.0", ""),
        ("a", ""),
        ("c @ https://x/c.git", ""),
        ("d[e]~=1.0", ""),
        ("pytest>=8", "dev"),
        ("sphinx", "docs"),
    ]
    assert [at(text, each.span) for each in parts.declared[:3]] == ["==2.8.0", "*", "c"]
    assert [(each.url, each.extra) for each in parts.indexes] == [
        ("https://pypi.org/simple", False),
        ("https://x/rocm6.4", True),
    ]


def test_a_version_that_pipenv_would_refuse_is_a_problem() -> None:
    parts = pipfile.parse('[packages]\na = "=>1"\nb = "*"\n')
    assert [(each.line, each.column) for each in parts.problems] == [(2, 6)]
    assert declared(parts) == [("b", "")]


# pixi.toml

PIXI = """\
[workspace]
name = "train"
[dependencies]
python = "3.12.*"
pytorch = "2.8"
numpy = { version = ">=1.26,<3", channel = "conda-forge" }
local = { path = "../local" }
[pypi-dependencies]
torch = { version = "==2.8.0", index = "https://x/rocm6.4" }
me = { path = ".", editable = true }
[pypi-options]
index-url = "https://x/simple"
extra-index-urls = ["https://x/rocm6.3"]
[feature.rocm.target.linux-64.pypi-dependencies]
vllm = "*"
[target.win-64.dependencies]
cuda = "12"
"""


def test_packages_of_pixi_and_its_indexes() -> None:
    parts = pixi.parse(PIXI)
    assert declared(parts) == [
        ("torch==2.8", ""),
        ("numpy>=1.26,<3", ""),
        ("torch==2.8.0", ""),
        ("vllm", "rocm"),
    ]
    assert [at(PIXI, each.span) for each in parts.declared] == ["2.8", ">=1.26,<3", "==2.8.0", "*"]
    assert [(each.url, each.extra) for each in parts.indexes] == [
        ("https://x/rocm6.4", True),
        ("https://x/simple", False),
        ("https://x/rocm6.3", True),
    ]


def test_a_pyproject_may_hold_what_pixi_reads() -> None:
    text = '[tool.pixi.pypi-dependencies]\ntorch = "==2.8"\n[tool.pixi.tasks]\na = "b"\n'
    parts = pyproject.parse(text)
    assert (declared(parts), len(parts.commands)) == ([("torch==2.8", "")], 1)


@pytest.mark.parametrize(
    ("task", "words", "shell"),
    [
        ("\"pip install 'torch>=2'\"", "pip install torch>=2", True),
        ('{ cmd = "pip install x", cwd = "y" }', "pip install x", True),
        ('{ cmd = ["pip", "install", "torch>=2"] }', "pip install torch>=2", False),
        ('{ depends-on = ["x"] }', "", True),
    ],
)
def test_tasks_of_pixi_are_commands(task: str, words: str, shell: bool) -> None:
    commands = pixi.parse(f"[tasks]\na = {task}\n").commands
    assert [(" ".join(word.text for word in each.words), each.shell) for each in commands] == (
        [(words, shell)] if words else []
    )


# tox.ini

TOX = """\
[tox]
envlist = py312
[testenv]
deps =
    torch28: torch==2.8.0
    -r requirements.txt
    {[base]deps}
    pytest>=8  # why
set_env =
    PIP_EXTRA_INDEX_URL = https://x/rocm6.4
commands_pre = - pip install "a b" torch>=2
commands =
    pip install \\
        x --index-url {env:INDEX}
    {envpython} -m pytest {posargs}
[testenv:lint]
deps = ruff
commands = pip list
"""


def test_environments_of_tox_depend_on() -> None:
    parts = tox.parse(TOX)
    assert declared(parts) == [
        ("torch==2.8.0", "testenv torch28"),
        ("pytest>=8", "testenv"),
        ("ruff", "testenv:lint"),
    ]
    assert [at(TOX, each.span) for each in parts.declared] == ["torch==2.8.0", "pytest>=8", "ruff"]
    assert [each.path for each in parts.inclusions] == ["requirements.txt"]
    assert [(each.url, each.extra) for each in parts.indexes] == [("https://x/rocm6.4", True)]


def test_environments_of_tox_run_commands_that_no_shell_reads() -> None:
    parts = tox.parse(TOX)
    assert [[word.text for word in each.words] for each in parts.commands] == [
        ["pip", "install", "a b", "torch>=2"],
        ["pip", "install", "x", "--index-url", "{env:INDEX}"],
        ["{envpython}", "-m", "pytest", "{posargs}"],
        ["pip", "list"],
    ]
    assert not any(each.shell for each in parts.commands)
    assert not parts.commands[1].words[-1].known
    variables = {"PIP_EXTRA_INDEX_URL": "https://x/rocm6.4"}
    assert all(each.variables == variables for each in parts.commands)


def test_an_ini_file_without_a_section_is_one_problem() -> None:
    (problem,) = tox.parse("deps = a\n").problems
    assert problem.reason == "not a valid tox.ini: there is no section above this line"
