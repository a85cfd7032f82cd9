"""Facts about the machine: GPUs, driver, device nodes, groups, container, ROCm."""

from __future__ import annotations

import os
import re
import shutil
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.gpus.devices import kernel_devices
from rocmlint.gpus.programs import FOLDERS
from rocmlint.why.host.nodes import Node, node_at, render_nodes, user_groups

if TYPE_CHECKING:
    from rocmlint.gpus.machine import Machine

AMD, NVIDIA = "0x1002", "0x10de"
_DISPLAYS = ("0x0300", "0x0302", "0x0380", "0x1200")
"""The classes of graphics cards and accelerators on the PCI bus."""
_LARGEST = 1_000_000
_BLACKLISTED = re.compile(r"^\s*blacklist\s+amdgpu\b", re.MULTILINE)
_MODPROBE = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d")
_IOMMU = re.compile(r"(?:^|\s)(?:amd_|intel_)?iommu=(\S+)")
_OS = re.compile(r"^(ID|VERSION_ID)=\"?([^\"\n]*)", re.MULTILINE)


class Host:
    """A machine, read from files below its root. Each fact is read when it is first needed."""

    source = "this machine"

    def __init__(self, machine: Machine) -> None:
        """Remember the machine; nothing is read yet."""
        self.machine = machine

    @cached_property
    def gpus(self) -> tuple[str, ...]:
        """The processors of the GPUs that the kernel driver lists, one for each GPU."""
        return tuple(each.partition(":")[0] for each in kernel_devices(self.machine).names)

    @cached_property
    def vendors(self) -> frozenset[str]:
        """The makers of the graphics cards on the PCI bus, as in "0x1002"."""
        folder = "/sys/bus/pci/devices"
        found = set()
        for name in self.names(folder):
            if self.text(f"{folder}/{name}/class")[:6] in _DISPLAYS:
                found.add(self.text(f"{folder}/{name}/vendor").strip())
        return frozenset(found)

    @property
    def has_amd(self) -> bool | None:
        """Whether there is an AMD GPU; None where that cannot be seen."""
        if self.gpus or AMD in self.vendors:
            return True
        return None if self.is_wsl or not self.vendors else False

    @property
    def has_nvidia(self) -> bool:
        """Whether there is an NVIDIA GPU."""
        return NVIDIA in self.vendors or self._exists("/proc/driver/nvidia/version")

    def node(self, path: str) -> Node | None:
        """Return a device node; None where it does not exist."""
        return node_at(self.machine, path)

    @cached_property
    def render_nodes(self) -> tuple[Node, ...]:
        """The nodes /dev/dri/renderD*."""
        return render_nodes(self.machine)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups of this user."""
        return user_groups(self.machine)

    @cached_property
    def container(self) -> str:
        """The kind of container that this is: "docker", "podman" and so on; empty for none."""
        if self._exists("/run/.containerenv"):
            return "podman"
        if self._exists("/.dockerenv"):
            return "docker"
        if self.machine.environment.get("APPTAINER_CONTAINER") or self._exists("/.singularity.d"):
            return "apptainer"
        groups = self.text("/proc/1/cgroup")
        kinds = ("kubepods", "docker", "libpod", "lxc")
        found = next((each for each in kinds if each in groups), "")
        return {"kubepods": "kubernetes", "libpod": "podman"}.get(found, found)

    @cached_property
    def is_rootless(self) -> bool:
        """Whether the container runs in a user namespace of an ordinary user."""
        if "rootless=1" in self.text("/run/.containerenv"):
            return True
        first = self.text("/proc/self/uid_map").split()
        return bool(self.container) and first[:2] not in ([], ["0", "0"])

    @cached_property
    def is_wsl(self) -> bool:
        """Whether this is Linux in Windows."""
        return "microsoft" in self.text("/proc/version").lower() or self._exists("/dev/dxg")

    @property
    def is_windows(self) -> bool:
        """Whether this is Windows."""
        return os.name == "nt"

    @cached_property
    def has_driver(self) -> bool | None:
        """Whether the amdgpu kernel module is loaded; None where /sys cannot be seen."""
        if self._exists("/sys/module/amdgpu"):
            return True
        return False if self.names("/sys/module") else None

    @cached_property
    def driver(self) -> str:
        """The version of the amdgpu module of AMD's packages; that of the kernel has none."""
        return self.text("/sys/module/amdgpu/version").strip()

    @cached_property
    def blacklisted(self) -> str:
        """The file that keeps amdgpu from being loaded; empty for none."""
        for folder in _MODPROBE:
            for name in self.names(folder):
                path = f"{folder}/{name}"
                if name.endswith(".conf") and _BLACKLISTED.search(self.text(path)):
                    return path
        return ""

    @cached_property
    def iommu(self) -> str:
        """The value of ``iommu=`` on the kernel's command line; empty for none."""
        found = _IOMMU.findall(self.text("/proc/cmdline"))
        return str(found[-1]) if found else ""

    @cached_property
    def kernel(self) -> str:
        """The release of the kernel."""
        release = self.text("/proc/sys/kernel/osrelease").strip()
        words = self.text("/proc/version").split()
        return release or (words[2] if words[:2] == ["Linux", "version"] else "")

    @cached_property
    def system(self) -> str:
        """The distribution: "ubuntu 22.04"."""
        fields = dict(_OS.findall(self.text("/etc/os-release")))
        return f"{fields.get('ID', '')} {fields.get('VERSION_ID', '')}".strip()

    @cached_property
    def rocm(self) -> str:
        """The version of ROCm in the folders of AMD and of distributions; empty for none."""
        from rocmlint.stack.installed import rocm_folders as found  # noqa: PLC0415 - few need it

        seen: set[str] = set()
        readings = (*found.named_folders(self.machine, seen), *found.folders(self.machine, seen))
        return next((each.version for each in readings if each.version), "")

    @cached_property
    def sdk(self) -> str | None:
        """The version of the HIP SDK for Windows; None where that is not known."""
        return None

    @cached_property
    def repair_program(self) -> bool:
        """Whether AMD's program ``rocm`` is installed, which repairs a host on consent."""
        return "rocm" in self.machine.ask("rocm", "--version").stdout.lower()

    def has_program(self, name: str) -> bool:
        """Whether a program is on PATH."""
        parts = self.machine.environment.get("PATH", "").split(os.pathsep)
        absolute = os.pathsep.join(each for each in parts if os.path.isabs(each))
        return bool(absolute) and shutil.which(name, path=absolute) is not None

    def rocm_program(self, name: str) -> str:
        """Return the path of a program of ROCm, whether it is on PATH or not; empty for none."""
        paths = (f"{folder}/{name}" for folder in FOLDERS)
        return next((each for each in paths if self._exists(each)), "")

    def variable(self, name: str) -> str | None:
        """Return an environment variable; None where it is not known."""
        return self.machine.environment.get(name, "")

    def text(self, path: str) -> str:
        """Return the text of a file; empty where it cannot be read."""
        try:
            return read_small(self.machine.path(path), _LARGEST).decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder; none where it cannot be read."""
        try:
            return sorted(os.listdir(self.machine.path(folder)))
        except OSError:
            return []

    def _exists(self, path: str) -> bool:
        return os.path.exists(self.machine.path(path))
