"""Writing files whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress


def write_atomically(path: str, data: bytes, *, like: os.stat_result | None = None) -> None:
    """Write a file beside the path, then rename it, so that nobody ever sees half of it.

    What is no regular file (a device, a pipe) is written to directly. Raises OSError.
    """
    if path.startswith("/dev/") or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path, "ab") as device:  # behind /dev/stdout there may be a file
            device.write(data)
        return
    path = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(path), f".rocmlint-{os.urandom(6).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
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
