"""What differs between two texts, as the edits of the protocol."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from lsprotocol import types

from rocmlint.editors.server.documents import Placed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pygls.workspace import TextDocument

_END = re.compile(r"\r\n|\r|\n")


def text_edits(document: TextDocument, after: str) -> list[types.TextEdit]:
    r"""Return the edits that make a document what is given with ``\n`` line ends.

    New lines end as most of the document's do.
    """
    placed = Placed.of(document)
    before = "\n".join(placed.lines)
    ends = _END.findall(document.source)
    end = max(sorted(set(ends)), key=ends.count, default="\n")
    edits = []
    for start, stop, replacement in differences(before, after):
        places = (_place(before, offset) for offset in (start, stop))
        found = types.Range(*(placed.position(*place) for place in places))
        edits.append(types.TextEdit(found, replacement.replace("\n", end)))
    return edits


def differences(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """Yield the ranges of a text that others replace: whole lines compared, then characters."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    same = _alike(old, new)
    tail = _alike(old[same:][::-1], new[same:][::-1])
    at = sum(map(len, old[:same]))
    old, new = old[same : len(old) - tail], new[same : len(new) - tail]
    for _, start, stop, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        left, right = "".join(old[start:stop]), "".join(new[first:last])
        if left != right:
            offset = at + sum(map(len, old[:start]))
            head = _alike(left, right)
            end = _alike(left[head:][::-1], right[head:][::-1])
            yield offset + head, offset + len(left) - end, right[head : len(right) - end]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the equal lines or characters at the start of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next(
        (number for number, (left, right) in pairs if left != right), min(len(one), len(other))
    )


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
