"""The lines of a large log that are kept: those with words of errors, and the lines below them."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ahocorasick_rs import BytesAhoCorasick, Implementation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BLOCK = 1 << 20
_LONGEST_LINE = 8_000
_AFTER_STRONG, _AFTER_WEAK = 40, 3
"""Lines below a line with a word that may belong to it."""
_WINDOW_BEFORE, _WINDOW_AFTER = 200, 3_000
_TELLING = 8
"""Characters of a literal that is not found everywhere."""
_MOST_TOGETHER = 32_000
"""Bytes of lines that follow each other which are kept or dropped as one."""
_WINDOWS = 8
"""Places that are kept of a line that is longer than any message."""
_HEAD, _TAIL = 1_500_000, 1_500_000
"""Bytes that are kept from the begin and from the end, of each kind of line."""
_STRONG = (
    "Traceback (most recent", '  File "', "Root Cause", "terminate called", "of binary:",
    "Error: ", "Exception: ", "fault", "Unsupported", "undefined symbol", ": task",
)  # fmt: skip
_WEAK = (
    "Error", "ERROR", "error:", "Exception", "WARN", "fail", "Fail", "abort", "Abort", "cannot",
    "Cannot", "No such", "not found", "denied", "illed", "timeout", "rank      :", "exitcode",
)  # fmt: skip


@dataclass
class _Ends:
    """The first and the last lines of a kind, each with its number, within a limit of bytes."""

    head: list[tuple[int, bytes]] = field(default_factory=list)
    tail: deque[tuple[int, bytes]] = field(default_factory=deque)
    is_cut: bool = False
    _head_size: int = 0
    _tail_size: int = 0

    def add(self, number: int, line: bytes) -> None:
        size = len(line) + 1
        if self._head_size + size <= _HEAD:
            self._head_size += size
            self.head.append((number, line))
            return
        self._head_size = _HEAD  # what comes later is not in front
        self.tail.append((number, line))
        self._tail_size += size
        while self._tail_size > _TAIL:
            self.is_cut = True
            self._tail_size -= len(self.tail.popleft()[1]) + 1


class Selection:
    """The lines selected so far of a log that comes in blocks."""

    def __init__(self, literals: Iterable[str] = ()) -> None:
        """``literals`` are texts of messages; a line with a long one counts like a traceback."""
        own = [each for each in dict.fromkeys(literals) if each]
        self._strong = _search([*_STRONG, *(each for each in own if len(each) >= _TELLING)])
        self._weak = _search([*_WEAK, *(each for each in own if len(each) < _TELLING)])
        self._digest = hashlib.sha256()
        self._kept = (_Ends(), _Ends())
        self._rest = b""
        self._number = 0
        self._left = 0
        self._kind = 0

    def add(self, raw: bytes, block: bytes) -> None:
        """Take the next bytes as they were read, and as UTF-8; the last line waits for its end."""
        self._digest.update(raw)
        data = self._rest + block
        end = data.rfind(b"\n") + 1
        if not end and len(data) > _BLOCK:  # a line that is longer than a block
            end = len(data) - _WINDOW_AFTER
        self._rest = data[end:]
        if end:
            self._take(data[:end])

    def end(self) -> tuple[str, str, bool]:
        """Return the kept lines in order, the hash of all, and whether lines were left out."""
        if self._rest:
            self._take(self._rest)
        rows = [row for ends in self._kept for row in (*ends.head, *ends.tail)]
        rows.sort(key=lambda row: row[0])
        text = b"\n".join(line for _, line in rows).decode("utf-8", "replace")
        return text, self._digest.hexdigest(), any(each.is_cut for each in self._kept)

    def _take(self, data: bytes) -> None:
        strong = [start for _, start, _ in self._strong.find_matches_as_indexes(data)]
        weak = [start for _, start, _ in self._weak.find_matches_as_indexes(data)]
        if not strong and not weak and not self._left:
            return
        strong.append(len(data) + 1)
        weak.append(len(data) + 1)
        at = begin = of_strong = of_weak = 0
        while at < len(data):
            if not self._left:
                self._keep(data, begin, at)
                next_hit = min(strong[of_strong], weak[of_weak])
                if next_hit > len(data):
                    return
                at = begin = max(at, data.rfind(b"\n", at, next_hit) + 1)
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            first = of_strong
            while strong[of_strong] < end:
                of_strong += 1
            is_weak = weak[of_weak] < end
            while weak[of_weak] < end:
                of_weak += 1
            before = self._kind
            if of_strong > first:
                self._left, self._kind = _AFTER_STRONG, 0
            elif is_weak and not (self._left and before == 0):
                self._left, self._kind = _AFTER_WEAK, 1
            else:
                self._left -= 1
            is_long = end - at > _LONGEST_LINE
            if before != self._kind or is_long or at - begin > _MOST_TOGETHER:
                self._keep(data, begin, at, before)
                begin = at
            if is_long:
                for each in _pieces(data, at, end, strong[first:of_strong]):
                    self._keep(each, 0, len(each))
                begin = end + 1
            at = end + 1
        self._keep(data, begin, len(data))

    def _keep(self, data: bytes, begin: int, end: int, kind: int | None = None) -> None:
        """Keep lines that follow each other as one row."""
        if begin < end:
            self._number += 1
            lines = data[begin:end].removesuffix(b"\n")
            self._kept[self._kind if kind is None else kind].add(self._number, lines)


def _pieces(data: bytes, at: int, end: int, hits: Sequence[int]) -> list[bytes]:
    """Return the places of a very long line in which something was found."""
    pieces = [data[at : at + _WINDOW_AFTER]]
    reached = at + _WINDOW_AFTER
    chosen = hits if len(hits) <= 2 * _WINDOWS else (*hits[:_WINDOWS], *hits[-_WINDOWS:])
    for hit in chosen:
        if hit + _WINDOW_BEFORE > reached:
            start = max(reached, hit - _WINDOW_BEFORE)
            reached = min(end, hit + _WINDOW_AFTER)
            pieces.append(data[start:reached])
    return pieces


def _search(words: list[str]) -> BytesAhoCorasick:
    patterns = [each.encode() for each in words]
    return BytesAhoCorasick(patterns, implementation=Implementation.DFA)
