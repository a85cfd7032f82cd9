"""Reading the messages of an editor: a header that says no length ends the conversation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

_HEADER = re.compile(rb"(?P<name>[!-9;-~]+):[ \t]*(?P<value>[^\r\n]*?)[ \t]*\r?\n")
_LENGTH = b"content-length"
_LONGEST_LINE = 1 << 12
_MOST_LINES = 20
_LARGEST = 1 << 30
"""Bytes of a message: none that an editor sends comes near."""


class MessageStream:
    """Gives each header of a stream as pygls reads it, and the body that follows.

    Behind a header that is damaged nobody knows where the next message begins. The stream ends
    there, as though the editor were gone, and ``problem`` says why: an editor starts a server
    again that has ended, and waits for one that only skips what it cannot read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Take the stream of an editor."""
        self._stream = stream
        self._in_header = False
        self.problem = ""

    def readline(self) -> bytes:
        """Return the line with the length, then the empty line; nothing at the end."""
        if self._in_header:
            self._in_header = False
            return b"\r\n"
        if self.problem:
            return b""
        try:
            length = self._length()
        except ValueError as error:
            self.problem = f"the editor sent {error}"
            return b""
        self._in_header = length > 0
        return b"Content-Length: %d\r\n" % length if length else b""

    def read(self, size: int) -> bytes:
        """Return the body of a message; nothing where it cannot be one."""
        body = self._stream.read(size)
        if len(body) < size:
            return b""
        if not (body.lstrip().startswith(b"{") and body.rstrip().endswith(b"}")):
            self.problem = f"the editor sent a message of {size} bytes that is not a JSON object"
            return b""
        return body

    def _length(self) -> int:
        """Read a header and return the length in it, 0 at the end. Raises ValueError."""
        lengths = set()
        for _ in range(_MOST_LINES):
            line = self._stream.readline(_LONGEST_LINE)
            if not line:
                return 0
            if line.strip(b"\r\n"):
                found = _HEADER.fullmatch(line)
                if found is None:
                    message = "an invalid header line"
                    raise ValueError(message)
                if found["name"].lower() == _LENGTH:
                    lengths.add(found["value"])
            elif lengths:
                return _number(lengths)
        message = "a header without a Content-Length"
        raise ValueError(message)


def _number(values: set[bytes]) -> int:
    """Return the one length that a header has. Raises ValueError."""
    (value, *others) = values
    digits = value.lstrip(b"0")
    length = int(digits) if digits.isdigit() and len(digits) < len(str(_LARGEST)) + 1 else 0
    if others or not 0 < length <= _LARGEST:
        message = "a Content-Length that is not a number of bytes"
        raise ValueError(message)
    return length
