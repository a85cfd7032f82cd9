"""Lists of requirements: what they declare, index and include, and the places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from rocmlint.formats.model import Parts
from rocmlint.formats.packaging import constraints, requirements
from tests.support.parts import at, declared, only


@pytest.mark.parametrize(
    ("line", "text", "name"),
    [
        ("torch==2.4", "torch==2.4", "torch"),
        ("  My_Pkg[cli] >=0.20,<1  # why", "My_Pkg[cli] >=0.20,<1", "my-pkg"),
        ('a>1 ; python_version<"3"', 'a>1 ; python_version<"3"', "a"),
        ("a==1 --hash=sha256:ab --hash=sha256:cd", "a==1", "a"),
        ("a @ https://x/a.whl#sha256=1", "a @ https://x/a.whl#sha256=1", "a"),
        ("a;", "a", "a"),
        ("a>=1 ; # why", "a>=1", "a"),
        ("a @ https://x/a.whl;", "a @ https://x/a.whl", "a"),
        ("é = 1\na", "a", "a"),
    ],
)  # fmt: skip
def test_a_requirement_stands_at_its_place(line: str, text: str, name: str) -> None:
    found = only(requirements.parse(line + "\n"))
    assert (found.text, found.name, at(line, found.span)) == (text, name, text)


@pytest.mark.parametrize(
    ("option", "value"),
    [("-f", " https://x"), ("--index-url", "=https://x"), ("--pre", ""), ("--no-binary", " a")],
)
def test_an_option_of_the_file_behind_a_requirement_is_ignored_as_pip_does(
    option: str, value: str
) -> None:
    parts = requirements.parse(f"first\ntorch==2.3.1+cu118 {option}{value}\n")
    assert declared(parts) == [("first", ""), ("torch==2.3.1+cu118", "")]
    assert parts.indexes == ()
    (problem,) = parts.problems
    assert problem.reason == f"pip ignores `{option}` behind a requirement"
    assert (problem.line, problem.column) == (2, 20)


def test_no_marker_behind_a_semicolon_is_as_none_for_pip() -> None:
    text = "torch; --index-url https://x\nb;;\nc; d\n"
    parts = requirements.parse(text)
    assert declared(parts) == [("torch", "")]
    assert [(each.line, each.column) for each in parts.problems] == [(1, 8), (2, 1), (3, 1)]


def test_a_list_that_conda_exported_has_what_pip_installed() -> None:
    text = "# platform: linux-64\n_libgcc_mutex=0.1=main\npython=3.10.18=h1a\ntorch=2.4.1=pypi_0\n"
    parts = requirements.parse(text)
    assert (declared(parts), parts.problems) == ([("torch==2.4.1", "")], ())
    assert [each.by_conda for each in parts.declared] == [True]


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
