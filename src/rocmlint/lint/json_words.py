"""The words of triggers in the JSON of a notebook, where some characters are escaped."""

from __future__ import annotations

import re
from functools import cache

from rocmlint.text.blanks import MARKS

_NEVER_ESCAPED = re.compile(r"[ !#-.0-\[\]-~]+")
"""What JSON mostly writes as it is, and whatever escapes some of it shows by ``_ESCAPED``."""
_ESCAPED = re.compile(rb"\\u00[2-7]")


def as_in_json(word: str) -> str:
    """Return the longest part of a word that is the same in JSON."""
    return max(_NEVER_ESCAPED.findall(word), key=len, default="")


def has_hidden_words(data: bytes) -> bool:
    """Check whether a search for words may miss some, as they are escaped or oddly apart."""
    return _ESCAPED.search(data) is not None or any(mark in data for mark in _marks())


@cache
def _marks() -> tuple[bytes, ...]:
    """Return how JSON writes what may stand where tokens stand oddly apart."""
    import json  # noqa: PLC0415 - few files are notebooks

    return tuple(json.dumps(mark.decode())[1:-1].encode() for mark in MARKS)
