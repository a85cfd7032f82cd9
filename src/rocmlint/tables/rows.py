"""From the rows of a table to repositories: a row that cannot be used is an error of its own.

What is made of a table does not depend on the order of its rows: an engine may run a task again.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from rocmlint.disk.memory import Missing
from rocmlint.errors import RocmlintError
from rocmlint.source.decoding import encoding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.disk.memory import Content

COLUMNS = ("repository", "path", "content")
"""The columns that are read; all others are left alone."""
_LONGEST_PATH = 4096
_MOST_FOLDERS = 256
"""Deeper than any project: what looks for the root of one goes up folder by folder."""
_HEAD = 400
"""Bytes at the top in which a file may name its encoding."""


class RowProblem(NamedTuple):
    """An error in one line; ``path`` is None where it is not about one file."""

    path: str | None
    text: str


class _Row(NamedTuple):
    repository: str | None
    path: str | None
    content: Content
    problem: str | None
    """Why the row cannot be used."""


@dataclass
class TableRepository:
    """The files of a repository that are in a table; ``name`` is None for rows without one."""

    name: str | None
    contents: dict[str, Content] = field(default_factory=dict)
    """By path, in its shortest form."""
    given: dict[str, str] = field(default_factory=dict)
    """How the table writes each of these paths."""
    problems: list[RowProblem] = field(default_factory=list)

    def add(self, path: str, content: Content) -> None:
        """Add a file; of several with one path none counts, unless they are the same."""
        plain = posixpath.normpath(path)
        known = self.contents.setdefault(plain, content)
        self.given[plain] = min(path, self.given.get(plain, path))
        if known is not content and known != content:
            self.contents[plain] = Missing("is in the table more than once, with other content")

    def take_out_folders(self) -> None:
        """Leave out files whose path is that of a directory of others."""
        folders = {above for path in self.contents for above in _above(path)}
        for path in sorted(folders & self.contents.keys()):
            del self.contents[path]
            self.problems.append(RowProblem(self.given[path], "is both a file and a directory"))


def repositories(table: pa.Table | pa.RecordBatch) -> list[TableRepository]:
    """Return the repositories in a table, sorted by their names.

    Raises RocmlintError where a column is missing or has another type.
    """
    found: dict[str | None, TableRepository] = {}
    for row in _rows(table):
        repository = found.setdefault(row.repository, TableRepository(row.repository))
        if row.problem is not None:
            repository.problems.append(RowProblem(row.path, row.problem))
        elif row.path is not None:
            repository.add(row.path, row.content)
    for each in found.values():
        each.take_out_folders()
    return sorted(found.values(), key=lambda each: each.name or "")


def in_whole_repositories(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield tables with whole repositories, where the rows of each follow one another.

    The last repository of a batch may go on in the next: no more than it is held back.
    """
    waiting: list[pa.RecordBatch] = []
    last: bytes | None = None
    for batch in batches:
        _check_columns(batch)
        names = [each if each is None else bytes(each) for each in bytes_in(batch, COLUMNS[0])]
        if not names:
            continue
        start = len(names)
        while start and names[start - 1] == names[-1]:
            start -= 1
        if start or (waiting and names[0] != last):
            yield pa.Table.from_batches([*waiting, batch.slice(0, start)])
            waiting = []
        waiting.append(batch.slice(start))
        last = names[-1]
    if waiting:
        yield pa.Table.from_batches(waiting)


def _check_columns(table: pa.Table | pa.RecordBatch) -> None:
    missing = [name for name in COLUMNS if name not in table.schema.names]
    if missing:
        message = f"the table has no column {missing[0]!r}; it must have {', '.join(COLUMNS)}"
        raise RocmlintError(message)


def _rows(table: pa.Table | pa.RecordBatch) -> Iterator[_Row]:
    _check_columns(table)
    is_text = not _is_binary(table.schema.field("content").type)
    for name, path, content in zip(*(bytes_in(table, each) for each in COLUMNS), strict=True):
        unnamed = _wrong("repository", name)
        repository = None if unnamed else _text_of(name)
        shown = _text_of(path)
        wrong = unnamed or _wrong("path", path) or _refusal(shown or "")
        if wrong is not None:
            yield _Row(repository, shown, b"", wrong)
        else:
            yield _Row(repository, shown, _content(content, shown or "", is_text=is_text), None)


def _is_binary(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(
        check(kind)
        for check in (
            pa.types.is_binary,
            pa.types.is_large_binary,
            pa.types.is_binary_view,
            pa.types.is_fixed_size_binary,
        )
    )


def bytes_in(table: pa.Table | pa.RecordBatch, name: str) -> Iterator[memoryview | None]:
    """Yield what a column has in each row, without a copy. Raises RocmlintError."""
    column = table.column(name)
    try:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        column = column.cast(pa.large_binary())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        message = f"the column {name!r} must be of strings or binary, not {column.type}"
        raise RocmlintError(message) from error
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else (column,):
        for each in chunk:
            buffer = each.as_buffer()
            yield None if buffer is None else memoryview(buffer)


def _wrong(column: str, value: memoryview | None) -> str | None:
    """Return why a row cannot be used because of its repository or path."""
    if value is None:
        return f"the row has no {column}"
    try:
        str(value, "utf-8")
    except UnicodeDecodeError:
        return f"the {column} is not UTF-8"
    return None


def _text_of(value: memoryview | None) -> str | None:
    return None if value is None else str(value, "utf-8", "backslashreplace")


def _refusal(path: str) -> str | None:
    """Return why a path is not that of a file in a repository."""
    parts = path.split("/")
    is_strange_here = os.sep != "/" and any(each in path for each in (os.sep, ":"))
    if "\0" in path or path.startswith("/") or ".." in parts or is_strange_here:
        return "the path is not relative to the repository"
    if posixpath.normpath(path) == "." or not parts[-1]:
        return "the path names no file"
    if len(path) > _LONGEST_PATH or len(parts) > _MOST_FOLDERS:
        return "the path is too long"
    return None


def _content(value: memoryview | None, path: str, *, is_text: bool) -> Content:
    if value is None:
        return Missing("has no content in the table")
    return _as_it_was(path, value) if is_text else value


def _as_it_was(path: str, text: memoryview) -> Content:
    """Return a text in the encoding that it names itself, as in the file that it was read from."""
    if b"coding" not in bytes(text[:_HEAD]):
        return text
    data = bytes(text)
    try:
        encoding = encoding_of(path, data)
        return text if encoding.startswith("utf-8") else data.decode().encode(encoding)
    except (SyntaxError, ValueError, LookupError):
        return text


def _above(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path
