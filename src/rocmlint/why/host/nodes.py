"""Device nodes such as /dev/kfd: whose they are, and whether this user may open them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.gpus.machine import Machine

_LARGEST = 1_000_000
_OVERFLOW = 65534
"""The group that files of unmapped groups seem to have in a user namespace."""


@dataclass(frozen=True)
class Node:
    """A device node that exists. ``group`` is empty where no name is known for the ``gid``."""

    path: str
    group: str = ""
    gid: int | None = None
    mode: str = ""
    may_open: bool | None = None
    """Whether this user may read and write it; None where that is not known."""

    @property
    def is_unmapped(self) -> bool:
        """Whether its group is not known here, as in a container without the host's groups."""
        return self.group in {"nogroup", "nobody"} or self.gid == _OVERFLOW


def node_at(machine: Machine, path: str) -> Node | None:
    """Return a device node of a machine; None where it does not exist."""
    place = machine.path(path)
    try:
        found = os.stat(place)
    except OSError:
        return None
    group = group_names(machine).get(found.st_gid, "")
    mode = stat.filemode(found.st_mode)
    return Node(path, group, found.st_gid, mode, os.access(place, os.R_OK | os.W_OK))


def render_nodes(machine: Machine) -> tuple[Node, ...]:
    """Return the render nodes of a machine: /dev/dri/renderD128 and so on."""
    try:
        names = sorted(os.listdir(machine.path("/dev/dri")))
    except OSError:
        return ()
    found = (node_at(machine, f"/dev/dri/{each}") for each in names if each.startswith("renderD"))
    return tuple(each for each in found if each is not None)


def group_names(machine: Machine) -> Mapping[int, str]:
    """Return the names of /etc/group by their numbers."""
    try:
        text = read_small(machine.path("/etc/group"), _LARGEST).decode("utf-8", "replace")
    except OSError:
        return {}
    rows = (line.split(":") for line in text.splitlines())
    return {int(each[2]): each[0] for each in rows if len(each) > 2 and each[2].isdecimal()}


def user_groups(machine: Machine) -> tuple[str, ...]:
    """Return the names of the groups of this process, numbers where a name is not known."""
    if not hasattr(os, "getgroups"):
        return ()
    names = group_names(machine)
    numbers = dict.fromkeys((os.getgid(), *os.getgroups()))
    return tuple(names.get(each, str(each)) for each in numbers)
