"""Where the nodes of a tree stand in their text, and new lines that remember where they were."""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WIDTH = 100
"""Of the lines that are written here."""


class Line(NamedTuple):
    """A line of a new text."""

    text: str
    origin: int
    """The line of the text before that it stems from, from 1."""


class Edit(NamedTuple):
    """New lines in place of a span of the text; the ends of the span need not be line ends."""

    start: int
    end: int
    lines: tuple[Line, ...]


class Layout:
    r"""A text with ``\n`` line ends that Python has parsed."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        """Take the text and its tree."""
        self.text = text
        self.lines = text.split("\n")
        self._tree = tree

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {
            child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)
        }

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node around a node."""
        return self._parents.get(node)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def tokens(self) -> list[tokenize.TokenInfo]:
        """All tokens, in order."""
        return list(tokenize.generate_tokens(io.StringIO(self.text).readline))

    @cached_property
    def _token_offsets(self) -> list[int]:
        return [self.line_start(each.start[0]) + each.start[1] for each in self.tokens]

    def line_start(self, line: int) -> int:
        """Return the offset at which a line begins."""
        return self._starts[line - 1]

    def line_end(self, line: int) -> int:
        """Return the offset of a line's end, before the line break."""
        return self._starts[line] - 1

    def _offset(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode())
        return self._starts[line - 1] + column

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return the offset at which a node begins."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return the offset at which a node ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def indent(self, line: int) -> str:
        """Return the blanks at the beginning of a line."""
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    def token_after(self, offset: int, text: str) -> tuple[int, int]:
        """Return the line and the end offset of the next token that reads so."""
        for index in range(bisect_left(self._token_offsets, offset), len(self.tokens)):
            token = self.tokens[index]
            if token.string == text:
                return token.start[0], self._token_offsets[index] + len(text)
        raise LookupError(text)

    def comments(self, start: int, end: int) -> Iterator[tokenize.TokenInfo]:
        """Yield the comments of a span."""
        first = bisect_left(self._token_offsets, start)
        for token, offset in zip(self.tokens[first:], self._token_offsets[first:], strict=True):
            if offset >= end:
                return
            if token.type == tokenize.COMMENT:
                yield token

    def spliced(self, start: int, end: int, edits: Iterable[Edit]) -> list[Line]:
        """Return the lines of a span after the edits that lie in it."""
        number = bisect_left(self._starts, start + 1)
        result = [Line("", number)]
        position = start
        inside = (each for each in edits if start <= each.start and each.end <= end)
        for edit in sorted(inside, key=lambda each: (each.start, each.end > each.start, -each.end)):
            if edit.start < position:
                continue  # inside of one before it
            _extend(result, self._kept(position, edit.start))
            _extend(result, edit.lines)
            position = edit.end
        _extend(result, self._kept(position, end))
        return result

    def _kept(self, start: int, end: int) -> list[Line]:
        number = bisect_left(self._starts, start + 1)
        texts = self.text[start:end].split("\n")
        return [Line(text, number + index) for index, text in enumerate(texts)]


def _extend(lines: list[Line], more: Sequence[Line]) -> None:
    """Append lines, the first of them to the end of the last line there is."""
    if not more:
        return
    last = lines[-1]
    lines[-1] = Line(last.text + more[0].text, last.origin if last.text else more[0].origin)
    lines += more[1:]


def call(indent: str, unit: str, head: str, arguments: Sequence[str], tail: str = ")") -> list[str]:
    """Return the lines of ``head(argument, ...)``, on one line if that is not too long."""
    line = f"{indent}{head}({', '.join(arguments)}{tail}"
    if len(line) <= WIDTH and "\n" not in line:
        return [line]
    inner = [f"{indent}{unit}{each},".split("\n") for each in arguments]
    return [f"{indent}{head}(", *(line for each in inner for line in each), f"{indent}{tail}"]


def at(origin: int, texts: Iterable[str]) -> list[Line]:
    """Return lines that stem from one line."""
    return [Line(text, origin) for text in texts]


def as_tuple(given: Sequence[str]) -> str:
    """Return names as a tuple."""
    return f"({given[0]},)" if len(given) == 1 else f"({', '.join(given)})"
