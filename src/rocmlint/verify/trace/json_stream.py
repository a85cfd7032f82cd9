"""A JSON text of any length, read one value after the other.

Each value is parsed by Python's own JSON, which is quick and refuses what would need much memory:
nothing is kept but the value, and one is refused that is longer than ``LONGEST``.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 1 << 24
"""Characters of one value."""
_SKIPPED = 4
"""Objects in objects of which each value is skipped by itself, so that none is too long."""
_LONGEST_NUMBER = 400
"""Digits; a float has no larger whole numbers than of 309."""
_ENDS = "it ends in the middle"
_CUT = 8
"""Characters before the end within which Python reports a value that is only cut off."""
_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^,\]}\s]*")


class BrokenError(ValueError):
    """The text is not JSON, or stops before its end."""


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


# What is not a number in JSON (NaN), or longer than Python likes to convert, is not a duration.
_QUICK = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_CAREFUL = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_int=_whole)


class JsonText:
    """A place in the text, of which no more is held than is being parsed."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._text = ""
        self._at = 0

    def next(self) -> str:
        """Return the next character that is not a space, empty at the end; it stays the next."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def places(self) -> Iterator[None]:
        """Yield before each item of the list that begins here; it is taken in between."""
        self._take("[")
        last = self.next() == "]" and self._take("]")
        while last != "]":
            self.next()
            yield
            last = self._take(",]")

    def items(self) -> Iterator[Any]:
        """Yield the items of the list that begins here."""
        for _ in self.places():
            yield self.value()

    def names(self) -> Iterator[str]:
        """Yield the names in the object that begins here; each value is taken in between."""
        self._take("{")
        last = self.next() == "}" and self._take("}")
        while last != "}":
            if self.next() != '"':
                raise self.broken("a name is missing")
            key = str(self.value())
            self._take(":")
            self.next()
            yield key
            last = self._take(",}")

    def skip(self, depth: int = _SKIPPED) -> None:
        """Take the value that begins here, which may be a list or an object of any length."""
        opened = self.next()
        if opened == "[":
            for _ in self.items():
                pass
        elif opened == "{" and depth:
            for _ in self.names():
                self.skip(depth - 1)
        else:
            self.value()

    def value(self) -> Any:
        """Take the value that begins here."""
        while True:
            try:
                found, self._at = self._decoded()
            except json.JSONDecodeError as error:
                if self._grow():
                    continue
                is_cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _CUT
                raise self.broken(_ENDS if is_cut else error.msg) from error
            except RecursionError as error:
                raise self.broken("brackets are nested too deeply") from error
            return found

    def _decoded(self) -> tuple[Any, int]:
        if self._text[self._at : self._at + 1] not in ('"', "{", "["):
            while self._scalar_end() == len(self._text) and self._more():
                pass
        try:
            return _QUICK.raw_decode(self._text, self._at)
        except json.JSONDecodeError:
            raise
        except ValueError:
            return _CAREFUL.raw_decode(self._text, self._at)

    def _scalar_end(self) -> int:
        match = _SCALAR.match(self._text, self._at)
        return match.end() if match else self._at

    def _take(self, wanted: str) -> str:
        found = self.next()
        if not found or found not in wanted:
            raise self.broken(f"{' or '.join(wanted)} is missing")
        self._at += 1
        return found

    def _grow(self) -> bool:
        """Read as much again as is there, for a value that is cut off; say whether there was more.

        A value that is broken reads on too, until it is longer than any.
        """
        parts = [self._text[self._at :]]
        size, wanted = len(parts[0]), 2 * len(parts[0])
        if size > LONGEST:
            message = f"an event has more than {LONGEST:,} characters, or is broken"
            raise BrokenError(message)
        while size < wanted and (block := self._read()):
            parts.append(block)
            size += len(block)
        self._text, self._at = "".join(parts), 0
        return len(parts) > 1

    def _more(self) -> bool:
        """Read a block; say whether there was one."""
        block = self._read()
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block)

    def broken(self, why: str) -> BrokenError:
        """Return the error to raise here."""
        return BrokenError(why if self._at < len(self._text) else _ENDS)
