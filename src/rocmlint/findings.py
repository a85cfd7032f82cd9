"""Reports of a rule: findings, the edits that fix them, and claims; data without behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

Severity = Literal["error", "warning", "note"]
"""error: the run fails, or other code runs than written; warning: it costs or breaks here; note: it
is true, and whether it matters is unknown.
"""

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The most severe first."""
RESERVED = "ROC"
"""How the codes of the built-in rules begin, in this version and all later ones."""
UNREADABLE_FILE = "ROC900"
"""The code of what says that a file could not be read, decoded or parsed."""


class Cell(NamedTuple):
    """Where in a notebook a place is.

    ``number`` counts all cells from 1, as editors do. The lines of a place count through the code
    of all cells: ``above`` of them precede the cell. ``file_line`` is where the place begins in
    the JSON of the file.
    """

    number: int
    above: int
    file_line: int


class Point(NamedTuple):
    """Where a place begins and ends, as a person counts: in a notebook from the cell's first line.

    ``cell`` is None in other files.
    """

    cell: int | None
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        """Write the start of the place, as it follows the path."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{cell}{self.line}:{self.column}"


@dataclass(frozen=True, order=True)
class Edit:
    """Replace a range of text.

    Lines and columns count from 1, columns in characters; the end is exclusive. ``was`` is what
    the rule expects there, whatever the blanks: if something else is, nothing is done.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str
    was: str | None = field(default=None, compare=False, kw_only=True)
    cell: Cell | None = field(default=None, compare=False, kw_only=True)

    @property
    def shown(self) -> Point:
        """The place as a person counts."""
        return _shown(self)


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
    line, ``command`` is the ``rocmlint verify`` command that proves it, empty where the code does
    not say what to run. ``given`` is what the code says besides the subject, such as the path of
    the directory that files are copied from. ``optional``: the code works without it. ``by``
    is what replaces the subject: the dotted name of an import, or behind a colon the qualified name
    of a function of the same file (none for a lambda); of a call, ``maker(first argument)``; empty
    where the code does not say it. ``faked`` says that the code makes a check of it pass whatever
    is there, which stays a fault where the statement is true. ``too_high`` says that a copy goes to
    the directory that holds the package, where no import looks.
    """

    kind: ClaimKind
    subject: str
    statement: str
    command: str
    given: str = ""
    optional: bool = False
    path: str = ""
    line: int = 0
    by: str = ""
    faked: bool = False
    too_high: bool = False


@dataclass(frozen=True, order=True)
class Related:
    """Another place that a finding comes from, such as the command that installs a list.

    ``message`` says what is there.
    """

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """Write the place, then what is there."""
        return f"{self.path}:{self.line}:{self.column} {self.message}"


@dataclass(frozen=True)
class Finding:
    """One place where a rule found something.

    Lines and columns count from 1, columns in characters; the end is exclusive. Those of a notebook
    count through the code of all its cells; ``cell`` says in which the place is. ``message`` names
    the fault in one sentence of at most 100 characters, without a full stop; ``help`` says what to
    do about it in at most two.
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
    help: str = ""
    fix: Fix | None = None
    claims: tuple[Claim, ...] = ()
    cell: Cell | None = None
    once: str = ""
    """A text that is reported once a run: findings with the same text here are one.

    It is at its first place, of those with ``related`` places if there are any.
    """
    related: tuple[Related, ...] = ()

    @property
    def shown(self) -> Point:
        """The place as a person counts."""
        return _shown(self)

    @property
    def file_line(self) -> int:
        """The line of the file in which the finding begins: in a notebook a line of its JSON."""
        return self.line if self.cell is None else self.cell.file_line

    @property
    def explained(self) -> str:
        """The message and the help, for formats that have one field for both."""
        return f"{self.message}. {self.help}" if self.help else self.message

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that show, in the interpreter of the job, whether it is so."""
        return tuple(dict.fromkeys(claim.command for claim in self.claims if claim.command))

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """The order in which findings are printed, whatever the order in which they were made."""
        return (self.path, self.line, self.column, self.code, self.message)


_NAMED = 3
"""How many of the places in which an excuse was found are named in words."""


@dataclass(frozen=True)
class Excused:
    """A candidate of a rule that was kept back: where it is, by which excuse, and why.

    ``excuse`` is the name of a function among the rule's ``excuses``, ``reason`` the first line of
    its documentation. ``found_in`` are the places, from the root of the project, in which the
    excuse found that it holds: none where the file itself is enough, None where its kind is.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    name: str
    excuse: str
    reason: str
    found_in: tuple[str, ...] | None = None
    cell: Cell | None = None

    @property
    def origin(self) -> str:
        """The places in which the excuse was found, in words: three of them, and how many more."""
        if self.found_in is None:
            return ""
        left_out = len(self.found_in) - _NAMED
        named = [*self.found_in[:_NAMED], *([f"{left_out} more"] if left_out > 0 else [])]
        *first, last = named or ["this file"]
        return f"{', '.join(first)} and {last}" if first else last

    @property
    def shown(self) -> Point:
        """The place as a person counts."""
        return _shown(self)

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """The order in which they are printed."""
        return (self.path, self.line, self.column, self.code, self.excuse)


def _shown(place: Finding | Edit | Excused) -> Point:
    number, above = (None, 0) if place.cell is None else place.cell[:2]
    return Point(number, place.line - above, place.column, place.end_line - above, place.end_column)
