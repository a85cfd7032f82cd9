"""Reading many documents that are mostly the same: what was read before is not parsed again.

The witnesses of a thousand ranks differ in some numbers; the lists of packages, libraries and
compared modules in them are the same text.
"""

from __future__ import annotations

import json
import re

_OPENING = re.compile(r"\s*\{")
_KEY = re.compile(r'\s*"([^"\\]*)"\s*:\s*')
_COMMA = re.compile(r"\s*,")
_CLOSING = re.compile(r"\s*\}\s*\Z")
_ENDS_A_VALUE = frozenset(",} \t\r\n")
_WORTH_KEEPING = 200
"""Characters from which a value is kept; shorter ones are parsed as quickly as compared."""
_KEPT = 4
"""Values of one key: of the documents of a job, those of one node follow each other."""
_DECODER = json.JSONDecoder()


class SharedJson:
    """Parses JSON documents; equal values of the same key of them are one object."""

    def __init__(self) -> None:
        """Know no document."""
        self._earlier: dict[str, list[tuple[str, object]]] = {}

    def loads(self, text: str) -> object:
        """Return what ``json.loads`` returns, and raise what it raises.

        Whoever gets it must not change it.
        """
        try:
            document = self._members(text)
        except (ValueError, IndexError):
            document = None
        return json.loads(text) if document is None else document

    def _members(self, text: str) -> dict[str, object] | None:
        """Parse an object; None for what is written otherwise than is expected here."""
        document: dict[str, object] = {}
        separator = _OPENING.match(text)
        while separator is not None:
            key = _KEY.match(text, separator.end())
            if key is None:
                return None
            document[key[1]], end = self._value(key[1], text, key.end())
            if _CLOSING.match(text, end):
                return document
            separator = _COMMA.match(text, end)
        return None

    def _value(self, key: str, text: str, at: int) -> tuple[object, int]:
        earlier = self._earlier.setdefault(key, [])
        for written, value in earlier:
            end = at + len(written)
            if text.startswith(written, at) and text[end] in _ENDS_A_VALUE:
                return value, end
        value, end = _DECODER.raw_decode(text, at)
        if end - at >= _WORTH_KEEPING:
            earlier[:] = [(text[at:end], value), *earlier[: _KEPT - 1]]
        return value, end
