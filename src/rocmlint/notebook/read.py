"""Notebooks: the code of their cells as one text, and where each line of it stands.

The text of a cell goes on with the next after a line that is ``MARK``: form feeds, which mean
nothing to Python. Cells are counted as editors do, from 1, with those that hold no code.
"""

from __future__ import annotations

import json
import re
import shlex
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocmlint.findings import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.findings import Edit, Excused, Finding

MARK = "\f\f\f"
_MARKS = re.compile(rf"^{MARK}\n", re.MULTILINE)
_CLASHES = re.compile(rf"^{MARK}$", re.MULTILINE)
_EMPTIED = re.compile(rf"(?:\A|(?<=^{MARK}\n))(?={MARK}\n)|(?<=^{MARK}\n)\Z", re.MULTILINE)
_BLANKS = re.compile(r"[ \t\n\r]*")
_OTHER_KERNELS = re.compile(r"(?i:ir$|julia|bash|javascript|deno|dotnet|\.net|scala|rust|xcpp)")
_NO_TEXT = "This cell's source is not text"


class NotebookError(ValueError):
    """A file that is not a notebook, and where in its JSON that shows."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        """Say why, and where (both from 1)."""
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True)
class CodeCell:
    r"""One cell with code.

    ``text`` has ``\n`` line ends, ``above`` says how many lines of the joined text stand above it,
    ``start`` and ``end`` where its source stands in the JSON. ``problem`` is why there is no text.
    """

    number: int
    above: int
    text: str
    start: int
    end: int
    problem: str = ""


@dataclass(frozen=True)
class Notebook:
    """The cells with code of one notebook, its JSON, and the texts of its other cells."""

    json: str
    cells: tuple[CodeCell, ...]
    prose: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """The text of all cells."""
        return f"\n{MARK}\n".join(cell.text for cell in self.cells) + "\n" if self.cells else ""

    def placed(self, finding: Finding) -> Finding:
        """Return a finding that knows its cell.

        A fix that would reach from cell to cell goes, and so do claims that are proven by running
        the file or its project: ``rocmlint verify`` and ``python`` take no notebook.
        """
        if not self.cells:
            return finding
        fix = finding.fix
        if fix is not None:
            edits = tuple(replace(each, cell=self.cell_of(each)) for each in fix.edits)
            fix = replace(fix, edits=edits) if all(map(self._stays_inside, edits)) else None
        here = shlex.quote(finding.path)
        claims = tuple(each for each in finding.claims if here not in each.command)
        return replace(finding, cell=self.cell_of(finding), fix=fix, claims=claims)

    def cell_of(self, place: Finding | Edit | Excused) -> Cell | None:
        """Return the cell that a place is in, None where there are no cells."""
        if not self.cells:
            return None
        cell = self._at(place.line)
        return Cell(cell.number, cell.above, self._line_in_file(cell, place.line - cell.above))

    def _at(self, line: int) -> CodeCell:
        """Return the cell with a line of the text."""
        index = bisect_left([cell.above for cell in self.cells], line)
        return self.cells[max(0, index - 1)]

    def _stays_inside(self, edit: Edit) -> bool:
        cell = self._at(edit.line)
        behind = cell.above + cell.text.count("\n") + 2
        return edit.line < behind and (edit.end_line, edit.end_column) <= (behind, 1)

    def _line_in_file(self, cell: CodeCell, line: int) -> int:
        """Return the line of the JSON in which a line of a cell begins."""
        start, ends = cell.start, 0
        for text, start, _ in strings_of(self.json, cell):  # noqa: B007 - where the walk stops
            ends_before, ends = ends, ends + text.replace("\r\n", "\n").count("\n")
            if ends_before == line - 1 or ends > line - 1:
                break
        return self._file_lines[cell.start] + self.json.count("\n", cell.start, start)

    @cached_property
    def _file_lines(self) -> dict[int, int]:
        """The lines of the JSON in which sources begin, by their offsets."""
        found: dict[int, int] = {}
        line, before = 1, 0
        for cell in self.cells:
            line += self.json.count("\n", before, cell.start)
            found[cell.start] = line
            before = cell.start
        return found


def read(data: bytes) -> Notebook:
    """Read a notebook; one of another language than Python has no cells.

    Raises NotebookError.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"cannot be decoded: {error}"
        raise NotebookError(reason) from error
    if not text.strip(" \t\n\r"):
        return Notebook(text, ())  # Jupyter and VS Code take an empty file for a new notebook
    try:
        return _Reader(text).notebook()
    except json.JSONDecodeError as error:
        reason = f"is not valid JSON: {_why_invalid(error)}"
        raise NotebookError(reason, error.lineno, error.colno) from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, NotebookError):
            raise
        reason = f"cannot be read as JSON: {error}"
        raise NotebookError(reason) from error


def looks_broken(data: bytes) -> bool:
    """Return whether the bytes show signs of not being a notebook: a cheap reason to look again."""
    inside = data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n")
    framed = inside.startswith(b"{") and inside.endswith(b"}")
    return (bool(inside) and not framed) or b"\n<<<<<<< " in data or b"\0" in data


def texts_of(text: str) -> list[str]:
    """Return the texts of the cells that a joined text is made of."""
    return [each.removesuffix("\n") for each in _MARKS.split(text)] if text else []


def with_lines(text: str) -> str:
    """Return a joined text in which a cell that has lost all its lines has an empty one again."""
    return _EMPTIED.sub("\n", text)


def strings_of(text: str, cell: CodeCell) -> Iterator[tuple[str, int, int]]:
    """Yield the strings that a cell's source is made of, each with its place in the JSON."""
    if cell.problem:
        return
    if not text.startswith("[", cell.start):
        yield str(json.loads(text[cell.start : cell.end])), cell.start, cell.end
        return
    found: list[tuple[str, int, int]] = []
    reader = _Reader(text)

    def item(at: int) -> int:
        value, end = reader.value(at)
        found.append((str(value), at, end))
        return end

    reader.array(cell.start, item)
    yield from found


class _Reader:
    """Walks through the JSON of a notebook, past its outputs, and notes where sources stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._decode = json.JSONDecoder().raw_decode

    def notebook(self) -> Notebook:
        """Read the whole notebook."""
        facts: dict[str, Any] = {}
        places: dict[str, int] = {}

        def member(key: str, at: int) -> int:
            places[key] = at
            if key == "cells" and self.text.startswith("[", at):
                facts[key] = []
                return self.array(at, lambda at: self._cell(at, facts["cells"]))
            facts[key], end = self.value(at)
            return end

        start = self._blank(0)
        if not self.text.startswith("{", start):
            self.value(start)
            message = "is JSON, but not a notebook"
            raise NotebookError(message)
        end = self._blank(self._object(start, member))
        if end != len(self.text):
            message = "Extra data"
            raise json.JSONDecodeError(message, self.text, end)
        if not isinstance(facts.get("cells"), list):
            raise NotebookError(_why_no_cells(facts))
        cells = facts["cells"] if _is_python(facts.get("metadata")) else []
        return Notebook(self.text, tuple(_numbered(cells)), tuple(_prose(cells)))

    def _cell(self, start: int, cells: list[dict[str, Any]]) -> int:
        cell: dict[str, Any] = {}
        cells.append(cell)

        def member(key: str, at: int) -> int:
            value, end = self.value(at)
            if key in {"cell_type", "metadata", "execution_count", "outputs"}:
                cell[key] = value
            elif key == "source":
                cell.update(source=value, start=at, end=end)
            return end

        cell.update(start=start, end=start)
        if self.text.startswith("{", start):
            return self._object(start, member)
        return int(self.value(start)[1])

    def _object(self, at: int, member: Callable[[str, int], int]) -> int:
        def item(at: int) -> int:
            if not self.text.startswith('"', at):
                self._refuse("Expecting property name enclosed in double quotes", at)
            key, at = self.value(at)
            at = self._blank(at)
            if not self.text.startswith(":", at):
                self._refuse("Expecting ':' delimiter", at)
            return member(key, self._blank(at + 1))

        return self._items(at, "}", item)

    def array(self, at: int, item: Callable[[int], int]) -> int:
        """Walk through an array; ``item`` gets where each begins and gives where it ends."""
        return self._items(at, "]", item)

    def _items(self, at: int, closing: str, item: Callable[[int], int]) -> int:
        at = self._blank(at + 1)
        if self.text.startswith(closing, at):
            return at + 1
        while True:
            at = self._blank(item(at))
            if self.text.startswith(closing, at):
                return at + 1
            if not self.text.startswith(",", at):
                self._refuse("Expecting ',' delimiter", at)
            at = self._blank(at + 1)

    def value(self, at: int) -> tuple[Any, int]:
        """Return the value that begins somewhere, and where it ends."""
        return self._decode(self.text, at)

    def _blank(self, at: int) -> int:
        match = _BLANKS.match(self.text, at)
        return at if match is None else match.end()

    def _refuse(self, reason: str, at: int) -> None:
        raise json.JSONDecodeError(reason, self.text, at)


def _why_invalid(error: json.JSONDecodeError) -> str:
    """Say what is wrong with JSON, as a sentence that needs no place behind it."""
    behind = error.doc[error.pos :]
    in_string = error.msg.startswith("Invalid control character")
    if error.msg.startswith("Unterminated string") or (in_string and not behind.strip()):
        return "the file ends in the middle of a string"
    if not behind.strip():
        return "the file ends too early"
    if in_string:
        named = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}
        return f"{named.get(behind[0], f'the character U+{ord(behind[0]):04X}')} in a string"
    return error.msg.rstrip(": ")


def _why_no_cells(facts: dict[str, Any]) -> str:
    version = facts.get("nbformat")
    if "worksheets" in facts or version in {2, 3}:
        return (
            f"is a notebook of format {version}; formats before 4 are not supported: "
            "convert it with `jupyter nbconvert --to notebook --inplace`"
        )
    return "is JSON, but not a notebook: it has no cells"


def _prose(cells: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the texts of the cells in Markdown."""
    for cell in cells:
        if cell.get("cell_type") == "markdown":
            yield _text_of(cell.get("source"))[0]


def _numbered(cells: list[dict[str, Any]]) -> Iterator[CodeCell]:
    above = 0
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") == "code" and _is_python_cell(cell.get("metadata")):
            text, problem = _text_of(cell.get("source"))
            yield CodeCell(number, above, text, cell["start"], cell["end"], problem)
            above += text.count("\n") + 2


def _text_of(source: Any) -> tuple[str, str]:
    if isinstance(source, list) and all(isinstance(each, str) for each in source):
        source = "".join(source)
    if not isinstance(source, str):
        return "", _NO_TEXT
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    return _CLASHES.sub(" " * len(MARK), text), ""


def _is_python(metadata: Any) -> bool:
    """Return whether a notebook is in Python, which it is if nothing says otherwise."""
    about = metadata if isinstance(metadata, dict) else {}
    kernel, language = (about.get(key) for key in ("kernelspec", "language_info"))
    kernel = kernel if isinstance(kernel, dict) else {}
    name = language.get("name") if isinstance(language, dict) else None
    name = name or kernel.get("language")
    if isinstance(name, str):
        return "python" in name.lower()
    return not _OTHER_KERNELS.match(str(kernel.get("name", "")))


def _is_python_cell(metadata: Any) -> bool:
    """Return whether VS Code takes a cell for Python."""
    about = metadata.get("vscode") if isinstance(metadata, dict) else None
    language = about.get("languageId") if isinstance(about, dict) else None
    return language in {None, "python"}
