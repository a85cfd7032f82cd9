"""A failed test of a rule: a file, a line, and what is wrong there."""

from __future__ import annotations

from typing import NamedTuple

from rocmlint.paths import shown


class Failure(NamedTuple):
    """One line about what is wrong with a rule or with one of its fixtures."""

    path: str
    """The file, absolute."""
    line: int
    """The line in it, from 1."""
    message: str
    """The expected and the actual result."""

    def __str__(self) -> str:
        """Return ``path:line: message``, the path as a program in this directory knows it."""
        return f"{shown(self.path)}:{self.line}: {self.message}"
