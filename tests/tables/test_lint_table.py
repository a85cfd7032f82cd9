"""Linting an Arrow table: the rows of the command, from nothing but the table."""

from __future__ import annotations

import builtins
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rocmlint
from rocmlint.cli.main import main
from tests.support.tables import DROPPED, REMOVED, Row, lint, of_tree, pa, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

tables = pytest.importorskip("rocmlint.tables.lint")
schema = pytest.importorskip("rocmlint.tables.schema")

FIXTURES = Path(__file__).parents[2] / "fixtures"


# The same as the command


LARGE = ("dependencies", "dtype", "export", "features", "patching", "trainer", "training")


@pytest.mark.parametrize(
    "family",
    [
        *("example_project", "lint", "vision"),
        *(pytest.param(each, marks=pytest.mark.slow) for each in LARGE),
    ],
)
def test_a_table_has_the_findings_of_the_command_on_the_same_tree(
    family: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tree = tmp_path / family
    shutil.copytree(FIXTURES / family, tree, ignore=shutil.ignore_patterns("__pycache__"))
    files = of_tree(tree, f"somebody/{family}")
    (tree / ".git").mkdir()
    monkeypatch.chdir(tree)
    flags = ["--isolated", "--no-cache", "--jobs", "1", "--preview", "--profile", "export"]
    main([*flags, "--output-format", "json", "."])
    told = json.loads(capsys.readouterr().out)
    rows = rocmlint.lint_table(files, options={"preview": True, "profile": "export"}).to_pylist()
    fields = [name for name in schema.SCHEMA.names if name not in {"repository", "problem"}]
    assert [{name: row[name] for name in fields} for row in rows] == [
        {name: each[name] for name in fields} for each in told["findings"]
    ]
    assert rows
    assert {(row["repository"], row["problem"]) for row in rows} == {(f"somebody/{family}", None)}


# Nothing but the table


def test_pins_and_modules_come_from_the_same_repository_of_the_table() -> None:
    pinned = ("new", "requirements.txt", "transformers==5.1.0\n")
    assert lint(("new", "a.py", REMOVED), pinned, ("old", "a.py", REMOVED)) != []
    assert (
        lint(
            ("old", "a.py", REMOVED), ("old", "requirements.txt", "transformers==4.53.0\n"), pinned
        )
        == []
    )
    assert lint(("new", "a.py", REMOVED), pinned) == [("new", "a.py", "ROC204")]


def test_what_lies_on_the_disk_of_the_worker_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("a/b", "x.py", DROPPED), ("a/b", "src/y.py", REMOVED)]
    without = lint(*rows, isolated=False)
    (tmp_path / "requirements.txt").write_text("transformers==4.53.0\n")
    (tmp_path / "pyproject.toml").write_text('[tool.rocmlint]\nignore = ["ALL"]\n')
    for path in ("x.py", "b/x.py", "a/b/x.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text("# rocmlint: ignore-file\n")
    monkeypatch.chdir(tmp_path)
    assert lint(*rows, isolated=False) == without
    assert ("a/b", "x.py", "ROC602") in without


def test_nothing_is_asked_of_the_disk_once_rocmlint_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = of_tree(FIXTURES / "vision", "vision")
    expected = rocmlint.lint_table(files, options={"preview": True})
    asked = []

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            asked.append((function.__name__, arguments))
            return function(*arguments, **more)

        return call

    with monkeypatch.context() as patched:
        for name in ("stat", "lstat", "listdir", "scandir", "open", "getcwd", "readlink"):
            patched.setattr(os, name, watched(getattr(os, name)))
        patched.setattr(builtins, "open", watched(open))
        found = rocmlint.lint_table(files, options={"preview": True})
    assert found.equals(expected)
    assert asked == []


def test_repositories_of_one_name_in_two_tables_know_nothing_of_each_other() -> None:
    file = ("a/b", "src/x.py", REMOVED)
    assert lint(file, ("a/b", "requirements.txt", "transformers==5.1.0\n"))
    assert not lint(file, ("a/b", "requirements.txt", "transformers==4.53.0\n"))
    assert lint(file, ("a/b", "requirements.txt", "transformers==5.1.0\n"))


def test_a_repository_in_two_tables_is_silent_about_what_it_cannot_know() -> None:
    file, pin = ("a", "x.py", REMOVED), ("a", "requirements.txt", "transformers==4.53.0\n")
    assert lint(file, pin) == []
    assert {code for *_, code in [*lint(file), *lint(pin)]} <= {"ROC204"}
    guess = rocmlint.lint_table(table(file)).to_pylist()
    assert {row["severity"] for row in guess} <= {"warning"}  # not declared here: never an error


# Options and configuration


CONFIGURED = [
    ("a", "x.py", DROPPED),
    ("a", "pyproject.toml", '[tool.rocmlint]\nignore = ["ROC602"]\n'),
]


def test_the_configuration_of_a_repository_counts_where_it_is_asked_for() -> None:
    assert lint(*CONFIGURED) == [("a", "x.py", "ROC602")]
    assert lint(*CONFIGURED, isolated=False) == []
    assert lint(*CONFIGURED, isolated=False, options={"select": ["ROC602"]}) == [
        ("a", "x.py", "ROC602")
    ]


def test_local_rules_and_environments_of_a_repository_are_left_alone(tmp_path: Path) -> None:
    trap = tmp_path / "rules"
    trap.mkdir()
    (trap / "evil.py").write_text("raise SystemExit('ran')\n")
    configuration = f"rules = ['{trap}', 'rules']\nenvironment = '{tmp_path}'\n"
    rows = [("a", "rocmlint.toml", configuration), ("a", "rules/evil.py", "raise SystemExit\n")]
    assert lint(*rows, CONFIGURED[0], isolated=False) == [("a", "x.py", "ROC602")]


def test_a_wrong_configuration_is_a_problem_of_its_repository_alone() -> None:
    rows = [("a", "x.py", DROPPED), ("a", "rocmlint.toml", "selct = []\n"), ("b", "x.py", DROPPED)]
    problem, other = lint(*rows, isolated=False)
    assert problem[:2] == ("a", None)
    assert "rocmlint.toml:1: unknown key 'selct'; did you mean 'select'?" in problem[2]
    assert other == ("b", "x.py", "ROC602")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selct": ["ROC1"]}, "unknown key 'selct'"),
        ({"select": ["ROC999"]}, "ROC999"),
        ({"rules": ["tools"]}, "rules: a table is linted without what is on disk"),
        ({"environment": ".venv"}, "environment: a table is linted without what is on disk"),
    ],
)
def test_wrong_options_are_an_error_even_for_an_empty_table(
    options: Mapping[str, Any], message: str
) -> None:
    empty = table(("a", "x.py", "")).slice(0, 0)
    with pytest.raises(rocmlint.RocmlintError, match=message):
        rocmlint.lint_table(empty, options=options)


@pytest.mark.parametrize("exclude", ["/src/", "x.py"])
def test_excludes_are_relative_to_the_repository(exclude: str) -> None:
    assert lint(("a", "src/x.py", DROPPED), options={"exclude": [exclude]}) == []


# Types and order


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary"])
@pytest.mark.parametrize("form", ["table", "record batch", "dictionary"])
def test_every_type_of_text_is_taken(kind: str, form: str) -> None:
    plain = table(("a", "x.py", DROPPED)).cast(
        pa.schema([(name, getattr(pa, kind)()) for name in ("repository", "path", "content")])
    )
    if form == "dictionary":
        plain = plain.set_column(0, "repository", plain["repository"].dictionary_encode())
    files = plain.to_batches()[0] if form == "record batch" else plain
    assert rocmlint.lint_table(files)["code"].to_pylist() == ["ROC602"]


def test_a_text_that_names_its_encoding_is_read_as_the_file_it_came_from() -> None:
    code = f"# coding: latin-1\n{DROPPED}# é\n"
    text = rocmlint.lint_table(
        pa.table({"repository": ["a"], "path": ["x.py"], "content": pa.array([code])})
    )
    assert text.equals(rocmlint.lint_table(table(("a", "x.py", code.encode("latin-1")))))
    assert text["code"].to_pylist() == ["ROC602"]


@pytest.mark.parametrize("missing", ["repository", "path", "content"])
def test_a_table_without_a_column_is_an_error_that_names_it(missing: str) -> None:
    with pytest.raises(rocmlint.RocmlintError, match=f"the table has no column '{missing}'"):
        rocmlint.lint_table(table(("a", "x.py", "")).drop_columns([missing]))


def test_a_column_of_numbers_is_an_error_that_names_it() -> None:
    with pytest.raises(rocmlint.RocmlintError, match="'path' must be of strings or binary, not in"):
        rocmlint.lint_table(pa.table({"repository": ["a"], "path": [1], "content": [""]}))


def test_the_order_of_the_rows_does_not_matter() -> None:
    files = of_tree(FIXTURES / "lint", "lint")
    order = [*range(1, files.num_rows, 2), *range(0, files.num_rows, 2)][::-1]
    assert rocmlint.lint_table(files.take(order)).equals(rocmlint.lint_table(files))


def test_an_empty_table_gives_an_empty_one_with_the_same_columns() -> None:
    found = rocmlint.lint_table(table(("a", "x.py", "")).slice(0, 0))
    assert (found.num_rows, found.schema) == (0, schema.SCHEMA)


def test_the_columns_are_those_that_the_page_names() -> None:
    page = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| `")]
    assert [each.strip("`") for each in rows] == schema.SCHEMA.names


# Batches


def batches(size: int, *rows: Row) -> list[Any]:
    found: list[Any] = table(*rows).to_batches(max_chunksize=size)
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_a_repository_may_go_on_in_the_next_batches(size: int) -> None:
    rows = [
        ("a", "requirements.txt", "transformers==4.53.0\n"),
        ("a", "x.py", REMOVED),
        ("a", "y.py", DROPPED),
        ("b", "x.py", REMOVED),
        ("b", "requirements.txt", "transformers==5.1.0\n"),
        ("c", "x.py", DROPPED),
    ]
    found = pa.Table.from_batches(rocmlint.lint_batches(batches(size, *rows)), schema.SCHEMA)
    assert found.equals(rocmlint.lint_table(table(*rows)))
    assert found["code"].to_pylist() == ["ROC602", "ROC204", "ROC602"]


def test_no_more_than_one_repository_waits_for_its_last_row() -> None:
    given = iter(batches(1, ("a", "x.py", DROPPED), ("b", "x.py", DROPPED), ("c", "x.py", "")))
    first = next(rocmlint.lint_batches(given))
    assert first["repository"].to_pylist() == ["a"]
    assert next(given)["repository"].to_pylist() == ["c"]
