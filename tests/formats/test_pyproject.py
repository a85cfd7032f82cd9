"""pyproject.toml: the requirements of PEP 621, of groups, and of Poetry; their indexes."""

from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet

from rocmlint.formats.packaging import poetry, pyproject
from tests.support.parts import at, declared, only

# pyproject.toml

PROJECT = """\
[project]
dependencies = ["torch>=2", # é
  'b[c] ; python_version<"3"']
optional-dependencies.dev = ["pytest"]
[dependency-groups]
test = ["hypothesis", {include-group = "Base_Group"}]
base-group = ["attrs"]
[build-system]
requires = ["setuptools>=77"]
[tool.uv]
constraint-dependencies = ["numpy<2"]
override-dependencies = ["triton==3.1"]
[tool.hatch.envs.docs]
dependencies = ["mkdocs"]
[tool.pdm.dev-dependencies]
lint = ["ruff"]
"""


def test_a_project_declares_in_groups() -> None:
    assert declared(pyproject.parse(PROJECT)) == [
        ("torch>=2", ""),
        ('b[c] ; python_version<"3"', ""),
        ("pytest", "dev"),
        ("hypothesis", "test"),
        ("attrs", "test"),
        ("attrs", "base-group"),
        ("setuptools>=77", "build-system"),
        ("numpy<2", ""),
        ("triton==3.1", ""),
        ("mkdocs", "docs"),
        ("ruff", "lint"),
    ]


def test_requirements_of_a_project_stand_at_their_places() -> None:
    for each in pyproject.parse(PROJECT).declared:
        assert at(PROJECT, each.span) == each.text


def test_constraints_of_uv_install_nothing() -> None:
    found = pyproject.parse(PROJECT).declared
    assert [each.name for each in found if each.constraint] == ["numpy", "triton"]


def test_groups_that_include_each_other_end() -> None:
    text = '[dependency-groups]\na = [{include-group="b"}, "x"]\nb = [{include-group="a"}, "y"]\n'
    found = declared(pyproject.parse(text))
    assert sorted(found) == [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]


@pytest.mark.parametrize(
    ("table", "url", "extra"),
    [
        ('[[tool.uv.index]]\nurl = "https://x/rocm6.5"', "https://x/rocm6.5", True),
        ('[[tool.uv.index]]\nurl = "https://x"\ndefault = true', "https://x", False),
        ('[tool.uv]\nextra-index-url = ["https://x"]', "https://x", True),
        ('[tool.uv.pip]\nindex-url = "https://x"', "https://x", False),
        ('[[tool.poetry.source]]\nurl = "https://x"\npriority = "explicit"', "https://x", True),
        ('[[tool.pdm.source]]\nurl = "https://x"\nname = "pypi"', "https://x", False),
    ],
)
def test_indexes_of_a_project(table: str, url: str, extra: bool) -> None:
    (found,) = pyproject.parse(table).indexes
    assert (found.url, found.extra, at(table, found.span)) == (url, extra, url)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('torch = "^2.1"', "torch>=2.1,<3.0"),
        ('torch = "~2.1.3"', "torch>=2.1.3,<2.2.0"),
        ('torch = "2.1.0"', "torch==2.1.0"),
        ('torch = "*"', "torch"),
        ('torch = {version = "^0.2", extras = ["a", "b"]}', "torch[a,b]>=0.2,<0.3"),
        ('torch = {version = ">=2", platform = "linux"}', 'torch>=2 ; sys_platform == "linux"'),
        ('torch = {version = ">=2", python = "<3.12"}', 'torch>=2 ; python_version < "3.12"'),
        ('torch = {git = "https://x/y.git"}', "torch"),
        ('torch = ">=1 || <0.5"', "torch"),
    ],
)
def test_dependencies_of_poetry_become_requirements(line: str, text: str) -> None:
    found = only(pyproject.parse(f'[tool.poetry.dependencies]\npython = "^3.10"\n{line}\n'))
    assert (found.text, found.name, found.group) == (text, "torch", "")


def test_optional_dependencies_of_poetry_belong_to_their_extra() -> None:
    text = (
        '[tool.poetry.dependencies]\na = {version = "1", optional = true}\n'
        '[tool.poetry.extras]\nmore = ["a"]\n[tool.poetry.group.dev.dependencies]\nb = "*"\n'
    )
    assert declared(pyproject.parse(text)) == [("a==1", "more"), ("b", "dev")]


# Poetry's documentation of version constraints has these tables.
@pytest.mark.parametrize(
    ("constraint", "specifiers"),
    [
        ("^1.2.3", ">=1.2.3,<2.0.0"), ("^1.2", ">=1.2,<2.0"), ("^1", ">=1,<2"),
        ("^0.2.3", ">=0.2.3,<0.3.0"), ("^0.0.3", ">=0.0.3,<0.0.4"), ("^0.0", ">=0.0,<0.1"),
        ("^0", ">=0,<1"), ("~1.2.3", ">=1.2.3,<1.3.0"), ("~1.2", ">=1.2,<1.3"), ("~1", ">=1,<2"),
        ("1.*", "==1.*"), (">= 1.2, < 1.5", ">=1.2,<1.5"), (">=1 <2", ">=1,<2"),
    ],
)  # fmt: skip
def test_constraints_of_poetry(constraint: str, specifiers: str) -> None:
    found = poetry.specifiers(constraint)
    assert found is not None
    assert SpecifierSet(found) == SpecifierSet(specifiers)


def test_dynamic_dependencies_are_an_included_file() -> None:
    text = '[tool.setuptools.dynamic]\ndependencies = {file = ["req.txt"]}\n'
    (found,) = pyproject.parse(text).inclusions
    assert (found.path, at(text, found.span)) == ("req.txt", "req.txt")


def test_broken_toml_is_one_problem_with_its_line() -> None:
    (problem,) = pyproject.parse('[project]\ndependencies = ["a"\n[x]\n').problems
    assert problem.line in (2, 3)
    assert problem.reason.startswith("not valid TOML: ")


def test_a_refused_requirement_of_a_project_is_a_problem() -> None:
    parts = pyproject.parse('[project]\ndependencies = ["a", "b >> 1"]\n')
    assert declared(parts) == [("a", "")]
    assert [(each.line, each.column) for each in parts.problems] == [(2, 23)]
