"""Reading the archives in which AOTriton and MIOpen keep device code.

AOTriton (ROCm/aotriton 30ae967: python/aks2.py, python/flatzip.py, v3src/packed_kernel_common.cc):
an ``.aks2`` is a head of 16 bytes (``AKS2``, then as u32 the size decoded, the number of kernels
and the size of the directory) and an xz stream of the directory and the images. Newer versions put
several into a ``.zip`` without compression. All images of one ``.aks2`` are the same kernel, tuned
differently, except those called affine, which are kernels of AITER.

MIOpen (its src/include/miopen/kern_db.hpp): a ``.kdb``, or ``.ukdb`` of a user, is an SQLite file
with a table ``kern_db``, whose ``kernel_blob`` is device code compressed by bzip2.
"""

from __future__ import annotations

import bz2
import lzma
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from struct import Struct
from typing import IO, TYPE_CHECKING

from rocmlint.verify.code_objects.compression import LARGEST_IMAGE, check_image
from rocmlint.verify.code_objects.file_errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_AKS2 = Struct("<4sIII")
_AKS2_MAGIC = b"AKS2"
_DIRECTORY_ENTRY = Struct("<5I")
"""Shared memory, threads, offset behind the directory, size, length of the name that follows."""
_BZIP2 = b"BZh"
_CHUNK = 1 << 20
_MOST_STEPS = 100_000
"""Of SQLite's machine, times a thousand: millions of kernels, but a view without end has one."""


def is_store(path: str) -> bool:
    """Return whether a file is named like one of these archives."""
    ending = os.path.splitext(path)[1]
    return ending in {".aks2", ".kdb", ".ukdb"} or (ending == ".zip" and "aotriton.images" in path)


def images(path: str) -> Iterator[bytes]:
    """Yield device code, at least once for each kernel that is in the archive.

    Raises UnreadableError and OSError.
    """
    read: Callable[[str], Iterator[bytes]] = {
        ".aks2": _of_aks2_file,
        ".zip": _of_zip,
    }.get(os.path.splitext(path)[1], _of_miopen)
    try:
        yield from read(path)
    except UnreadableError:
        raise
    except Exception as error:
        # What lzma, bz2, zipfile and sqlite3 raise for broken files has no common class.
        if isinstance(error, OSError) and error.errno:
            raise
        message = f"is broken: {str(error) or type(error).__name__}"
        raise UnreadableError(message) from error


def _of_aks2_file(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from _of_aks2(file, path)


def _of_zip(path: str) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            with archive.open(entry) as file:
                if entry.file_size >= _AKS2.size:
                    yield from _of_aks2(file, f"{path}/{entry.filename}")


def _of_aks2(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Decode from the front, no further than to the last image that is wanted."""
    head = file.read(_AKS2.size)
    if len(head) < _AKS2.size or not head.startswith(_AKS2_MAGIC):
        message = "does not start like an AOTriton archive"
        raise UnreadableError(message)
    _, decoded, count, directory_size = _AKS2.unpack(head)
    with lzma.LZMAFile(file) as stream:
        directory = _exactly(stream, min(directory_size, decoded))
        position = 0
        for offset, size in sorted(_entries(directory, count)):
            if not position <= offset <= offset + size <= decoded - directory_size:
                message = "its directory lists an image that is missing"
                raise UnreadableError(message)
            _skip(stream, offset - position)
            yield _exactly(stream, size)
            position = offset + size
            if "affine" not in name:
                return


def _entries(directory: bytes, count: int) -> Iterator[tuple[int, int]]:
    """Yield offset and size of the images; those that could not be compiled are empty."""
    position = 0
    for _ in range(count):
        if position + _DIRECTORY_ENTRY.size > len(directory):
            message = "its directory is cut off"
            raise UnreadableError(message)
        _, _, offset, size, name_length = _DIRECTORY_ENTRY.unpack_from(directory, position)
        position += _DIRECTORY_ENTRY.size + name_length
        if size:
            yield offset, size


def _exactly(stream: lzma.LZMAFile, size: int) -> bytes:
    check_image(size)
    data = stream.read(size) if size else b""
    if len(data) < size:
        message = "is cut off"
        raise UnreadableError(message)
    return data


def _skip(stream: lzma.LZMAFile, size: int) -> None:
    while size:
        size -= len(_exactly(stream, min(size, _CHUNK)))


def _unpacked(blob: bytes) -> bytes:
    data = bz2.BZ2Decompressor().decompress(blob, LARGEST_IMAGE + 1)
    check_image(len(data))
    return data


def _of_miopen(path: str) -> Iterator[bytes]:
    # A database that is written to while it is read gives an error, not a lock.
    uri = f"{Path(path).resolve().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        steps = iter(range(_MOST_STEPS))
        connection.set_progress_handler(lambda: next(steps, None) is None, 1000)
        for (blob,) in connection.execute("SELECT kernel_blob FROM kern_db"):
            yield _unpacked(blob) if bytes(blob[:3]) == _BZIP2 else bytes(blob)
