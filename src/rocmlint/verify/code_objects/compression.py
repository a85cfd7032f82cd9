"""Compressed offload bundles (``CCOB``), decoded as a stream and checked against their own hash."""

from __future__ import annotations

import zlib
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import md5
from struct import Struct
from threading import RLock
from typing import TYPE_CHECKING

from rocmlint.verify.code_objects.file_errors import UnreadableError, extra
from rocmlint.verify.code_objects.mapped import WINDOW, give_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

MAGIC = b"CCOB"
LARGEST_DECODED = 16 << 30
"""Bytes of one bundle. Real ones pass 4 GiB: version 3 of the form came for those."""
LARGEST_IMAGE = 1 << 30
"""Bytes of one code object that is decoded into memory."""
MOST_TIMES = 1000
"""How many times larger than what is stored a bundle may be, so that a small file takes little
time. Code for twenty GPUs, of which all but the first cost nothing, stays far below."""
_SMALL = 64 << 20
"""Bytes that any bundle may have."""
_START = Struct("<4sHH")
_REST = {1: Struct("<IQ"), 2: Struct("<IIQ"), 3: Struct("<QQQ")}
"""The layout of the rest: the whole size (not in version 1), the decoded size, and the hash."""
_CHUNK = 1 << 20
_HEAD = 18
"""Bytes of the longest head of a frame (RFC 8878, section 3.1.1), with the magic."""
_LARGE_WINDOW = RLock()
"""Is held where what was decoded is kept in memory by the hundred megabytes: one at a time."""
_LARGEST_WINDOW = 1 << 31
"""The limit for the library, which by default refuses the windows of clang, the widest ones."""


@dataclass(frozen=True)
class Compressed:
    """A compressed bundle and what its head promises."""

    version: int
    method: str
    decoded_size: int
    hash: int
    """The first eight bytes of the MD5 of what is decoded, little-endian."""
    body: memoryview
    end: int
    """Where it ends, counted from its magic."""

    @property
    def form(self) -> str:
        """Return the name of the form for people."""
        return f"CCOB v{self.version} {self.method}"

    def decoded(self) -> Iterator[bytes]:
        """Yield the content in chunks of at most a megabyte.

        Raises UnreadableError where it cannot be decoded, and after the last chunk where size or
        hash are not the promised ones.
        """
        digest, size, kept = md5(usedforsecurity=False), 0, 0
        with decoder(self.method, self.body) as read:
            while chunk := read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                if size > self.decoded_size:
                    break
                if size - kept > WINDOW:
                    give_back(self.body)
                    kept = size
                yield chunk
        if size != self.decoded_size:
            message = (
                f"{self.form}: decompresses to {size:,} bytes instead of {self.decoded_size:,}"
            )
            raise UnreadableError(message)
        if int.from_bytes(digest.digest()[:8], "little") != self.hash:
            message = f"{self.form}: the hash of the decompressed data does not match"
            raise UnreadableError(message)


def read_compressed(data: memoryview) -> Compressed:
    """Read the head of the bundle that begins here. Raises UnreadableError."""
    if len(data) < _START.size:
        message = "cut off within the header of a compressed bundle"
        raise UnreadableError(message)
    _, version, method = _START.unpack_from(data)
    rest = _REST.get(version)
    if rest is None or method not in _METHODS:
        message = f"a compressed bundle of unknown version {version} or method {method}"
        raise UnreadableError(message)
    start = _START.size + rest.size
    if len(data) < start:
        message = "cut off within the header of a compressed bundle"
        raise UnreadableError(message)
    *total, decoded_size, checksum = rest.unpack_from(data, _START.size)
    end = total[0] if total else len(data)
    if not start <= end <= len(data):
        message = (
            f"a compressed bundle of {end:,} bytes, but only {len(data):,} are left: it is cut off"
        )
        raise UnreadableError(message)
    limit = min(max(_SMALL, MOST_TIMES * (end - start)), LARGEST_DECODED)
    if decoded_size > limit:
        message = (
            f"a compressed bundle of {end - start:,} bytes that decompresses to "
            f"{decoded_size:,}: more than the limit of {limit:,}"
        )
        raise UnreadableError(message)
    name = _METHODS[method]
    return Compressed(version, name, decoded_size, checksum, data[start:end], end)


_METHODS = {0: "zlib", 1: "zstd"}


def check_image(size: int) -> None:
    """Raise UnreadableError for a code object that is too large to be decoded into memory."""
    if size > LARGEST_IMAGE:
        message = f"code of {size:,} bytes: more than the limit of {LARGEST_IMAGE:,}"
        raise UnreadableError(message)


@contextmanager
def decoder(method: str, body: memoryview) -> Iterator[Callable[[int], bytes]]:
    """Return a function that reads so many decoded bytes at most; its errors become ours.

    Raises UnreadableError, MissingExtraError.
    """
    turn: AbstractContextManager[object] = nullcontext()
    if method == "zlib":
        failure: type[Exception] = zlib.error
        read = _zlib_reader(body)
    else:
        zstandard = extra("zstandard")
        failure = zstandard.ZstdError
        decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        read = decompressor.stream_reader(body, read_size=_CHUNK).read
        if _window(zstandard, body) > WINDOW:
            turn = _LARGE_WINDOW
    try:
        with turn:
            yield read
    except failure as error:
        message = f"cannot be decompressed: {error}"
        raise UnreadableError(message) from error


def _window(zstandard: ModuleType, body: memoryview) -> int:
    """Return how many bytes a decoder keeps; what is not a frame fails when it is read."""
    try:
        return int(zstandard.get_frame_parameters(body[:_HEAD]).window_size)
    except zstandard.ZstdError:
        return 0


def _zlib_reader(body: memoryview) -> Callable[[int], bytes]:
    decompressor, position, pending = zlib.decompressobj(), 0, b""

    def read(size: int) -> bytes:
        nonlocal position, pending
        while not decompressor.eof:
            if not pending:
                pending = bytes(body[position : position + _CHUNK])
                position += len(pending)
                if not pending:
                    break
            decoded = decompressor.decompress(pending, size)
            pending = decompressor.unconsumed_tail
            if decoded:
                return decoded
        return b""

    return read
