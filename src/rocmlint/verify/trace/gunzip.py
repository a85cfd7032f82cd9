"""Gzip data as far as it goes: all that can be decoded of what is cut off or damaged."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedReader

MAGIC = b"\x1f\x8b"
CUT = "the gzip data stops in the middle"
DAMAGED = "the gzip data is damaged in the middle"
WRONG_SUM = "the checksum at the end of the gzip data is wrong"
_GZIP_WINDOW = 31
"""For zlib: a gzip header, and the largest window."""


class Gunzip:
    """A file that is decompressed; ``problem`` says why its data ended early."""

    def __init__(self, file: BufferedReader) -> None:
        self.problem = ""
        self._file = file
        self._inflate = zlib.decompressobj(_GZIP_WINDOW)
        self._input = b""

    def read(self, size: int) -> bytes:
        """Return some bytes, none only at the end."""
        while not self.problem:
            if self._inflate.eof and not self._next_member(size):
                return b""
            block = self._input or self._file.read(size)
            if not block:
                self.problem = CUT
                return self._inflate.flush()
            before = self._inflate.copy()
            try:
                decoded = self._inflate.decompress(block, size)
            except zlib.error as error:
                self.problem = _in_words(error)
                return _salvaged(before, block)
            self._input = self._inflate.unconsumed_tail
            if decoded:
                return decoded
        return b""

    def _next_member(self, size: int) -> bool:
        """Begin with what follows the end of compressed data; say whether it is compressed too."""
        rest = self._inflate.unused_data.lstrip(b"\0")
        while len(rest) < len(MAGIC) and (block := self._file.read(size)):
            rest = (rest + block).lstrip(b"\0")
        if rest and not rest.startswith(MAGIC):
            self.problem = "there is other data after the end of the gzip data"
        if self.problem or not rest:
            return False
        self._inflate, self._input = zlib.decompressobj(_GZIP_WINDOW), rest
        return True


def _in_words(error: zlib.error) -> str:
    # zlib's inflate.c: "incorrect data check" and "incorrect length check" are about the trailer.
    if "data check" in str(error) or "length check" in str(error):
        return WRONG_SUM
    return DAMAGED


def _salvaged(inflate: zlib._Decompress, block: bytes) -> bytes:
    """Return what comes out of a block before the place where it is damaged."""
    decoded = bytearray()
    try:
        for at in range(len(block)):
            decoded += inflate.decompress(block[at : at + 1])
    except zlib.error:
        pass
    return bytes(decoded)
