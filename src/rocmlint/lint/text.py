"""The text of a Python file without parsing it: its comments, and its code with strings blanked."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

# Every alternative begins with a fixed character: a search for an optional prefix would be nine
# times slower.
LEXEME = (
    r"#[^\n]*"
    r'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|\Z)'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\Z)"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
)
"""A comment or a string without its prefix, for str (or, encoded, for bytes) with DOTALL."""
_LEXEME = re.compile(LEXEME, re.DOTALL)
_FORMATTED = re.compile(r"[fFtT][rR]?\Z")
_VISIBLE = re.compile(r"[^\n]")
_LINE_START = re.compile(r"\n[^\n]")


def decode(data: bytes) -> str:
    """Decode a Python file as Python does (PEP 263) and make every line end ``\\n``.

    Raises SyntaxError for an unknown or contradicted encoding, UnicodeDecodeError (a ValueError)
    for bytes that the encoding does not have.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class Comment:
    """A comment: ``text`` begins with ``#``; line and column count from 1."""

    text: str
    line: int
    column: int
    own_line: bool

    @property
    def body(self) -> str:
        """The text without ``#`` and surrounding blanks."""
        return self.text.lstrip("#").strip()


class Text:
    """The characters of one file, and what can be told of them without a parser."""

    def __init__(self, text: str) -> None:
        """Take text whose lines end in ``\\n``."""
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @cached_property
    def code(self) -> str:
        """The text with comments and the inside of strings blanked; same length, same lines.

        The inside of an f-string stays, since it holds code.
        """
        return _LEXEME.sub(_blank, self.text)

    @cached_property
    def comments(self) -> list[Comment]:
        """Every comment, those inside brackets too, in order."""
        return [
            self._comment(match.start(), match[0])
            for match in _LEXEME.finditer(self.text)
            if match[0].startswith("#")
        ]

    def line_of(self, offset: int) -> int:
        """Give the line, from 1, of a character."""
        return bisect_right(self._line_starts, offset)

    def offset_of(self, line: int) -> int:
        """Give the offset of the first character of a line (from 1)."""
        return self._line_starts[line - 1]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def _comment(self, start: int, text: str) -> Comment:
        line = self.line_of(start)
        before = self.text[self.offset_of(line) : start]
        return Comment(text, line, len(before) + 1, own_line=not before.strip())


def _blank(match: re.Match[str]) -> str:
    token = match[0]
    if token.startswith("#"):
        return " " * len(token)
    start = match.start()
    if _FORMATTED.search(match.string, max(0, start - 2), start):
        # Lines inside must not look like the first line of a statement.
        return _LINE_START.sub("\n ", token) if "\n" in token else token
    quotes = 3 if token.startswith(('"""', "'''")) else 1
    if "\n" in token:
        # Nor may closing quotes.
        return token[:quotes] + _VISIBLE.sub(" ", token[quotes:])
    inside = max(0, len(token) - 2 * quotes)
    return token[:quotes] + " " * inside + token[quotes + inside :]
