"""Templates of messages: literal text with placeholders, as in format strings of Python.

``{name}`` stands for any text within a line, ``{n:int}`` for a number, ``{m:word}`` for a dotted
name, ``{v:version}`` for a version, ``{p:path}`` for a path, ``{:gap}`` for up to 2,000 characters
over several lines; without a name what was found is not kept. Blanks stand for any blanks.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TYPED = {
    "int": r"-?\d{1,18}",
    "word": r"[\w.]{1,200}",
    "version": r"[\w.+!*-]{1,60}",
    "path": r"[^\s'\"()]{1,400}",
}
"""Kinds of placeholders that a pattern describes."""
_BEGINS = {
    "int": r"(?<!\d)",
    "word": r"(?<![\w.])",
    "version": r"(?<![\w.+!*-])",
    "path": r"(?<![^\s'\"()])",
}
"""Where one begins that has no text before it: each is tried once, not at each of its letters."""
FREE = {"": 400, "gap": 2_000}
"""Kinds that end where the text behind them begins, and their most characters."""
KINDS = (*FREE, *TYPED)
_BLANKS = re.compile(r"\s+")
_ANY_BLANKS = r"\s{1,200}"
_WORDS = re.compile(r"\w")


class TemplatePiece(NamedTuple):
    """Literal text and typed placeholders, and the free placeholder in front of them."""

    pattern: re.Pattern[str] | None
    """None for the end of a template whose last placeholder is free."""
    name: str = ""
    kind: str | None = None
    """The free placeholder, None without one."""


@dataclass(frozen=True)
class Template:
    """One message that an entry matches."""

    text: str

    def __post_init__(self) -> None:
        """Raise ConfigError for a template that cannot be read, or that matches anything."""
        try:
            parts = list(self._parts())
        except ValueError as error:
            message = f"match {self.text!r}: {error}"
            raise ConfigError(message) from error
        if not any(_WORDS.search(each) for each, _, _ in parts):
            message = f"match {self.text!r}: needs some text besides placeholders"
            raise ConfigError(message)
        names = [name for _, name, _ in parts if name]
        before: str | None = None
        for text, name, kind in parts:
            if kind not in {None, *KINDS}:
                message = f"match {self.text!r}: no kind {kind!r}; there are {', '.join(KINDS)}"
                raise ConfigError(message)
            if name and (not name.isidentifier() or names.count(name) > 1):
                message = f"match {self.text!r}: {name!r} is not a name of its own"
                raise ConfigError(message)
            if not text and before in FREE and kind in FREE:
                message = f"match {self.text!r}: needs text between two placeholders"
                raise ConfigError(message)
            before = kind

    def find(self, text: str) -> Mapping[str, str] | None:
        """Return what the placeholders stand for in the first place that matches; None if none."""
        found = self._found(text)
        return None if found is None else found[1]

    def place(self, text: str) -> str:
        """Return the line of the text in which the match begins; empty without one."""
        found = self._found(text)
        if found is None:
            return ""
        start = text.rfind("\n", 0, found[0]) + 1
        return text[start:].partition("\n")[0].strip()

    @cached_property
    def literal(self) -> str:
        """The longest piece without blanks at its ends that each match contains."""
        pieces = (piece for text, _, _ in self._parts() for piece in _BLANKS.split(text))
        return max(pieces, key=len)

    @cached_property
    def phrase(self) -> str:
        """The longest text between its placeholders, as a line of a log has it."""
        return max((" ".join(text.split()) for text, _, _ in self._parts()), key=len)

    @cached_property
    def weight(self) -> int:
        """How many characters of it are literal."""
        return sum(len(text) for text, _, _ in self._parts())

    def _found(self, text: str) -> tuple[int, dict[str, str]] | None:
        """Return where the first match begins, and its values.

        Each piece is the first one behind the piece before it, and is searched for only once in a
        text: the time is in proportion to the text, whatever it is full of.
        """
        if self.literal not in text:
            return None
        first, *rest = self._pieces
        if first.pattern is None:
            return None
        ahead: dict[int, re.Match[str] | None] = {}
        for found in first.pattern.finditer(text):
            values = found.groupdict()
            begin = found.start()
            if first.kind is not None:
                begin = _begin_of_free(first.kind, text, begin)
                values[first.name] = text[begin : found.start()]
                if begin == found.start():
                    continue
            if _follow(rest, text, found.end(), ahead, values):
                return begin, {name: (v or "").strip() for name, v in values.items() if name}
            if None in ahead.values():  # what is not behind this place is not behind a later one
                return None
        return None

    @cached_property
    def _pieces(self) -> tuple[TemplatePiece, ...]:
        pieces: list[TemplatePiece] = []
        name, kind, written = "", None, ""
        for text, of, its_kind in self._parts():
            written += _ANY_BLANKS.join(map(re.escape, _BLANKS.split(text)))
            if its_kind in TYPED:
                written += "" if written else _BEGINS[its_kind]
                written += f"(?P<{of}>{TYPED[its_kind]})" if of else f"(?:{TYPED[its_kind]})"
            elif its_kind is not None:
                if written:
                    pieces.append(TemplatePiece(re.compile(written), name, kind))
                name, kind, written = of, its_kind, ""
        pieces.append(TemplatePiece(re.compile(written) if written else None, name, kind))
        return tuple(pieces)

    def _parts(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield literal text, and the name and kind of the placeholder behind it (None: none)."""
        for text, name, kind, conversion in string.Formatter().parse(self.text):
            if conversion:
                message = f"no conversion {conversion!r}"
                raise ValueError(message)
            yield text, name or "", None if name is None else kind or ""


def _begin_of_free(kind: str, text: str, end: int) -> int:
    """Return where a free placeholder begins that ends at a place."""
    begin = max(0, end - FREE[kind])
    return begin if kind == "gap" else max(begin, text.rfind("\n", begin, end) + 1)


def _end_of_free(kind: str, text: str, begin: int) -> int:
    """Return the last place where a free placeholder can end that begins at a place."""
    end = min(begin + FREE[kind], len(text))
    line = -1 if kind == "gap" else text.find("\n", begin, end)
    return end if line < 0 else line


def _follow(
    pieces: list[TemplatePiece],
    text: str,
    at: int,
    ahead: dict[int, re.Match[str] | None],
    values: dict[str, str],
) -> bool:
    """Return whether the pieces follow one another from a place on; fill in their values.

    ``ahead`` keeps the next match of each piece.
    """
    for index, (pattern, name, its_kind) in enumerate(pieces):
        kind = its_kind or ""
        least = at + (kind != "gap")
        last = _end_of_free(kind, text, at)
        if pattern is None:
            values[name] = text[at:last]
            return last >= least
        found = ahead.get(index)
        if found is None or found.start() < least:
            found = ahead[index] = pattern.search(text, least)
        if found is None or found.start() > last:
            return False
        values.update(found.groupdict(), **{name: text[at : found.start()]})
        at = found.end()
    return True
