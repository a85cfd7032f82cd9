"""Rows that cannot be linted: each is told, and hides no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import rocmlint
from tests.support.tables import DROPPED, Row, lint, pa

if TYPE_CHECKING:
    from collections.abc import Sequence

tables = pytest.importorskip("rocmlint.tables.lint")
schema = pytest.importorskip("rocmlint.tables.schema")

OUTSIDE = "the path is not relative to the repository"
BROKEN: dict[str, tuple[Row, tuple[Any, ...]]] = {
    "no repository": ((None, "x.py", ""), (None, "x.py", "the row has no repository")),
    "no path": (("a", None, ""), ("a", None, "the row has no path")),
    "an absolute path": (("a", "/etc/x.py", ""), ("a", "/etc/x.py", OUTSIDE)),
    "a path upwards": (("a", "b/../../x.py", ""), ("a", "b/../../x.py", OUTSIDE)),
    "a NUL": (("a", "x\0.py", ""), ("a", "x\0.py", OUTSIDE)),
    "an empty path": (("a", "", ""), ("a", "", "the path names no file")),
    "a folder": (("a", "src/", ""), ("a", "src/", "the path names no file")),
    "too deep": (
        ("a", "d/" * 5000 + "x.py", ""),
        ("a", "d/" * 5000 + "x.py", "the path is too long"),
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_row_that_cannot_be_used_is_a_problem_and_hides_no_other(kind: str) -> None:
    row, problem = BROKEN[kind]
    assert sorted(lint(row, ("a", "good.py", DROPPED)), key=str) == sorted(
        [problem, ("a", "good.py", "ROC602")], key=str
    )


UNREADABLE: dict[str, str | bytes | None] = {
    "no content": None,
    "bytes that are no text": DROPPED.encode() + b"# \xff\xfe\n",
    "an unknown encoding": b"# coding: martian\n" + DROPPED.encode(),
    "brackets without end": f"{DROPPED}x = " + "(" * 100_000,
    "deep brackets": f"{DROPPED}x = " + "(" * 50_000 + ")" * 50_000 + "\n",
    "huge": DROPPED + "#" * 6_000_000,
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_file_that_cannot_be_read_is_a_finding_and_hides_no_other(kind: str) -> None:
    rows = [("a", "bad.py", UNREADABLE[kind]), ("a", "good.py", DROPPED)]
    found = lint(*rows, options={"check-syntax": True})
    assert ("a", "bad.py", "ROC900") in found
    assert ("a", "good.py", "ROC602") in found


@pytest.mark.parametrize(
    "bomb",
    [
        "import torch\n" + "x = " + "-" * 30_000 + "1\n",
        "import torch\n" + "x" + ".a" * 30_000 + "\n",
        "import torch\nx = " + " + ".join(["torch.tensor(1)"] * 5_000) + "\n",
        "import torch\n" + "".join(f"{' ' * n}if x:\n" for n in range(2_000)),
        "import torch\nx = f'" + "{f'" * 200 + "\n",
    ],
    ids=["signs", "attributes", "sums", "blocks", "formats"],
)
def test_code_made_to_break_parsers_ends_nothing(bomb: str) -> None:
    assert ("a", "good.py", "ROC602") in lint(("a", "bad.py", bomb), ("a", "good.py", DROPPED))


def test_a_file_in_two_rows_counts_once_if_they_are_the_same() -> None:
    assert lint(("a", "x.py", DROPPED), ("a", "./x.py", DROPPED)) == [("a", "./x.py", "ROC602")]


def test_a_file_in_two_rows_that_differ_is_not_linted_and_told() -> None:
    problem = "cannot be read: is in the table more than once, with other content"
    rows = [("a", "x.py", DROPPED), ("a", "x.py", "import torch\n"), ("a", "y.py", DROPPED)]
    for order in (rows, rows[::-1]):
        assert lint(*order) == [
            ("a", "x.py", "ROC900"),
            ("a", "y.py", "ROC602"),
            ("a", "x.py", problem),
        ]


def test_a_file_where_others_have_a_directory_is_a_problem() -> None:
    found = lint(("a", "src", DROPPED), ("a", "src/x.py", DROPPED))
    assert found == [("a", "src/x.py", "ROC602"), ("a", "src", "is both a file and a directory")]


def test_text_that_is_not_utf8_is_a_problem_of_its_row() -> None:
    names = pa.array([b"a", b"\xff", b"a"]).cast(pa.string(), safe=False)
    paths = pa.array([b"x.py", b"x.py", b"\xff.py"]).cast(pa.string(), safe=False)
    found = rocmlint.lint_table(
        pa.table({"repository": names, "path": paths, "content": pa.array([DROPPED] * 3)})
    ).to_pylist()
    assert [(row["repository"], row["path"], row["code"] or row["problem"]) for row in found] == [
        (None, "x.py", "the repository is not UTF-8"),
        ("a", "x.py", "ROC602"),
        ("a", "\\xff.py", "the path is not UTF-8"),
    ]


def test_an_error_inside_rocmlint_is_a_problem_of_one_repository(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = tables.discover

    def wrong(paths: Sequence[str], *more: Any) -> Any:
        if paths[0].endswith("bad"):
            raise RecursionError("deep")
        return right(paths, *more)

    monkeypatch.setattr(tables, "discover", wrong)
    assert lint(("o/bad", "x.py", DROPPED), ("o/good", "x.py", DROPPED)) == [
        ("o/bad", None, "o/bad: internal error, please report it: RecursionError: deep"),
        ("o/good", "x.py", "ROC602"),
    ]
