"""What is raised where Python cannot be parsed; apart, so that it can be caught without LibCST."""

from __future__ import annotations


class UnparsableError(Exception):
    """A file, or a part of it, is not Python that LibCST can parse."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        """Say why, and where (both from 1)."""
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class TooLongError(UnparsableError):
    """More was asked for at once than can be parsed in reasonable memory."""
