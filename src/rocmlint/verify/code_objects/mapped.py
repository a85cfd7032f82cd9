"""Mapping a file into memory, so that only the parts that are looked at are read."""

from __future__ import annotations

import mmap
import os
import stat

from rocmlint.disk.read import WITHOUT_WAITING
from rocmlint.verify.code_objects.file_errors import UnreadableError

WINDOW = 32 << 20
"""Bytes of a file that may be read before their pages are given back."""


def give_back(data: memoryview) -> None:
    """Let the system have the pages of a mapped file again; what is used later is read anew.

    They count as memory of this process as long as it keeps them.
    """
    if isinstance(data.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.obj.madvise(mmap.MADV_DONTNEED)


def map_file(path: str) -> mmap.mmap:
    """Map a file; the mapping ends with the last view of it.

    Raises OSError, and UnreadableError for what is empty or no regular file (a pipe would block).
    """
    descriptor = os.open(path, os.O_RDONLY | WITHOUT_WAITING)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            message = "is not a regular file"
            raise UnreadableError(message)
        if not status.st_size:
            message = "is empty"
            raise UnreadableError(message)
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)
