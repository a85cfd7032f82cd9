"""The text of a file without a parser: decoding, comments, and code with strings blanked."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocmlint.text.text import PlainText, Text, decode

STANDARD_LIBRARY = sorted(Path(tokenize.__file__).parent.glob("*.py"))

lines = st.lists(
    st.sampled_from(
        [
            "x = 1  # it's a comment",
            'name = "a # b"',
            "path = r'C:\\dir'",
            '"""doc\n\nx = 1\n"""',
            "'''it's \"quoted\"'''",
            "y = 'don\\'t'  # \"half",
            'f"{x} # {y!r}"',
            "z = b'\\x00#'",
        ]
    ),
    max_size=12,
).map("\n".join)


def comments_by_tokenize(text: str) -> list[tuple[int, int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [
        (token.start[0], token.start[1] + 1, token.string)
        for token in tokens
        if token.type == tokenize.COMMENT
    ]


@given(lines)
def test_comments_are_those_that_the_tokenizer_sees(text: str) -> None:
    found = [(each.line, each.column, each.text) for each in Text(text).comments]
    assert found == comments_by_tokenize(text)


@pytest.mark.parametrize("path", STANDARD_LIBRARY[::7], ids=lambda path: path.name)
def test_comments_of_the_standard_library_are_those_that_the_tokenizer_sees(path: Path) -> None:
    text = decode(path.read_bytes())
    found = [(each.line, each.column, each.text) for each in Text(text).comments]
    assert found == comments_by_tokenize(text)


@given(st.text())
@settings(max_examples=300)
def test_blanked_code_has_the_same_length_and_lines(text: str) -> None:
    code = Text(text).code
    assert len(code) == len(text)
    assert [len(line) for line in code.split("\n")] == [len(line) for line in text.split("\n")]


def test_strings_and_comments_are_blank_in_code_but_the_inside_of_f_strings_is_not() -> None:
    text = Text("a = 'secret' + f'{call()}'  # call()\n'''\nb()\n'''\n")
    assert text.code == "a = '      ' + f'{call()}'          \n'''\n   \n   \n"


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfname = 'gr\xc3\xbcn'\r\n",
        "name = 'grün'\r".encode(),
        "# -*- coding: latin-1 -*-\nname = 'grün'\n".encode("latin-1"),
    ],
    ids=["byte order mark and CRLF", "old Mac line ends", "latin-1"],
)
def test_decoding_follows_pep_263_and_makes_all_line_ends_one(data: bytes) -> None:
    text = decode(data)
    assert "name = 'grün'\n" in text
    assert "\r" not in text


NO_TEXT = ["hex", "base64", "zlib", "rot13", "bz2", "uu", "quopri", "undefined", "utf-16"]


@pytest.mark.parametrize("name", NO_TEXT)
def test_an_encoding_that_python_does_not_read_is_a_syntax_error(name: str) -> None:
    data = f"# coding: {name}\nx = 1\n".encode()
    with pytest.raises(SyntaxError):
        compile(data, "a.py", "exec")
    with pytest.raises(SyntaxError, match=f"encoding problem: {name}"):
        decode(data)


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: latin-1 \xe9\nx = '\xe9'\n",
        b"# \xe9 coding: latin-1\nx = '\xe9'\n",
        b"# \xe9\n# coding: latin-1\nx = '\xe9'\n",
        b"# coding: latin-1\xe9\nx = '\xe9'\n",
        b"\xef\xbb\xbf# coding: utf-8 \xc3\xa9\nx = '\xc3\xa9'\n",
    ],
)
def test_bytes_beyond_ascii_may_be_in_the_line_that_names_an_encoding(data: bytes) -> None:
    namespace: dict[str, str] = {}
    exec(compile(data, "a.py", "exec"), namespace)  # noqa: S102
    assert namespace["x"] == "é"
    assert decode(data).endswith("x = 'é'\n")


@pytest.mark.parametrize("data", [b"# coding: no-such-codec\n", b"x = '\xff'\n", b"# \xff\n"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        decode(data)


@pytest.mark.parametrize(
    ("text", "line", "above"),
    [
        ("a\n", 1, set()),
        ("# c\na\n", 2, {1}),
        ("# c\n# d\na\n", 3, {1, 2}),
        ("# c\n\na\n", 3, set()),
        ("# c\nRUN a \\\n b\n", 3, {1}),
        ("# c\nRUN a \\\n# d\n b\n", 4, {1, 3}),
        ("a  # c\nb\n", 2, set()),
    ],
)
def test_which_comments_above_count(text: str, line: int, above: set[int]) -> None:
    assert PlainText(text).comments_above(line) == above
