"""Changed code back into its notebook, in whose JSON nothing else changes."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.errors import RewriteError
from rocmlint.notebook.read import NotebookError, read, strings_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.notebook.read import CodeCell

_BOM = b"\xef\xbb\xbf"
_RAW_LINE = re.compile(r"(?P<body>(?:[^\\]|\\[^nr])*)(?P<end>(?:\\r\\n|\\r|\\n)?)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)", re.DOTALL)
_BEYOND_ASCII = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")


class _Line(NamedTuple):
    """A line of a cell as it is written in the JSON, and its end there.

    ``closes`` says whether one of the strings that make the source ends with it.
    """

    body: str
    end: str
    closes: bool


def put_back(data: bytes, text: str) -> bytes:
    """Return the bytes of a notebook with the changed text of its cells (``Notebook.text``).

    Cells that have not changed stay byte for byte, and so do the lines of the others. Raises
    RewriteError where that cannot be done.
    """
    before = read(data)
    texts = texts_of(text)
    if len(texts) != len(before.cells):
        message = "the change would move code from one cell to another"
        raise RewriteError(message)
    changed = [(cell, new) for cell, new in zip(before.cells, texts, strict=True)]
    after = before.json
    for cell, new in reversed(changed):
        if new != cell.text:
            source = _source(before.json, cell, new, before.cells)
            after = after[: cell.start] + source + after[cell.end :]
    result = (_BOM if data.startswith(_BOM) else b"") + after.encode()
    if not _reads_as(result, text):
        message = "its text cannot be written back unchanged"
        raise RewriteError(message)
    return result


def _reads_as(data: bytes, text: str) -> bool:
    try:
        return read(data).text == text
    except NotebookError:
        return False


def _source(text: str, cell: CodeCell, new: str, cells: Iterable[CodeCell]) -> str:
    """Write the source of a cell: in one string or in one for each line, as it was."""
    strings = [text[start + 1 : end - 1] for _, start, end in strings_of(text, cell)]
    before = _raw_lines(strings, cell)
    spelling = _Spelling(text, cells)
    lines = _merged(before, cell.text.split("\n"), new.split("\n"), spelling)
    written = [""]
    for line in lines:
        written[-1] += line.body + line.end
        if line.closes and line.end:
            written.append("")
    if not text.startswith("[", cell.start):
        return f'"{"".join(written)}"'
    if not written[-1] and strings[-1:] != [""]:
        written.pop()
    opening, between, closing = _frame(text, cell)
    return f"[{opening}{between.join(f'{chr(34)}{each}{chr(34)}' for each in written)}{closing}]"


def _raw_lines(strings: Sequence[str], cell: CodeCell) -> list[_Line]:
    """Cut the strings of a source, as they are written, into lines."""
    lines: list[_Line] = []
    for string in strings or [""]:
        if lines and not lines[-1].end:
            message = f"the source of cell {cell.number} is not split at its lines"
            raise RewriteError(message)
        parts = [match for match in _RAW_LINE.finditer(string) if match[0]]
        lines += [_Line(part["body"], part["end"], part is parts[-1]) for part in parts]
    if not lines or lines[-1].end:
        lines.append(_Line("", "", closes=True))
    if [json.loads(f'"{line.body}"') for line in lines] != cell.text.split("\n"):
        message = f"the line endings of cell {cell.number} are not those that notebooks use"
        raise RewriteError(message)
    return lines


def _merged(
    before: Sequence[_Line], old: list[str], new: list[str], spelling: _Spelling
) -> Iterator[_Line]:
    """Yield the new lines: those that were there as they were written."""
    ends = [line.end for line in before if line.end]
    end = max(sorted(set(ends)), key=ends.count, default="\\n")
    usual = _Line("", end, closes=not ends or any(line.closes for line in before[:-1]))
    last = len(new) - 1
    same = SequenceMatcher(None, old, new, autojunk=False)
    for _, start, stop, first, until in same.get_opcodes():
        kept = old[start:stop] == new[first:until]
        for index in range(first, until):
            at = start + index - first
            body = before[at].body if kept else spelling.of(new[index])
            near = before[min(at, max(0, stop - 1))]
            like = near if near.end else usual
            yield _Line(body, "" if index == last else like.end, like.closes)


def _frame(text: str, cell: CodeCell) -> tuple[str, str, str]:
    """Return what stands before, between and behind the strings of a cell's source."""
    places = [(start, end) for _, start, end in strings_of(text, cell)]
    if not places:
        return "", ", ", ""
    opening = text[cell.start + 1 : places[0][0]]
    between = f",{opening}" if opening else ", "
    if len(places) > 1:
        between = text[places[0][1] : places[1][0]]
    return opening, between, text[places[-1][1] : cell.end - 1]


class _Spelling:
    """How a notebook writes characters: escaped or not."""

    def __init__(self, text: str, cells: Iterable[CodeCell]) -> None:
        escapes = {
            escape for cell in cells for escape in _ESCAPE.findall(text, cell.start, cell.end)
        }
        self._escapes = {json.loads(f'"{escape}"'): escape for escape in sorted(escapes)}
        self._ascii = text.isascii() and _BEYOND_ASCII.search(text) is not None

    def of(self, line: str) -> str:
        return "".join(self._escapes.get(each) or self._plain(each) for each in line)

    def _plain(self, character: str) -> str:
        return json.dumps(character, ensure_ascii=self._ascii)[1:-1]
