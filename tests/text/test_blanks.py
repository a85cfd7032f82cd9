"""Tabs, form feeds and backslashes between tokens: what Python reads, at the same places."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.syntax.walk import walk
from rocmlint.text.blanks import PythonText, with_plain_blanks

if TYPE_CHECKING:
    from collections.abc import Iterable

BETWEEN_STATEMENTS = {
    "a backslash alone": "f(1)\n\\\nf(2)\n",
    "a backslash on the first line": "\\\nf(1)\n",
    "two backslashes": "f(1)\n\\\n\\\nf(2)\n",
    "a backslash at the indentation": "def t():\n    f(1)\n    \\\n    f(2)\n",
    "a backslash below a header": "def t():\n    \\\n    f(1)\n",
    "a backslash that says the indentation": "def t():\n \\\nf(1)\nf(2)\n",
    "a backslash without indentation": "def t():\n\\\n    f(1)\n",
    "a backslash and a dedent": "if x:\n    f(1)\n\\\nf(2)\n",
    "a backslash above a blank line": "if x:\n    \\\n\n    f(1)\n",
    "a backslash above a comment": "if x:\n    \\\n# c\n    f(1)\n",
    "a backslash below a comment": "# c \\\n\\\nf(1)\n",
    "a backslash below a decorator": "class A:\n  @d(1)\n  \\\n  def f(x): f(2)\n",
    "a backslash above else": "if f(1):\n    pass\n\\\nelse:\n    f(2)\n",
    "backslashes inside a statement": "a = f(1) + \\\n\\\n  f(2)\n",
    "a backslash in brackets": "f(\n\\\n1)\nf(2)\n",
    "a backslash in a string": 'f("""\n\\\n""")\nf(2)\n',
    "a form feed in front": "\x0cf(1)\nf(2)\n",
    "a form feed above": "f(1)\n\x0c\nf(2)\n",
    "a form feed before the indentation": "def t():\n\x0c    f(1)\n    f(2)\n",
    "a form feed in the indentation": "def t():\n  \x0c    f(1)\n    f(2)\n",
    "a form feed and a dedent": "def t():\n    f(1)\n    \x0cf(2)\n",
    "a form feed and a backslash": "def t():\n \x0c  \\\n\x0cf(1)\n  f(2)\n",
    "a form feed before a comment": "f(1)\n  \x0c# c\nf(2)\n",
    "tabs and form feeds between tokens": "x\x0c=\tf(1)\t+\x0c\tf(2)\n",
    "a tab behind tabs": "if x:\n\tf(1)\n\ty =\tf(2)\n",
    "tabs after a backslash": "x = \\\n\tf(1)\nf(2)\n",
    "no last line end": "f(1)\n\x0cf(2)",
}


@pytest.mark.parametrize("text", BETWEEN_STATEMENTS.values(), ids=list(BETWEEN_STATEMENTS))
@pytest.mark.parametrize("whole", [False, True], ids=["pieces", "whole"])
def test_calls_stand_where_python_says(text: str, whole: bool) -> None:
    assert calls(text, whole=whole) == calls_in_python(text)


@pytest.mark.parametrize("text", BETWEEN_STATEMENTS.values(), ids=list(BETWEEN_STATEMENTS))
def test_lines_and_columns_are_those_of_the_file(text: str) -> None:
    read = PythonText(text)
    assert len(read.text) == len(text)
    assert len(read.lines) == len(text.split("\n"))
    for line, written in zip(read.lines, text.split("\n"), strict=True):
        assert without_blanks(line) in {without_blanks(written), without_blanks(written)[:-1]}


@given(st.text(st.sampled_from("\\\n\t\f #'\"x=()")))
def test_any_text_keeps_its_length_and_what_is_no_blank(text: str) -> None:
    after = with_plain_blanks(text)
    assert len(after) == len(text)
    for old, new in zip(text, after, strict=True):
        assert old == new or {old, new} <= set("\\\n\t\f ")


@given(st.lists(st.sampled_from(["\\\n", "\n", "\f", "\t", "    ", " ", "f(1)", "if x:", "#c"])))
def test_what_python_takes_is_read_as_python_does(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        expected = calls_in_python(text)
    except SyntaxError:
        return
    assert calls(text, whole=True) == expected


@pytest.mark.parametrize(
    "text",
    ["x = '\t'\n", "# a\tb\x0c\n", "\tx\n", "x = '''\n\\\n\x0c'''\n", "x = 1\n\\\n", "a = \\"],
)
def test_strings_comments_indentation_and_what_python_refuses_stay(text: str) -> None:
    assert with_plain_blanks(text) == text


def test_what_ends_in_a_backslash_is_refused_as_python_does() -> None:
    with pytest.raises(UnparsableError, match="unexpected EOF"):
        calls("f(1)\n\\\n", whole=True)


def calls(text: str, *, whole: bool) -> list[tuple[int, ...]]:
    source = Source("a.py", text, place="a.py", whole=whole)
    modules = dict.fromkeys(source.pieces.around(each).module for each in range(len(text)))
    found = (node for module in modules for node in walk(module) if isinstance(node, cst.Call))
    return places(source.span(node) for node in found)


def calls_in_python(text: str) -> list[tuple[int, ...]]:
    return places(
        (node.lineno, node.col_offset + 1, node.end_lineno or 0, (node.end_col_offset or 0) + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
    )


def places(found: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return sorted({tuple(each) for each in found})


def without_blanks(line: str) -> str:
    return "".join(line.split())
