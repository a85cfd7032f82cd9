"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress
from functools import cache

from rocmlint.disk.read import WITHOUT_WAITING

TEMPORARY = re.compile(r"\.rocmlint-(?P<process>[0-9]{1,10})-[0-9a-f]{12}\.tmp")
_LEFT_OVER = 600
"""Seconds after which nobody writes to a temporary file any more."""


def write_atomically(path: str, data: bytes, *, like: os.stat_result | None = None) -> None:
    """Write a file beside the path, then rename it, so that nobody ever sees half of it.

    A link stays, and what it leads to is written. What is not a regular file (a device, a pipe) is
    written to directly. Raises OSError, also for a pipe that nobody reads.
    """
    if path.startswith("/dev/") or (os.path.exists(path) and not os.path.isfile(path)):
        # Behind /dev/stdout there may be a file.
        with open(path, "ab", opener=without_waiting) as device:
            device.write(data)
        return
    replace(os.path.realpath(path), data, like=like)


def without_waiting(path: str, flags: int) -> int:
    """Open what is written to, as the opener of :func:`open`.

    Raises OSError, also for a pipe without a reader.
    """
    try:
        descriptor = os.open(path, flags | WITHOUT_WAITING, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "a pipe without a reader", path) from error
        raise
    if WITHOUT_WAITING:
        os.set_blocking(descriptor, True)  # who reads may take their time
    return descriptor


def replace(
    path: str, data: bytes, *, like: os.stat_result | None = None, durable: bool = True
) -> None:
    """Put a new file where a path is, whatever was there: a link is not followed.

    ``like`` is the file whose mode and owner it gets. What need not outlive a power failure is
    not ``durable``, and quicker to write. Raises OSError.
    """
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".rocmlint-{os.getpid()}-{os.urandom(6).hex()}.tmp")
    # Nobody shall read in the temporary file what the mode of the other one hides.
    mode = 0o666 if like is None else 0o600
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if like is not None:
            with suppress(OSError, AttributeError):  # only root may give a file away
                os.chown(temporary, like.st_uid, like.st_gid)
            os.chmod(temporary, stat.S_IMODE(like.st_mode))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _tidy(folder)


@cache
def _tidy(folder: str) -> None:
    """Delete the temporary files of runs that were killed; once for each folder is enough."""
    with suppress(OSError):
        for entry in os.scandir(folder or os.curdir):
            name = TEMPORARY.fullmatch(entry.name)
            if name is not None and _is_left_over(entry, int(name["process"])):
                with suppress(OSError):  # another run may tidy up too
                    os.unlink(entry.path)


def _is_left_over(entry: os.DirEntry[str], process: int) -> bool:
    about = entry.stat(follow_symlinks=False)
    old = time.time() - about.st_mtime > _LEFT_OVER
    return stat.S_ISREG(about.st_mode) and old and not _is_alive(process)


def _is_alive(process: int) -> bool:
    """Return whether there is a process of that number: no where that cannot be asked."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True
