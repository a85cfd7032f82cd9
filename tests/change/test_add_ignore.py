"""--add-ignore: a comment beside each finding, after which nothing is found any more."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.change.add_ignore import ignore_bytes
from rocmlint.lint.check import check
from rocmlint.lint.suppress import suppress
from rocmlint.rule.registry import load_rules
from rocmlint.rule.rule import Rule
from rocmlint.rule.triggers import calls, strings
from rocmlint.source.python import Source
from rocmlint.text.text import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.findings import Finding


class HalvedModel(Rule["cst.Call"]):
    """Every call of ``half``."""

    code = "ROC410"
    name = "halved-model"
    since = "0.1.0"
    on = calls("half")

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find each call."""
        yield self.finding(node, source, "found")


class WordInString(Rule["cst.SimpleString"]):
    """Every string with ``aiter``, also the lines of long ones."""

    code = "ROC110"
    name = "word-in-string"
    since = "0.1.0"
    on = strings("aiter", words=("aiter",))

    def check(self, node: cst.SimpleString, source: Source) -> Iterator[Finding]:
        """Find each string."""
        yield self.finding(node, source, "found")


KNOWN: list[type[Rule[Any]]] = [
    HalvedModel,
    WordInString,
    *(rule for rule in load_rules() if rule.code[:4] == "ROC9"),
]


def lint(data: bytes) -> list[Finding]:
    source = Source("train.py", decode(data))
    rules = [rule(settings={}) for rule in KNOWN]
    return suppress(source, check(source, rules), rules, KNOWN)


def ignored(text: str) -> str:
    """Add the comments, and see to it that nothing is found, changed or added again."""
    change = ignore_bytes("train.py", text.encode(), lint, "kept for V1")
    assert lint(change.after) == []
    assert (change.left, change.problem) == ([], None)
    assert list(change.settled) == list(change.found)
    assert ast.dump(ast.parse(change.after)) == ast.dump(ast.parse(text))
    assert ignore_bytes("train.py", change.after, lint, "again").after == change.after
    return change.after.decode()


COMMENT = "# rocmlint: ignore[ROC410] kept for V1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("m.half()\n", f"m.half()  {COMMENT}\n", id="one line"),
        pytest.param("m.half()", f"m.half()  {COMMENT}", id="no line end"),
        pytest.param(
            "m.half(  \n    1,\n)\n", f"m.half(  {COMMENT}\n    1,\n)\n", id="several lines"
        ),
        pytest.param(
            "m.half()  # type: ignore\n",
            f"m.half()  # type: ignore  {COMMENT}\n",
            id="behind another comment",
        ),
        pytest.param(
            'm.half("""\nto\n""", 1)\n', f'm.half("""\nto\n""", 1)  {COMMENT}\n', id="long string"
        ),
        pytest.param("m.half( \\\n    1)\n", f"m.half( \\\n    1)  {COMMENT}\n", id="backslash"),
        pytest.param(
            "x = m.half() + \\\n    y\n",
            f"x = m.half() + \\\n    y  {COMMENT}\n",
            id="backslash behind the finding",
        ),
        pytest.param(
            'f(m.half(), """\n""")\n', f'f(m.half(), """\n""")  {COMMENT}\n', id="string behind it"
        ),
        pytest.param(
            "m.half() if m else n.half()\n",
            f"m.half() if m else n.half()  {COMMENT}\n",
            id="two of a kind",
        ),
        pytest.param(
            "m.half('aiter')\n",
            "m.half('aiter')  # rocmlint: ignore[ROC410,ROC110] kept for V1\n",
            id="two kinds",
        ),
        pytest.param(
            "m.half('aiter')  # rocmlint: ignore[ROC110] the name\n",
            "m.half('aiter')  # rocmlint: ignore[ROC110,ROC410] the name\n",
            id="joins the comment that is there",
        ),
        pytest.param(
            "m.half('aiter')  # noqa: E501  # rocmlint: ignore[word-in-string]\n",
            "m.half('aiter')  # noqa: E501  # rocmlint: ignore[word-in-string,ROC410]\n",
            id="joins a name",
        ),
        pytest.param(
            "m.half('# rocmlint: ignore[ROC110]')\n",
            f"m.half('# rocmlint: ignore[ROC110]')  {COMMENT}\n",
            id="a string is no comment",
        ),
    ],
)
def test_the_comment_stands_where_it_hides_the_finding(text: str, expected: str) -> None:
    assert ignored(text) == expected


def test_a_finding_deep_in_a_long_string_is_ignored_behind_it() -> None:
    text = "NOTE = f'''\n{m.half()}\n'''\n"
    assert ignored(text) == f"NOTE = f'''\n{{m.half()}}\n'''  {COMMENT}\n"


def test_the_reason_may_be_left_out_and_stays_on_one_line() -> None:
    assert ignore_bytes("train.py", b"m.half()\n", lint, "").after == (
        b"m.half()  # rocmlint: ignore[ROC410]\n"
    )
    assert ignore_bytes("train.py", b"m.half()\n", lint, "one\nline").after == (
        b"m.half()  # rocmlint: ignore[ROC410] one line\n"
    )


def test_line_ends_and_encoding_stay() -> None:
    data = b"# coding: latin-1\r\nm.half()  # \xfc\r\n"
    change = ignore_bytes("train.py", data, lint, "für V1")
    assert change.after == data.replace(b"\xfc", b"\xfc  # rocmlint: ignore[ROC410] f\xfcr V1")


def test_what_cannot_be_parsed_gets_no_comment() -> None:
    data = b"m.half()\n\n\nif:\n"
    change = ignore_bytes("train.py", data, lint, "why")
    assert change.after == data
    assert change.problem == "train.py: no comments were added: the file cannot be parsed"
