"""Facts about the host: device nodes, groups, containers, WSL, Windows, drivers, file systems."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.text.written import version_of
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.host.mounts import NETWORK, free_space, mount_of, size_of

if TYPE_CHECKING:
    from packaging.version import Version

    from rocmlint.why.facts.context import Context

_MEBIBYTE = 1 << 20
_LITTLE = 64 * _MEBIBYTE
_ABSENT = -1
_CONTAINERS = ("docker", "podman", "apptainer", "singularity")
_SHARED = "/dev/shm"  # noqa: S108 - its size is looked up


def may_open(context: Context, path: str) -> bool | None:
    """Return whether this user may read and write a device node; None where there is none."""
    node = context.host.node(path)
    if node is None:
        context.saw(path, "does not exist", context.host.source)
        return None
    may = {True: "may", False: "may not", None: "is not known to"}[node.may_open]
    owner = f"group {node.group or node.gid}"
    context.saw(path, f"{node.mode} {owner}; this user {may} open it", context.host.source)
    return node.may_open


def node_group(context: Context, path: str) -> str:
    """Return the group of a device node: its name, else its number; "render" where there is none.

    That is the group that AMD's instructions name.
    """
    node = context.host.node(path)
    return "render" if node is None else node.group or str(node.gid)


def node_gid(context: Context, path: str) -> int:
    """Return the number of the group of a device node; -1 where there is none."""
    node = context.host.node(path)
    return _ABSENT if node is None or node.gid is None else node.gid


def in_group(context: Context, name: str) -> bool:
    """Return whether this user is in a group."""
    found = context.host.groups
    context.saw("groups of this user", ", ".join(found) or "none", context.host.source)
    return name in found


def render_nodes(context: Context) -> int:
    """Return how many render nodes there are."""
    found = context.host.render_nodes
    context.saw("/dev/dri/renderD*", len(found) or "none", context.host.source)
    return len(found)


def container(context: Context) -> str:
    """Return the kind of container this is, such as "docker"; empty for none."""
    lines = context.log.lines
    named = (each for each in _CONTAINERS if any(f"{each} run" in line for line in lines))
    found = next(named, "") or context.host.container
    if found:
        context.saw("container", found, context.host.source)
    return found


def rootless(context: Context) -> bool:
    """Return whether the container runs without root."""
    return context.host.is_rootless


def wsl(context: Context) -> bool:
    """Return whether the job ran in Linux in Windows."""
    words = ("WSL", "/dev/dxg", "librocdxg", "microsoft-standard")
    line = next((each for each in context.log.lines if any(w in each for w in words)), None)
    if line is not None or context.host.is_wsl:
        context.saw("WSL", "yes", "the log" if line is not None else context.host.source)
        return True
    return False


def windows(context: Context) -> bool:
    """Return whether the job ran in Windows: by the log's paths and libraries, else by this one."""
    if context.line_of_windows:
        context.saw("system", "Windows", "paths of the log")
        return True
    return context.host.is_windows


def driver_loaded(context: Context) -> bool | UnreadFact:
    """Return whether the amdgpu kernel module is loaded."""
    found = context.host.has_driver
    if found is None:
        return UnreadFact("whether amdgpu is loaded", "lsmod | grep amdgpu")
    context.saw("amdgpu", "loaded" if found else "not loaded", context.host.source)
    return found


def driver(context: Context) -> str:
    """Return the version of the amdgpu module or of Windows' driver; empty where it has none."""
    found = context.host.driver
    if found:
        context.saw("driver", found, context.host.source)
    return found


def blacklisted(context: Context) -> str:
    """Return the file that keeps amdgpu from being loaded; empty for none."""
    found = context.host.blacklisted
    if found:
        context.saw("amdgpu is blacklisted", "yes", found)
    return found


def iommu(context: Context) -> str:
    """Return the value of iommu= on the kernel's command line; empty for none."""
    found = context.host.iommu
    context.saw("iommu=", found or "not set", "/proc/cmdline")
    return found


def distribution(context: Context) -> str:
    """Return the system, such as "ubuntu 22.04"; empty where it is not known."""
    found = context.host.system
    if found:
        context.saw("system", found, context.host.source)
    return found


def shm_mib(context: Context) -> int | UnreadFact:
    """Return the size of /dev/shm in MiB."""
    found = size_of(context.host.machine, _SHARED)
    if found is None:
        return UnreadFact("the size of /dev/shm", "df -h /dev/shm")
    context.saw(_SHARED, f"{found // _MEBIBYTE} MiB", context.host.source)
    return found // _MEBIBYTE


def on_network(context: Context, path: str) -> bool:
    """Return whether a path is known to be on a file system of a network, such as NFS."""
    expanded = _expanded(context, path)
    mount = mount_of(context.host.machine, expanded) if expanded else None
    if mount is None or mount.kind not in NETWORK:
        return False
    context.saw(expanded, f"is on {mount.kind} ({mount.folder})", "/proc/mounts")
    return True


def is_full(context: Context, path: str) -> bool:
    """Return whether the file system of a path is known to have next to no space left."""
    expanded = _expanded(context, path)
    found = free_space(context.host.machine, expanded) if expanded else None
    if found is None or found > _LITTLE:
        return False
    context.saw(f"free at {expanded}", f"{found // _MEBIBYTE} MiB", context.host.source)
    return True


def _expanded(context: Context, path: str) -> str:
    """Replace ~ by the user's folder; return nothing where that is not known."""
    if not path.startswith("~"):
        return path
    home = context.host.variable("HOME") or ""
    return home + path[1:] if os.path.isabs(home) else ""


def hip_sdk(context: Context) -> str | UnreadFact:
    """Return the version of the HIP SDK for Windows; empty for none."""
    found = context.host.sdk
    if found is None:
        return UnreadFact("the HIP SDK", 'dir "C:\\Program Files\\AMD\\ROCm"')
    context.saw("HIP SDK", found or "none", context.host.source)
    return found


def on_path(context: Context, program: str) -> bool:
    """Return whether a program is on PATH."""
    found = context.host.has_program(program)
    context.saw(f"{program} on PATH", "yes" if found else "no", context.host.source)
    return found


def rocm_program(context: Context, program: str) -> str:
    """Return where ROCm has a program, whether on PATH or not; empty for nowhere."""
    found = context.host.rocm_program(program)
    if found:
        context.saw(program, found, context.host.source)
    return found


def rocm(context: Context) -> Version | None:
    """Return the ROCm of this host, or of AMD's wheels; None where there is none."""
    core = context.packages.get("rocm-sdk-core")
    found = version_of(context.host.rocm) if context.host.rocm else core.version if core else None
    context.saw("ROCm", found or "not installed", context.host.source)
    return found


FACTS = {
    "may_open": may_open,
    "node_group": node_group,
    "node_gid": node_gid,
    "in_group": in_group,
    "render_nodes": render_nodes,
    "container": container,
    "rootless": rootless,
    "wsl": wsl,
    "windows": windows,
    "driver_loaded": driver_loaded,
    "driver": driver,
    "blacklisted": blacklisted,
    "iommu": iommu,
    "distribution": distribution,
    "shm_mib": shm_mib,
    "on_network": on_network,
    "is_full": is_full,
    "hip_sdk": hip_sdk,
    "on_path": on_path,
    "rocm_program": rocm_program,
    "rocm": rocm,
}
