"""The code that runs around a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.rule import File

_IMPORT = compile_lazily(r"\s*(?:from|import)\b")


def live_lines(source: File) -> list[str]:
    """Return the lines of a file without their comments, those that import left empty."""
    lines = list(source.lines)
    for comment in source.comments:
        lines[comment.line - 1] = lines[comment.line - 1][: comment.column - 1]
    return ["" if _IMPORT.match(line) else line.rstrip() for line in lines]


def indent_of_neighbour(lines: Sequence[str], first: int, last: int) -> int:
    """Return the indent of the nearest line of code below a range of lines, or else above it."""
    below, above = range(last, len(lines)), range(first - 2, -1, -1)
    nearest = [next((lines[at] for at in each if lines[at]), "") for each in (below, above)]
    return _indent(nearest[0] or nearest[1])


def block_around(
    lines: Sequence[str], first: int, last: int, indent: int, reach: int
) -> Iterator[str]:
    """Yield the lines above and below a range, as far as they are indented like it.

    At most ``reach`` on either side; the line that ends the block above, with the opening
    bracket of a call, is the last one.
    """
    yield from _side(lines, range(first - 2, -1, -1), indent, reach)
    yield from _side(lines, range(last, len(lines)), indent, reach)


def _side(lines: Sequence[str], order: Iterable[int], indent: int, reach: int) -> Iterator[str]:
    written = (lines[at] for at in order if lines[at])
    for count, line in enumerate(written, 1):
        if count > reach or _indent(line) < indent:
            if line.endswith(("(", ",")):
                yield line
            return
        yield line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
