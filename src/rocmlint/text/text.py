"""The text of a file without parsing it: its comments, and its code with strings blanked."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from codecs import BOM_UTF8
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.suppressions import has_suppressions, without_suppressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_BYTES_LEXEME = re.compile(LEXEME.encode(), re.DOTALL)
_PREFIX = frozenset("fFrRtT")
_FORMATTED = re.compile(r"[fFtT][rR]?\Z")
_REMARKS = {
    "#": re.compile(r"(?:(?<=\s)|\A)#[^\n]*"),
    "//": re.compile(r"(?:(?<=\s)|\A)(?://[ \t]*)?#[^\n]*"),
    "--": re.compile(r"(?<![^\s])--[ \t]*#[^\n]*"),
    "REM": re.compile(r"(?:(?<=\s)|\A)(?:REM[ \t]+|::[ \t]*)?#[^\n]*", re.IGNORECASE),
}
"""Comments by how the format begins them; where that is not ``#``, ours has one inside."""
OPENERS = frozenset({"//", "--", "REM", "::"})
"""What stands before the ``#`` of such a comment."""
_ASCII = bytes([*range(128), *b"?" * 128])
"""What takes bytes beyond ASCII out of a line."""
_LINE_START = re.compile(r"\n[^\n]")


def decode(data: bytes) -> str:
    """Decode a Python file as Python does (PEP 263) and make every line end ``\\n``.

    Raises SyntaxError for an unknown or contradicted encoding, UnicodeDecodeError (a ValueError)
    for bytes that the encoding does not have.
    """
    return with_plain_ends(data.decode(named_encoding(data)))


def named_encoding(data: bytes) -> str:
    """Return the encoding that a comment at the top names, UTF-8 where none does (PEP 263).

    As for Python, the comment may hold bytes beyond ASCII. Raises SyntaxError.
    """
    mark = data[: len(BOM_UTF8)] if data.startswith(BOM_UTF8) else b""
    lines = io.BytesIO(data[len(mark) :])
    marks = iter([mark])
    encoding, _ = tokenize.detect_encoding(
        lambda: next(marks, b"") + lines.readline().translate(_ASCII)
    )
    try:
        b"\n".decode(encoding)  # nothing at all would not be decoded
    except (LookupError, UnicodeError) as error:
        message = f"encoding problem: {encoding}"
        raise SyntaxError(message) from error
    return encoding


def with_plain_ends(text: str) -> str:
    r"""Take a BOM away and make every line end ``\n``."""
    text = text.removeprefix("\ufeff")
    # To look for one character is much faster than for two.
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def without_strings(data: bytes) -> bytes:
    """Return the bytes of Python code with an empty string for each string and comment."""
    return _BYTES_LEXEME.sub(b'""', data)


class Span(NamedTuple):
    """A place in a text; lines and columns count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


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
    """The characters of one file, and what is known about them without a parser."""

    def __init__(self, text: str, *, written: str | None = None) -> None:
        """Take text whose lines end in ``\\n``, and how it is written in the file.

        Both have the same length, and what is not a blank at the same places. Lines and columns are
        those of the file.
        """
        self.text = text
        self.written = text if written is None else written

    def named_line(self, line: int) -> str:
        """Name a line in a message."""
        return f"line {line}"

    @property
    def python(self) -> Text:
        """What of the text is Python: all of it, where nothing else is mixed in."""
        return self

    @property
    def is_oddly_spaced(self) -> bool:
        """Whether expressions with plain blanks may miss something in this text."""
        return False

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.split(self.text)

    @cached_property
    def code(self) -> str:
        """The text with comments and the inside of strings blanked; same length, same lines.

        The inside of an f-string stays, since it holds code.
        """
        return _LEXEME.sub(_blank, self.text)

    @cached_property
    def comments(self) -> list[Comment]:
        """Every comment, those inside brackets too, in order; without suppressions."""
        if not has_suppressions(self.written):
            return self.written_comments
        plain = ((each, without_suppressions(each.text)) for each in self.written_comments)
        return [
            each
            if text == each.text
            else replace(each, text=text[start:].rstrip(), column=each.column + start)
            for each, text in plain
            if (start := text.find("#")) >= 0
        ]

    @cached_property
    def written_comments(self) -> list[Comment]:
        """Every comment as it is written, in order."""
        return [
            self._comment(match.start(), match[0])
            for match in _LEXEME.finditer(self.written)
            if match[0].startswith("#")
        ]

    @cached_property
    def written_lines(self) -> list[str]:
        """The lines as they are written, without their ends."""
        return self.split(self.written)

    def without_suppressions(self) -> str:
        """Return the text with blanks for what hides findings, as the rules are to see it."""
        text = self.text
        if not has_suppressions(text):
            return text
        for each in self.written_comments:
            plain = without_suppressions(each.text)
            if plain != each.text:
                start = self.offset_of(each.line) + each.column - 1
                text = text[:start] + plain + text[start + len(plain) :]
        return text

    def line_of(self, offset: int) -> int:
        """Return the line, from 1, of a character."""
        return bisect_right(self._line_starts, offset)

    def offset_of(self, line: int) -> int:
        """Return the offset of the first character of a line (from 1)."""
        return self._line_starts[line - 1]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.written))]

    def place_of(self, offset: int) -> tuple[int, int]:
        """Return the line and the column, from 1, of a character."""
        line = self.line_of(offset)
        return line, offset - self.offset_of(line) + 1

    def split(self, text: str) -> list[str]:
        """Cut a text of the same length into the lines of the file."""
        if self.written == self.text and text.count("\n") == len(self._line_starts) - 1:
            return text.split("\n")
        bounds = zip(self._line_starts, [*self._line_starts[1:], len(text) + 1], strict=True)
        return [text[start : end - 1].replace("\n", " ") for start, end in bounds]

    def closing_line(self, line: int) -> int:
        """Return the first line, from this one on, at whose end a comment is possible."""
        while line in self._open_lines:
            line += 1
        return line

    def comments_above(self, line: int) -> frozenset[int]:  # noqa: ARG002 - in Python none
        """Return the lines above a line whose comments count for it."""
        return frozenset()

    @cached_property
    def _open_lines(self) -> frozenset[int]:
        """The lines at whose end no comment can stand: a string or a backslash joins the next."""
        lines = self.split(self.code)
        found = {number for number, line in enumerate(lines, 1) if line.endswith("\\")}
        for match in _LEXEME.finditer(self.written):
            if "\n" in match[0]:
                found.update(range(self.line_of(match.start()), self.line_of(match.end() - 1)))
        return frozenset(found)

    def _comment(self, start: int, text: str) -> Comment:
        line = self.line_of(start)
        before = self.written[self.offset_of(line) : start]
        return Comment(text, line, len(before) + 1, own_line=not before.strip())


class PlainText(Text):
    """The characters of a file that is not Python; ``#`` at a word's start begins a comment."""

    def __init__(
        self,
        text: str,
        *,
        written: str | None = None,
        comment: str = "#",
        continuation: str = "\\",
    ) -> None:
        """Take a text, and what begins a comment and joins lines in its format."""
        super().__init__(text, written=written)
        self._remark = _REMARKS[comment]
        self._continuation = continuation

    @cached_property
    def code(self) -> str:
        """The text as it is."""
        return self.text

    @cached_property
    def written_comments(self) -> list[Comment]:
        """Every comment as it is written, in order."""
        found = self._remark.finditer(self.written)
        return [self._comment(match.start(), match[0]) for match in found]

    def comments_above(self, line: int) -> frozenset[int]:
        """Return the lines of comments directly above a line, or above the first that it continues.

        In a Dockerfile no comment can stand behind an instruction.
        """
        return frozenset(self._block_above(line)) | frozenset(
            self._block_above(self.opening_line(line))
        )

    def opening_line(self, line: int) -> int:
        """Return the first of the lines that backslashes join with a line.

        Docker leaves comments between them out.
        """
        opening = above = line
        while above - 1 in self._open_lines or above - 1 in self._own_lines:
            above -= 1
            if above in self._open_lines:
                opening = above
        return opening

    def _block_above(self, line: int) -> Iterator[int]:
        while line - 1 in self._own_lines:
            line -= 1
            yield line

    @cached_property
    def _own_lines(self) -> frozenset[int]:
        return frozenset(comment.line for comment in self.written_comments if comment.own_line)

    @cached_property
    def _open_lines(self) -> frozenset[int]:
        sign = self._continuation
        return frozenset(n for n, line in enumerate(self.lines, 1) if line.endswith(sign))


class MixedText(Text):
    """The characters of a notebook's cells, some of which are Python and some a shell's.

    ``python`` and ``shell`` are the same text with what belongs to others blanked.
    """

    def __init__(
        self, text: str, python: Text, shell: str, cells: Sequence[tuple[int, int]] = ()
    ) -> None:
        """Take three texts of the same length, and of each cell its number and the lines above."""
        super().__init__(text)
        self._cells = cells
        self._python = python
        self._shell = PlainText(shell)
        self.text = self.without_suppressions()

    def named_line(self, line: int) -> str:
        """Name a line in a message: ``line 2 of cell 3``."""
        inside = [(number, above) for number, above in self._cells if above < line]
        number, above = inside[-1] if inside else (0, 0)
        return f"line {line - above} of cell {number}" if inside else f"line {line}"

    @property
    def python(self) -> Text:
        """What of the text is Python."""
        return self._python

    @property
    def code(self) -> str:
        """The Python with comments and the inside of strings blanked."""
        return self._python.code

    @cached_property
    def written_comments(self) -> list[Comment]:
        """Every comment as it is written, in order."""
        found = [*self._python.written_comments, *self._shell.written_comments]
        return sorted(found, key=lambda comment: (comment.line, comment.column))

    @cached_property
    def _open_lines(self) -> frozenset[int]:
        return self._python._open_lines | self._shell._open_lines  # noqa: SLF001 - of its own kind


def _blank(match: re.Match[str]) -> str:
    token, start = match[0], match.start()
    if token[0] == "#":
        return " " * len(token)
    # Most have no prefix, and to look is dearer than all else.
    if match.string[start - 1 : start] in _PREFIX and _FORMATTED.search(
        match.string, max(0, start - 2), start
    ):
        # Lines inside must not look like the first line of a statement.
        return _LINE_START.sub("\n ", token) if "\n" in token else token
    quotes = 3 if token.startswith(('"""', "'''")) else 1
    if "\n" in token:
        # Nor may closing quotes.
        blank = [" " * len(line) for line in token[quotes:].split("\n")]
        return token[:quotes] + "\n".join(blank)
    inside = max(0, len(token) - 2 * quotes)
    return token[:quotes] + " " * inside + token[quotes + inside :]
