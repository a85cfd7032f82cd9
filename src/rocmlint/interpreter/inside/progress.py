"""How far long work has come: one line in a file, which the parent shows."""

from __future__ import annotations

import time
from contextlib import suppress

_PAUSE = 0.2
"""Seconds between two lines."""


class _Line:
    """Where the line goes; nowhere before the parent has said so."""

    path: str | None = None
    next = 0.0


def begin(path: str) -> None:
    """Have lines go into this file."""
    _Line.path = path


def report(line: str) -> None:
    """Say how far the work has come. It is no reason to fail that it cannot be said."""
    now = time.monotonic()
    if _Line.path is None or now < _Line.next:
        return
    _Line.next = now + _PAUSE
    with suppress(OSError), open(_Line.path, "w", encoding="utf-8") as file:
        file.write(line)
