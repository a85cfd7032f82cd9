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
from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KINDS = {
    "": r"[^\n]{1,400}?",
    "int": r"-?\d{1,18}",
    "word": r"[\w.]{1,200}",
    "version": r"[\w.+!*-]{1,60}",
    "path": r"[^\s'\"()]{1,400}",
    "gap": r"[\s\S]{0,2000}?",
}
_BLANKS = re.compile(r"\s+")
_WORDS = re.compile(r"\w")


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
        for _, name, kind in parts:
            if kind not in {None, *KINDS}:
                message = f"match {self.text!r}: no kind {kind!r}; there are {', '.join(KINDS)}"
                raise ConfigError(message)
            if name and (not name.isidentifier() or names.count(name) > 1):
                message = f"match {self.text!r}: {name!r} is not a name of its own"
                raise ConfigError(message)

    def find(self, text: str) -> Mapping[str, str] | None:
        """Return what the placeholders stand for in the first place that matches; None if none."""
        if self.literal not in text:
            return None
        found = self._pattern.search(text)
        return None if found is None else {k: v.strip() for k, v in found.groupdict().items()}

    def place(self, text: str) -> str:
        """Return the line of the text in which the match begins; empty without one."""
        found = self._pattern.search(text) if self.literal in text else None
        if found is None:
            return ""
        start = text.rfind("\n", 0, found.start()) + 1
        return text[start:].partition("\n")[0].strip()

    @cached_property
    def literal(self) -> str:
        """The longest piece without blanks at its ends that each match contains."""
        pieces = (piece for text, _, _ in self._parts() for piece in _BLANKS.split(text))
        return max(pieces, key=len)

    @cached_property
    def weight(self) -> int:
        """How many characters of it are literal."""
        return sum(len(text) for text, _, _ in self._parts())

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = list(self._parts())
        written = []
        for index, (text, name, kind) in enumerate(parts):
            written.append(r"\s+".join(map(re.escape, _BLANKS.split(text))))
            if kind is None:
                continue
            is_last = index == len(parts) - 1
            value = KINDS[kind].removesuffix("?") if is_last else KINDS[kind]
            written.append(f"(?P<{name}>{value})" if name else f"(?:{value})")
        return re.compile("".join(written))

    def _parts(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield literal text, and the name and kind of the placeholder behind it (None: none)."""
        for text, name, kind, conversion in string.Formatter().parse(self.text):
            if conversion:
                message = f"no conversion {conversion!r}"
                raise ValueError(message)
            yield text, name or "", None if name is None else kind or ""
