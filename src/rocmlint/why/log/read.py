"""Reading a log of any size: only what may be part of an error is kept."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from rocmlint.why.log.clean import Line, clean
from rocmlint.why.log.exceptions import chains_in
from rocmlint.why.log.shapes import Chain, Log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = 1 << 20
_SMALL = 2 << 20
"""Bytes of a log that is read whole."""
_HEAD, _TAIL = 6_000, 6_000
"""Interesting lines that are kept from the begin and the end of a larger one."""
_LONGEST_LINE = 8_000
_AFTER = 40
"""Lines after an interesting one that may belong to it."""
_WORDS = (
    "Traceback", "Error", "ERROR", "error:", "Exception", "WARN", '  File "', "fail", "Fail",
    "abort", "Abort", "fault", "cannot", "Cannot", "No such", "not found", "denied", "illed",
    "Unsupported", "timeout", "undefined", "Root Cause",
)  # fmt: skip
_ROOT_CAUSE = "Root Cause (first observed failure)"
_RANK = re.compile(r"\s*rank\s*:\s*(\d{1,6})")


def read_text(text: str) -> Log:
    """Read a text that is in memory."""
    data = text.encode("utf-8", "surrogatepass")
    return _log(text, hashlib.sha256(data).hexdigest(), len(data))


def read_stream(stream: BinaryIO, literals: Iterable[str] = ()) -> Log:
    """Read a file or a pipe in blocks; what may matter of a large one is kept.

    ``literals`` are texts of messages that are looked for besides the words of errors.
    """
    first = stream.read(_SMALL + 1)
    if len(first) <= _SMALL:
        return read_text(first.decode("utf-8", "replace"))
    selection = _Selection(tuple(dict.fromkeys((*_WORDS, *literals))))
    block = first
    while block:
        selection.add(block)
        block = stream.read(_BLOCK)
    selection.end()
    text = "\n".join((*selection.head, *selection.tail))
    return _log(text, selection.digest.hexdigest(), selection.size, cut=selection.is_cut)


@dataclass
class _Selection:
    """The lines of a large log that were selected so far."""

    words: tuple[str, ...]
    head: list[str] = field(default_factory=list)
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL))
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    size: int = 0
    is_cut: bool = False
    _rest: bytes = b""
    _left: int = 0

    def __post_init__(self) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation  # noqa: PLC0415 - large logs

        words = [each.encode() for each in self.words if each]
        self._search = BytesAhoCorasick(words, implementation=Implementation.DFA)

    def add(self, block: bytes) -> None:
        """Take the next bytes; the last line waits for its end."""
        self.digest.update(block)
        self.size += len(block)
        data = self._rest + block
        end = data.rfind(b"\n") + 1
        if not end and len(data) > _BLOCK:  # one line without an end
            data, end = data[:_LONGEST_LINE] + b"\n", _LONGEST_LINE + 1
        self._rest = data[end:]
        self._take(data[:end])

    def end(self) -> None:
        """Take the line that has no end."""
        self._take(self._rest)
        self._rest = b""

    def _take(self, data: bytes) -> None:
        starts = [start for _, start, _ in self._search.find_matches_as_indexes(data)]
        if not starts and not self._left:
            return
        at, index = 0, 0
        while at < len(data):
            if not self._left:
                while index < len(starts) and starts[index] < at:
                    index += 1
                if index == len(starts):
                    return
                at = data.rfind(b"\n", 0, starts[index]) + 1
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            while index < len(starts) and starts[index] < at:
                index += 1
            is_hit = index < len(starts) and starts[index] <= end
            self._left = _AFTER if is_hit else self._left - 1
            self._keep(data[at : min(end, at + _LONGEST_LINE)].decode("utf-8", "replace"))
            at = end + 1

    def _keep(self, line: str) -> None:
        if len(self.head) < _HEAD:
            self.head.append(line)
        else:
            self.is_cut = self.is_cut or len(self.tail) == _TAIL
            self.tail.append(line)


def _log(text: str, sha256: str, size: int, *, cut: bool = False) -> Log:
    lines = [clean(each) for each in _unescaped(text).split("\n")]
    chains = _first_failed_first(chains_in(lines), lines)
    return Log(chains, tuple(each.text for each in lines), sha256, size, cut)


def _unescaped(text: str) -> str:
    r"""Turn the ``\n`` of a log in JSON or of a repr into ends of lines."""
    if text.count("\n") <= 2 and (text.count("\\n") > 1 or "\\nTraceback" in text):
        return text.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
    return text


def _first_failed_first(chains: tuple[Chain, ...], lines: list[Line]) -> tuple[Chain, ...]:
    """Put the chain of the rank that torchrun calls the root cause in front of the echoes."""
    rank = next(_root_ranks(lines), None)
    if rank is None:
        return chains
    return tuple(sorted(chains, key=lambda each: each.rank != rank))


def _root_ranks(lines: list[Line]) -> Iterator[int]:
    for index, line in enumerate(lines):
        if _ROOT_CAUSE in line.text:
            for each in lines[index : index + 8]:
                found = _RANK.match(each.text)
                if found is not None:
                    yield int(found[1])
