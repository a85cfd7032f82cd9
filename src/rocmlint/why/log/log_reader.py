"""Reading a log of any size: only what may be part of an error is kept."""

from __future__ import annotations

import codecs
import hashlib
from typing import TYPE_CHECKING, BinaryIO

from rocmlint.errors import RocmlintError
from rocmlint.why.log.clean import cleaned
from rocmlint.why.log.log_data import Log
from rocmlint.why.log.order import binary_in, failure_in, ordered
from rocmlint.why.log.streams import chains_of_all
from rocmlint.why.log.unescape import lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.why.log.selection import Selection

_BLOCK = 1 << 20
_SMALL = 1 << 20
"""Bytes of a log that is read whole."""
_SAMPLE = 1 << 16
_CONTROLS = bytes({*range(9), *range(14, 27), *range(28, 32)})
_MOST_CONTROLS = 0.02
_COMPRESSED = {
    b"\x1f\x8b": "gunzip",
    b"BZh": "bunzip2",
    b"\xfd7zXZ": "unxz",
    b"(\xb5/\xfd": "unzstd",
}
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class UnreadableLogError(RocmlintError):
    """The input is not a text; the message says what it is."""


def read_text(text: str) -> Log:
    """Read a text that is in memory."""
    data = text.encode("utf-8", "surrogatepass")
    return _log(text, hashlib.sha256(data).hexdigest(), len(data))


def read_stream(stream: BinaryIO, literals: Iterable[str] = ()) -> Log:
    """Read a file or a pipe in blocks; what may matter of a large one is kept.

    ``literals`` are texts of messages that are looked for besides the words of errors. Raises
    UnreadableLogError for what is empty, compressed or not a text.
    """
    kept = KeptLines(literals)
    block = stream.read(_BLOCK)
    _refuse_binary(block[:_SAMPLE])
    while block:
        kept.add(block)
        block = stream.read(_BLOCK)
    text, sha256, is_cut = kept.end()
    if kept.size <= _SMALL and not text.strip():
        message = "the log is empty"
        raise UnreadableLogError(message)
    return _log(text, sha256, kept.size, cut=is_cut)


def read_kept(parts: Iterable[KeptLines]) -> Log:
    """Read what was kept of the streams of a job, one after the other."""
    ended = [(*each.end(), each.size) for each in parts]
    text = "\n".join(each[0] for each in ended)
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _log(text, sha256, sum(each[3] for each in ended), cut=any(each[2] for each in ended))


class KeptLines:
    """The lines to keep of a log that comes in blocks: all of a small one."""

    def __init__(self, literals: Iterable[str] = ()) -> None:
        """``literals`` as :func:`read_stream` has them."""
        self.size = 0
        self._literals = tuple(literals)
        self._blocks: list[bytes] = []
        self._selection: Selection | None = None
        self._decoded: Callable[[bytes], bytes] = bytes

    def add(self, block: bytes) -> None:
        """Take the next bytes, at most some megabytes."""
        if not self.size:
            self._decoded = _decoder(block)
        self.size += len(block)
        self._blocks.append(block)
        if self._selection is None and self.size > _SMALL:
            from rocmlint.why.log.selection import Selection  # noqa: PLC0415 - large logs

            self._selection = Selection(self._literals)
        if self._selection is not None:
            for each in self._blocks:
                self._selection.add(each, self._decoded(each))
            self._blocks = []

    def end(self) -> tuple[str, str, bool]:
        """Return the text, the hash of all that was read, and whether lines were left out."""
        if self._selection is not None:
            return self._selection.end()
        data = b"".join(self._blocks)
        text = self._decoded(data).decode("utf-8", "replace")
        return text, hashlib.sha256(data).hexdigest(), False


def _decoder(first: bytes) -> Callable[[bytes], bytes]:
    """Return what turns blocks into UTF-8: PowerShell writes logs in UTF-16."""
    encoding = next((name for mark, name in _MARKS.items() if first.startswith(mark)), "")
    if not encoding:
        return bytes
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return lambda block: decoder.decode(block).encode("utf-8", "surrogatepass")


def _refuse_binary(sample: bytes) -> None:
    program = next((name for mark, name in _COMPRESSED.items() if sample.startswith(mark)), "")
    if program:
        message = f"is compressed; unpack it: {program} -c FILE | rocmlint why -"
        raise UnreadableLogError(message)
    if any(map(sample.startswith, _MARKS)):
        return
    text = sample.lstrip(b"\0")  # of a log that was cut while a program wrote it
    controls = len(text) - len(text.translate(None, _CONTROLS))
    if controls > max(8, len(text) * _MOST_CONTROLS) or (sample and not text):
        message = "is not a text; name a log, or - for standard input"
        raise UnreadableLogError(message)


def _log(text: str, sha256: str, size: int, *, cut: bool = False) -> Log:
    lines = cleaned(lines_of(text))
    failure = failure_in(lines)
    chains = ordered(chains_of_all(lines), failure)
    kept = tuple(each.text for each in lines)
    return Log(chains, kept, sha256, size, cut, failure, binary_in(lines))
