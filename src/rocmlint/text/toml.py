"""TOML by Python's parser, which takes no end of time for a key of thousands of parts."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

_PART = r"""(?:[\w-]+|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*')[ \t]*"""
_MOST_PARTS = 100
_LONG_KEY = re.compile(
    rf"(?:^[ \t]*(?:\[\[?[ \t]*)?|[{{,][ \t]*){_PART}(?:\.[ \t]*{_PART}){{{_MOST_PARTS}}}",
    re.MULTILINE,
)


def loads(text: str) -> dict[str, Any]:
    """Return the tables of a document.

    Raises ValueError for what is not TOML, and RecursionError where it is nested too deeply.
    """
    key = _LONG_KEY.search(text)
    if key is not None:
        line = text.count("\n", 0, key.start()) + 1
        message = f"nested too deeply (at line {line}, column 1)"
        raise RecursionError(message)
    try:
        tables: dict[str, Any] = _library().loads(text)
    except RecursionError as error:
        message = "nested too deeply"
        raise RecursionError(message) from error
    return tables


def _library() -> Any:
    """Return tomllib, or what it grew from where Python does not have it."""
    return import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
