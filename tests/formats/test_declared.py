"""Formats that declare requirements: requirements files, TOML, setup.cfg, setup.py, conda."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from rocmlint.formats import (
    conda,
    conda_env,
    conda_lock,
    constraints,
    pipfile,
    pixi,
    poetry,
    pyproject,
    requirements,
    setup_cfg,
    setup_py,
    tox,
)
from rocmlint.formats.model import Parts
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from rocmlint.formats.model import Declared
    from rocmlint.text.text import Span


def at(text: str, span: Span) -> str:
    lines = Text(text)
    start = lines.offset_of(span.line) + span.column - 1
    return text[start : lines.offset_of(span.end_line) + span.end_column - 1]


def declared(parts: Parts) -> list[tuple[str, str]]:
    return [(each.text, each.group) for each in parts.declared]


def only(parts: Parts) -> Declared:
    (found,) = parts.declared
    return found


# requirements.txt


@pytest.mark.parametrize(
    ("line", "text", "name"),
    [
        ("torch==2.4", "torch==2.4", "torch"),
        ("  My_Pkg[cli] >=0.20,<1  # why", "My_Pkg[cli] >=0.20,<1", "my-pkg"),
        ('a>1 ; python_version<"3"', 'a>1 ; python_version<"3"', "a"),
        ("a==1 --hash=sha256:ab --hash=sha256:cd", "a==1", "a"),
        ("a @ https://x/a.whl#sha256=1", "a @ https://x/a.whl#sha256=1", "a"),
        ("é = 1\na", "a", "a"),
    ],
)  # fmt: skip
def test_a_requirement_stands_at_its_place(line: str, text: str, name: str) -> None:
    found = only(requirements.parse(line + "\n"))
    assert (found.text, found.name, at(line, found.span)) == (text, name, text)


def test_a_continued_line_is_one_requirement() -> None:
    text = "torch==2.4 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\na>=1, \\\n <2\n"
    assert [each.text for each in requirements.parse(text).declared] == ["torch==2.4", "a>=1,  <2"]


@pytest.mark.parametrize(
    ("line", "url", "extra"),
    [
        ("-i https://x/rocm6.2", "https://x/rocm6.2", False),
        ("--index-url=https://x/rocm6.2 --pre", "https://x/rocm6.2", False),
        ('--extra-index-url "https://x/rocm6.2" # c', "https://x/rocm6.2", True),
        ("-f https://x/links.html", "https://x/links.html", True),
    ],
)
def test_an_index_stands_at_its_place(line: str, url: str, extra: bool) -> None:
    (found,) = requirements.parse(line).indexes
    assert (found.url, found.extra, at(line, found.span)) == (url, extra, url)


@pytest.mark.parametrize(
    ("line", "path", "constraint"),
    [("-r base.txt", "base.txt", False), ("-rbase.txt", "base.txt", False),
     ("--requirement=base.txt", "base.txt", False), ("-c torch.txt", "torch.txt", True)],
)  # fmt: skip
def test_an_included_file_stands_at_its_place(line: str, path: str, constraint: bool) -> None:
    (found,) = requirements.parse(line).inclusions
    assert (found.path, found.constraint, at(line, found.span)) == (path, constraint, path)


@pytest.mark.parametrize("line", ["torch=>2", "a >> 1", "pip install a", "a>=1.*", "-a>=1\nb b"])
def test_a_refused_line_is_a_problem_and_the_others_count(line: str) -> None:
    parts = requirements.parse(f"first\n{line}\nlast>=1\n")
    assert len(parts.problems) == 1
    assert parts.problems[0].line >= 2
    assert declared(parts) == [("first", ""), ("last>=1", "")]


@pytest.mark.parametrize(
    "line",
    ["./a.whl", "../pkg", "pkg/a.tar.gz", "https://x/a.zip", "a==${V}", "-e .[dev]",
     "--no-binary :all:", "$WHEEL/a.whl", "# a", ""],
)  # fmt: skip
def test_what_names_no_package_is_no_problem(line: str) -> None:
    parts = requirements.parse(line)
    assert (parts.declared, parts.problems) == ((), ())


def test_an_egg_names_the_package_of_a_url() -> None:
    found = only(requirements.parse("-e git+https://x/y.git@v1#egg=Foo_Bar"))
    assert (found.name, Requirement(found.text).name) == ("foo-bar", "Foo_Bar")


def test_a_constraints_file_only_constrains() -> None:
    assert only(constraints.parse("torch==2.4\n")).constraint


names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}[A-Za-z0-9]", fullmatch=True)
versions = st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}", fullmatch=True)
clauses = st.tuples(st.sampled_from(["==", ">=", "<=", "!=", "<", ">"]), versions).map("".join)
specifications = st.tuples(names, st.lists(clauses, max_size=2).map(",".join)).map("".join)


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "  ", "\t"]), specifications,
                  st.sampled_from(["", " # é", "  ", " \\\n --hash=sha256:0"])),
        max_size=6,
    )
)  # fmt: skip
def test_every_requirement_of_a_file_is_found_where_it_stands(
    lines: list[tuple[str, str, str]],
) -> None:
    text = "\n".join("".join(line) for line in lines)
    parts = requirements.parse(text)
    assert [at(text, each.span) for each in parts.declared] == [line[1] for line in lines]
    assert [each.text for each in parts.declared] == [line[1] for line in lines]


PROSE = """\
Requirements of the analysis
============================
We run torch, and it must be the build for ROCm.
Nothing else is needed.
"""


def test_prose_is_no_list_of_requirements() -> None:
    assert requirements.parse(PROSE) == Parts()


def test_a_sentence_among_requirements_is_a_problem() -> None:
    parts = requirements.parse("torch==2.9.1\nnumpy\ninstall these first\n")
    assert [each.line for each in parts.problems] == [3]
    assert [each.name for each in parts.declared] == ["torch", "numpy"]


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


# setup.cfg, setup.py

SETUP_CFG = """\
[metadata]
name = x
[options]
install_requires =
    torch>=2
    # a comment
    numpy ; python_version<"3"  # why
python_requires = >=3.9
[options.extras_require]
dev = pytest
    black>=1
all = file: more.txt
"""


def test_setup_cfg_declares() -> None:
    parts = setup_cfg.parse(SETUP_CFG)
    assert declared(parts) == [
        ("torch>=2", ""),
        ('numpy ; python_version<"3"', ""),
        ("pytest", "dev"),
        ("black>=1", "dev"),
    ]
    assert all(at(SETUP_CFG, each.span) == each.text for each in parts.declared)


def test_setup_cfg_includes_files() -> None:
    text = "[options]\ninstall_requires = file: requirements.txt\n"
    (found,) = setup_cfg.parse(text).inclusions
    assert (found.path, at(text, found.span)) == ("requirements.txt", "requirements.txt")


def test_broken_setup_cfg_is_one_problem() -> None:
    (problem,) = setup_cfg.parse("name = x\n").problems
    assert problem.line == 1


SETUP_PY = """\
from setuptools import setup
REQUIRED = ["torch>=2", "numpy"]
EXTRAS = {"dev": ["pytest"], "é": REQUIRED + ['a']}
setup(name="x", install_requires=REQUIRED, extras_require=EXTRAS)
"""


def test_setup_py_declares_what_it_states() -> None:
    parts = setup_py.parse(SETUP_PY)
    assert sorted(declared(parts)) == [
        ("a", "é"), ("numpy", ""), ("numpy", "é"), ("pytest", "dev"), ("torch>=2", ""),
        ("torch>=2", "é"),
    ]  # fmt: skip
    assert all(at(SETUP_PY, each.span) == each.text for each in parts.declared)


@pytest.mark.parametrize(
    "text",
    ["setup(install_requires=read('requirements.txt'))", "setup(**config)", "print 'old'",
     "R = ['a']\nR = ['b']\nsetup(install_requires=R)"],
)  # fmt: skip
def test_setup_py_says_nothing_of_what_it_computes(text: str) -> None:
    parts = setup_py.parse(text)
    assert (parts.declared, parts.problems) == ((), ())


# conda

ENVIRONMENT = """\
name: x
channels: [pytorch]
dependencies:
  - python=3.10
  - pytorch=2.3
  - conda-forge::numpy>=1.20,<2
  - scipy=1.10.1=py310_0
  - pip:
    - "accelerate>=1"
    - --extra-index-url https://x/rocm6.2
    - -r more.txt
    - bad >> 1
"""


def test_an_environment_declares_what_translates() -> None:
    parts = conda.parse(ENVIRONMENT)
    assert [each.text for each in parts.declared] == [
        "torch==2.3.*",
        "numpy>=1.20,<2",
        "accelerate>=1",
    ]
    assert [each.path for each in parts.inclusions] == ["more.txt"]
    assert [at(ENVIRONMENT, each.span) for each in parts.indexes] == ["https://x/rocm6.2"]
    assert [(each.line, each.column) for each in parts.problems] == [(12, 7)]


def test_requirements_of_an_environment_stand_at_their_places() -> None:
    places = [at(ENVIRONMENT, each.span) for each in conda.parse(ENVIRONMENT).declared]
    assert places == ["pytorch=2.3", "conda-forge::numpy>=1.20,<2", "accelerate>=1"]


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


# conda-lock.yml, and environment files of other names


def test_what_is_locked_for_linux() -> None:
    text = (
        "version: 1\nmetadata:\n  content_hash:\n    linux-64: a\npackage:\n"
        "- name: pytorch\n  version: 2.5.1\n  manager: conda\n  platform: linux-64\n"
        "  dependencies:\n    version: '3'\n  category: main\n"
        "- name: torch\n  version: '2.5.1+rocm6.2'\n  manager: pip\n  platform: linux-64\n"
        "  category: dev\n"
        "- name: torch\n  version: 2.4.0\n  manager: pip\n  platform: osx-arm64\n"
        "- name: python\n  version: 3.12.1\n  manager: conda\n  platform: linux-64\n"
    )
    parts = conda_lock.parse(text)
    assert declared(parts) == [("torch==2.5.1", ""), ("torch==2.5.1+rocm6.2", "dev")]
    assert [at(text, each.span) for each in parts.declared] == ["pytorch", "torch"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("name: x\ndependencies:\n  - pip:\n    - torch==2.4\n", [("torch==2.4", "")]),
        ('"dependencies": ["numpy>=1"]\n', [("numpy>=1", "")]),
        ("replicas: {{ .Values.x }}\n", []),
        ("env:\n  dependencies: [a]\n", []),
    ],
)
def test_the_content_tells_an_environment_of_conda(text: str, found: list[tuple[str, str]]) -> None:
    parts = conda_env.parse(text)
    assert (declared(parts), parts.problems) == (found, ())
