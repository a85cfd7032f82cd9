"""What a rule reports: findings, the edits that mend them, and claims; data without behaviour."""

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


ClaimKind = Literal[
    "patched-files", "patch-check", "replacement", "origin", "fast-path", "kernel-package", "dtype"
]


@dataclass(frozen=True, order=True)
class Claim:
    """A statement about the running system that code makes or depends on.

    ``subject`` is what it is about (a package, a module, a function), ``statement`` says it in one
    line, ``command`` is the ``rocmlint verify`` command that proves it. ``given`` is what the code
    says beside the subject, such as the folder that files are copied from, as a path. ``optional``
    is what the code goes on without.
    """

    kind: ClaimKind
    subject: str
    statement: str
    command: str
    given: str = ""
    optional: bool = False
    path: str = ""
    line: int = 0


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
    claims: tuple[Claim, ...] = ()

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that show, in the interpreter of the job, whether it is so."""
        return tuple(dict.fromkeys(claim.command for claim in self.claims))

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """The order in which findings are printed, whatever the order in which they were made."""
        return (self.path, self.line, self.column, self.code, self.message)
