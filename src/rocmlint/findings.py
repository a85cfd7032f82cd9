"""What a rule reports: findings, and the edits that mend them; data without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Edit:
    """Replace a range of text.

    Lines and columns count from 1, columns in characters; the end is exclusive.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str


@dataclass(frozen=True)
class Fix:
    """Edits that belong together: all are applied or none.

    A safe fix keeps what the author meant in every case; all others are unsafe.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


@dataclass(frozen=True)
class Finding:
    """One place where a rule has something to say.

    Lines and columns count from 1, columns in characters; the end is exclusive.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    name: str
    message: str
    severity: Severity = "error"
    fix: Fix | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """The order in which findings are printed, whatever the order in which they were made."""
        return (self.path, self.line, self.column, self.code, self.message)
