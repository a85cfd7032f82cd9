"""A file on a server of which only parts are read, by range requests: as zipfile reads a wheel."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.stack.indexes.fetch import FetchError
from rocmlint.text.secrets import without_password

if TYPE_CHECKING:
    from rocmlint.stack.indexes.fetch import IndexReader


class RangedFile:
    """A file at an address, read in blocks that are kept.

    The server says how long it is, and its content how much is to be read: neither is believed
    beyond ``most``.
    """

    def __init__(
        self, reader: IndexReader, url: str, *, block: int = 1 << 17, most: int = 1 << 23
    ) -> None:
        """Read the end, where a zip has the list of its files. Raises FetchError.

        ``block`` is the bytes of a request; ``most`` those of one reading and of all blocks.
        """
        self._reader, self._url, self._at = reader, url, 0
        self._block, self._most = block, most
        self.blocks: dict[int, bytes] = {}
        """Blocks that were read, by their number."""
        end = reader.get(url, {"Range": f"bytes=-{block}"}, most=block, status=206)
        self._tail = end.content
        self.length = end.total

    def seekable(self) -> bool:
        """Return that it can be read in any order."""
        return True

    def tell(self) -> int:
        """Return the place."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place."""
        self._at = max(0, (0, self._at, self.length)[whence] + offset)
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Read from the place on; fewer bytes where the server gives fewer. Raises FetchError."""
        left = max(0, self.length - self._at)
        wanted = left if size < 0 else min(size, left)
        if wanted > self._most:
            raise self._too_much()
        parts = []
        while wanted and (part := self._from_here(wanted)):
            parts.append(part)
            self._at += len(part)
            wanted -= len(part)
        return b"".join(parts)

    def block(self, number: int) -> bytes:
        """Return a block. Raises FetchError."""
        if number not in self.blocks:
            if (len(self.blocks) + 1) * self._block > self._most:
                raise self._too_much()
            last = min((number + 1) * self._block, self.length) - 1
            wanted = {"Range": f"bytes={number * self._block}-{last}"}
            found = self._reader.get(self._url, wanted, most=self._block, status=206)
            self.blocks[number] = found.content
        return self.blocks[number]

    def _from_here(self, size: int) -> bytes:
        """Return what is next, at most to the end of a block."""
        start = self.length - len(self._tail)
        if self._at >= start:
            return self._tail[self._at - start :][:size]
        number, inside = divmod(self._at, self._block)
        return self.block(number)[inside:][:size]

    def _too_much(self) -> FetchError:
        message = f"more than {self._most >> 20} MiB of it would have to be read"
        return FetchError(f"{without_password(self._url)}: {message}")
