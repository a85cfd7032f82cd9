"""Walking forwards through bytes that lie in memory or are being decoded, the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rocmlint.verify.code_objects.compression import check_image
from rocmlint.verify.code_objects.file_errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Cursor(Protocol):
    """A place in a run of bytes that only moves forwards."""

    position: int
    size: int
    """Of all, in bytes."""

    def take(self, count: int) -> bytes | memoryview:
        """Return the next bytes. Raises UnreadableError where there are fewer."""

    def skip(self, count: int) -> None:
        """Leave the next bytes out. Raises UnreadableError where there are fewer."""


def check_left(cursor: Cursor, count: int) -> None:
    """Raise UnreadableError where fewer bytes are left."""
    if not 0 <= count <= cursor.size - cursor.position:
        left = cursor.size - cursor.position
        message = f"cut off: {count:,} bytes expected at {cursor.position:,}, {left:,} are left"
        raise UnreadableError(message)


class BytesInMemory:
    """Over bytes that lie in memory; nothing is copied."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self.position = 0
        self.size = len(data)

    def take(self, count: int) -> memoryview:
        """Return a view of the next bytes."""
        start = self.position
        self.skip(count)
        return self._data[start : self.position]

    def skip(self, count: int) -> None:
        """Move on."""
        check_left(self, count)
        self.position += count


class Decoding:
    """Over chunks as they are decoded; holds no more than one and what is asked for."""

    def __init__(self, chunks: Iterator[bytes], size: int) -> None:
        """Take the chunks and the size that they should have together."""
        self._chunks = chunks
        self._chunk = memoryview(b"")
        self.position = 0
        self.size = size

    def take(self, count: int) -> bytes:
        """Return a copy of the next bytes."""
        check_left(self, count)
        check_image(count)
        taken = bytearray()
        while len(taken) < count:
            taken += self._some(count - len(taken))
        return bytes(taken)

    def skip(self, count: int) -> None:
        """Decode and forget."""
        check_left(self, count)
        goal = self.position + count
        while self.position < goal:
            self._some(goal - self.position)

    def _some(self, count: int) -> memoryview:
        """Return at least one byte and not more than so many."""
        while not self._chunk:
            # The chunks check their own sum, so they never end early without an error.
            self._chunk = memoryview(next(self._chunks))
        some, self._chunk = self._chunk[:count], self._chunk[count:]
        self.position += len(some)
        return some

    def finish(self) -> None:
        """Decode what is left, so that size and hash of all are checked."""
        for _ in self._chunks:
            pass
