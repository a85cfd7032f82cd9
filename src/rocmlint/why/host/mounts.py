"""File systems: which kind a folder is on, and how much space is left."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import read_small

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.machine import Machine

_NETWORK = (
    "nfs nfs4 cifs smb3 smbfs lustre gpfs beegfs ceph glusterfs afs pvfs2 orangefs panfs wekafs "
    "9p virtiofs fuse.sshfs fuse.ceph fuse.glusterfs fuse.s3fs fuse.juicefs fuse.gcsfuse"
)
NETWORK = frozenset(_NETWORK.split())
"""Kinds whose locks SQLite cannot rely on, or that other machines write to as well."""
_SIZE = re.compile(r"(?:^|,)size=(\d+)([kmg]?)(?:,|$)")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LARGEST = 4_000_000


class Mount(NamedTuple):
    """One line of /proc/mounts."""

    folder: str
    kind: str
    options: str


def mount_of(machine: Machine, path: str) -> Mount | None:
    """Return the mount that a path is on; None where /proc/mounts cannot be read."""
    found = [each for each in _mounts(machine) if _holds(each.folder, path)]
    return max(found, key=lambda each: len(each.folder), default=None)


def size_of(machine: Machine, folder: str) -> int | None:
    """Return the size of the file system that is mounted on a folder, in bytes."""
    mount = mount_of(machine, folder)
    found = _SIZE.search(mount.options) if mount and mount.folder == folder else None
    if found is not None:
        return int(found[1]) * _UNITS[found[2]]
    numbers = _numbers(machine.path(folder)) if machine.root == os.sep else None
    return None if numbers is None else numbers.f_frsize * numbers.f_blocks


def free_space(machine: Machine, path: str) -> int | None:
    """Return the bytes that are left where a path is, or would be."""
    place = machine.path(path)
    while not os.path.exists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    numbers = _numbers(place)
    return None if numbers is None else numbers.f_frsize * numbers.f_bavail


def _numbers(place: str) -> os.statvfs_result | None:
    try:
        return os.statvfs(place)
    except (OSError, AttributeError):
        return None


def _mounts(machine: Machine) -> Iterator[Mount]:
    try:
        text = read_small(machine.path("/proc/mounts"), _LARGEST).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) > 3:
            yield Mount(fields[1].replace("\\040", " "), fields[2], fields[3])


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
