"""Recipes of Makefiles and justfiles: lines for a shell, with the values of variables put in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Step
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.variables import LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rocmlint.formats.model import Branch, Command

_PREFIX = re.compile(r"[@+\-\s]*")
"""What stands before a command for make or just: do not echo it, go on where it fails."""
_MOST_HOPS = 20


class Reference(NamedTuple):
    """A part of a text that something else stands for: a variable, or what only the run knows."""

    start: int
    end: int
    name: str = ""
    stands_for: str | None = None
    """The text where it is not a variable: ``$`` for ``$$``."""


class Values:
    """The variables of a file, each as it is written; None for one with several values."""

    def __init__(self, references: Callable[[str], Iterator[Reference]]) -> None:
        """Take what finds the references in a text, in order."""
        self.written: dict[str, Excerpt | None] = {}
        """Complete before the first is asked for."""
        self._references = references
        self._resolved: dict[str, str | None] = {}

    def resolved(self, name: str, hops: int = 0) -> str | None:
        """Return the value of a variable, None where it cannot be told."""
        value = self.written.get(name)
        if value is None or hops == _MOST_HOPS:
            return None
        if name not in self._resolved:
            self._resolved[name] = None  # for one that leads back to itself
            filled = self.put_into(value, hops + 1)
            known = not filled.unknown and len(filled.text) <= LONGEST
            self._resolved[name] = filled.text if known else None
        return self._resolved[name]

    def put_into(self, text: Excerpt, hops: int = 0) -> Excerpt:
        """Put the values of variables into a text."""
        return text.filled_in(self._values_in(text, hops))

    def _values_in(self, text: Excerpt, hops: int) -> Iterator[tuple[int, int, str | None]]:
        left = LONGEST
        for start, end, name, stands_for in self._references(text.text):
            value = self.resolved(name, hops) if name else stands_for
            left -= len(value or "")
            yield start, end, value if left >= 0 else None


def continued(lines: Iterable[Excerpt]) -> Iterator[list[Excerpt]]:
    """Yield the lines that backslashes join, each without its end."""
    waiting: list[Excerpt] = []
    for line in lines:
        waiting.append(line)
        if not _is_open(line.text):
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def joined(lines: Iterable[Excerpt], end: str = "\n") -> Excerpt:
    """Put lines together with their ends, as a shell gets them."""
    pieces: list[Excerpt] = []
    place = 0
    for line in lines:
        place = line.ends[-1] if line.ends else place
        pieces += [line, Excerpt.standing_for(line.file, end, place, place)]
    return Excerpt.joined(pieces[0].file, pieces)


def commands_in_line(
    line: Excerpt,
    number: int,
    variables: Mapping[str, str | None],
    branches: tuple[Branch, ...] = (),
) -> list[Command]:
    """Return the commands of one line of a recipe, without the signs before them."""
    prefix = _PREFIX.match(line.text)
    script = line.part(prefix.end() if prefix else 0, len(line.text))
    return commands_of(script, variables, Step(number), branches=branches)


def _is_open(text: str) -> bool:
    """Return whether a line ends in a backslash that is not escaped itself."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
