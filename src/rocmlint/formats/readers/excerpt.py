"""A text inside a file (a script in YAML, a word's value) whose characters know their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from rocmlint.text.text import Span, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class LineIndex(Protocol):
    """What tells lines from offsets: a Text, or a File."""

    def line_of(self, offset: int) -> int:
        """Return the line, from 1, of a character."""

    def offset_of(self, line: int) -> int:
        """Return the offset of the first character of a line."""


@dataclass(frozen=True)
class Excerpt:
    """Some text of a file, as who reads it gets it: without the quotes or indentation around it.

    ``starts`` and ``ends`` hold, for each character, where it stands in the file (offsets, the end
    exclusive). ``unknown`` are the parts (from, to) that are known only when the text is used, such
    as ``${{ matrix.python }}``; they stand in ``text`` as they are written.
    """

    file: LineIndex
    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    unknown: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, text: str) -> Excerpt:
        """Take a whole file, lines ended by ``\\n``."""
        return cls.copied(Text(text), text, 0)

    @classmethod
    def copied(cls, file: LineIndex, text: str, start: int, *, known: bool = True) -> Excerpt:
        """Make a text that stands in the file letter by letter, from ``start`` on."""
        unknown = () if known or not text else ((0, len(text)),)
        end = start + len(text)
        return cls(file, text, range(start, end), range(start + 1, end + 1), unknown)

    @classmethod
    def standing_for(cls, file: LineIndex, text: str, start: int, end: int) -> Excerpt:
        """Make a text that the file's characters from ``start`` to ``end`` stand for."""
        return cls(file, text, [start] * len(text), [end] * len(text))

    @classmethod
    def joined(cls, file: LineIndex, pieces: Iterable[Excerpt]) -> Excerpt:
        """Put pieces of one file together."""
        text = ""
        starts: list[int] = []
        ends: list[int] = []
        unknown: list[tuple[int, int]] = []
        for piece in pieces:
            unknown += [(len(starts) + start, len(starts) + end) for start, end in piece.unknown]
            text += piece.text
            starts += piece.starts
            ends += piece.ends
        return cls(file, text, starts, ends, tuple(unknown))

    @cached_property
    def plain(self) -> str:
        """The text, as long, with an ``x`` for every character that is unknown or beyond ASCII.

        Grammars count bytes: this way a byte is a character, and unknown parts are plain words.
        """
        text = self.text if self.text.isascii() else _NOT_ASCII.sub("x", self.text)
        for start, end in self.unknown:
            text = text[:start] + "x" * (end - start) + text[end:]
        return text

    def part(self, start: int, end: int) -> Excerpt:
        """Cut out the characters from ``start`` to ``end``."""
        unknown = tuple(
            (max(first, start) - start, min(last, end) - start)
            for first, last in self.unknown
            if first < end and last > start
        )
        return Excerpt(
            self.file, self.text[start:end], self.starts[start:end], self.ends[start:end], unknown
        )

    def replaced(self, pattern: re.Pattern[str], value: Callable[[re.Match[str]], str]) -> Excerpt:
        """Put other text in for all that matches a pattern: for escapes what they stand for."""
        pieces: list[Excerpt] = []
        position = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            first, last = self.starts[start], self.ends[end - 1]
            pieces += [
                self.part(position, start),
                Excerpt.standing_for(self.file, value(match), first, last),
            ]
            position = end
        rest = self.part(position, len(self.text))
        return Excerpt.joined(self.file, [*pieces, rest]) if pieces else self

    def filled_in(self, values: Iterable[tuple[int, int, str | None]]) -> Excerpt:
        """Put values in for parts (from, to, value) in order; what has none (None) is unknown."""
        pieces: list[Excerpt] = []
        position = 0
        for start, end, value in values:
            written = self.part(start, end)
            pieces.append(self.part(position, start))
            if value is None:
                everything = ((0, end - start),)
                written = Excerpt(self.file, written.text, written.starts, written.ends, everything)
            elif written.text:
                first, last = written.starts[0], written.ends[-1]
                written = Excerpt.standing_for(self.file, value, first, last)
            pieces.append(written)
            position = end
        rest = self.part(position, len(self.text))
        return Excerpt.joined(self.file, [*pieces, rest]) if pieces else self

    def lines(self) -> Iterator[Excerpt]:
        """Yield the lines, without their ends."""
        start = 0
        for written in self.text.split("\n"):
            yield self.part(start, start + len(written))
            start += len(written) + 1

    def stripped(self) -> Excerpt:
        """Return the text without the blanks around it."""
        start = len(self.text) - len(self.text.lstrip())
        return self.part(start, max(start, len(self.text.rstrip())))

    def with_unknown(self, pattern: re.Pattern[str]) -> Excerpt:
        """Return the same text with all that matches a pattern unknown too."""
        found = [match.span() for match in pattern.finditer(self.text)]
        if not found:
            return self
        return Excerpt(
            self.file, self.text, self.starts, self.ends, tuple(sorted({*self.unknown, *found}))
        )

    def is_known(self, start: int, end: int) -> bool:
        """Return whether all characters from ``start`` to ``end`` are known."""
        return not any(first < end and last > start for first, last in self.unknown)

    def is_literal(self, start: int, end: int) -> bool:
        """Return whether the characters from ``start`` to ``end`` stand in the file as they are."""
        if start >= end:
            return True
        first = self.starts[start]
        length = end - start
        return self.ends[end - 1] - first == length and self.starts[end - 1] - first == length - 1

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Return the place in the file of the characters from ``start`` to ``end``."""
        end = len(self.text) if end is None else end
        if start >= end:
            first = last = self._between(start)
        else:
            first, last = self.starts[start], self.ends[end - 1]
        return Span(*self._point(first), *self._point(last))

    def _between(self, position: int) -> int:
        if position < len(self.starts):
            return self.starts[position]
        return self.ends[-1] if self.ends else 0

    def _point(self, offset: int) -> tuple[int, int]:
        line = self.file.line_of(offset)
        return line, offset - self.file.offset_of(line) + 1
