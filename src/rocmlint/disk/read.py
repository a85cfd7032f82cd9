"""Reading small files: whatever a path leads to, the answer comes soon and fits into memory."""

from __future__ import annotations

import errno
import os
import stat

MAXIMUM_BYTES = 10_000_000
"""What is read of one file, if nothing else is said: no list of requirements is larger."""
MAXIMUM_READ = 250_000_000
"""What is read of a file that is linted: no source, but a notebook with pictures is so large."""
_MEGABYTE = 1_000_000
WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
"""A flag of ``os.open``: a pipe that nobody writes to is opened all the same; Windows has none."""


def read_small(path: str, limit: int = MAXIMUM_BYTES) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes.

    Raises OSError for any other; its ``strerror`` says why, for messages such as
    "PATH: cannot be read: not a regular file". A pipe is not waited for, and a device such as
    /dev/zero is not opened.
    """
    try:
        _check(path, os.stat(path), limit)
        with open(path, "rb", buffering=0, opener=_opened) as file:  # takes a fifth less
            size = _check(path, os.fstat(file.fileno()), limit)  # it may have been swapped
            data = read = file.read(size + 1) or b""
            # It may come in parts, grow, or the file system does not tell sizes (/proc).
            while read and len(data) != size and len(data) <= limit:
                read = file.read(limit + 1 - len(data)) or b""
                data += read
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, str(error), path) from error
    if len(data) > limit:
        raise too_large(path, limit)
    return data


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | WITHOUT_WAITING)


def _check(path: str, about: os.stat_result, limit: int) -> int:
    """Return the size of what may be read. Raises OSError."""
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    if about.st_size > limit:
        raise too_large(path, limit)
    return about.st_size


def too_large(path: str, limit: int) -> OSError:
    """Return the error for a file of more than ``limit`` bytes."""
    return OSError(errno.EFBIG, f"larger than {limit / _MEGABYTE:g} MB", path)
