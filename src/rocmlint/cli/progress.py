"""How far a run has come, on a terminal, when it takes longer than a second."""

from __future__ import annotations

import sys
import time

from rocmlint.text.visible import visible

PATIENCE = 1.0
"""Seconds before anything is shown."""
PAUSE = 0.1
"""Seconds between two lines."""


class Progress:
    """Called with the files that are done and all files; ``close`` takes its line away."""

    def __init__(self, *, shown: bool) -> None:
        """Begin to wait."""
        self._next = time.monotonic() + PATIENCE if shown and sys.stderr.isatty() else None
        self._width = 0

    def close(self) -> None:
        """Take the line away."""
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")

    def __call__(self, done: int, total: int) -> None:
        """Show how many files are done."""
        self.show(f"{done} of {total} files")

    def show(self, line: str) -> None:
        """Show a line if it is time to."""
        if self._next is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + PAUSE
            line = visible(line)
            sys.stderr.write(f"\r{line:<{self._width}}")
            sys.stderr.flush()
            self._width = len(line)
