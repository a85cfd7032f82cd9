"""A report of ``rocm examine --json`` (ROCm/rocm-cli): what it says goes before what is here."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError
from rocmlint.gpus.machine import Machine
from rocmlint.gpus.target import parse_target
from rocmlint.why.host.host import AMD, NVIDIA, Host
from rocmlint.why.host.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 5_000_000
_OF_WINDOWS = "hip_sdk_path"


def read_examination(path: str, machine: Machine) -> ExaminedHost:
    """Read a report. Raises ConfigError for a file that is none."""
    try:
        document = json.loads(read_small(path, _LARGEST))
    except OSError as error:
        message = f"--examination: {path} cannot be read: {error.strerror or error}"
        raise ConfigError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"--examination: {path} is not JSON: write it with rocm examine --json"
        raise ConfigError(message) from error
    if not isinstance(document, dict) or "os_family" not in document:
        message = f"--examination: {path} is not a report of rocm examine --json"
        raise ConfigError(message)
    return ExaminedHost(document, machine)


class ExaminedHost(Host):
    """A machine that a report describes; it need not be this one.

    Fields of another type than expected count as not there.
    """

    source = "rocm examine"

    def __init__(self, document: Mapping[str, Any], machine: Machine) -> None:
        """Keep the report; only programs and sizes are looked up on this machine."""
        super().__init__(Machine("/nonexistent", machine.environment, machine.seconds))
        self._document = document
        self._here = Host(machine)

    def _text(self, key: str) -> str:
        value = self._document.get(key)
        return value if isinstance(value, str) else ""

    def _flag(self, key: str) -> bool | None:
        value = self._document.get(key)
        return value if isinstance(value, bool) else None

    def _list(self, key: str) -> list[Any]:
        value = self._document.get(key)
        return value if isinstance(value, list) else []

    @cached_property
    def gpus(self) -> tuple[str, ...]:
        """The processors of the GPUs that are AMD's."""
        found = []
        for each in self._list("gpus"):
            name = str(each.get("gfx_target") or "") if isinstance(each, dict) else ""
            try:
                found.append(parse_target(name.lower()).processor)
            except ValueError:
                continue
        return tuple(found)

    @cached_property
    def vendors(self) -> frozenset[str]:
        """The makers of the graphics cards."""
        found = [AMD] if self._flag("has_amd_gpu") else []
        return frozenset([*found, NVIDIA] if self._flag("has_nvidia_gpu") else found)

    @property
    def has_amd(self) -> bool | None:
        """Whether there is an AMD GPU."""
        return self._flag("has_amd_gpu")

    @property
    def has_nvidia(self) -> bool:
        """Whether there is an NVIDIA GPU."""
        return bool(self._flag("has_nvidia_gpu"))

    def node(self, path: str) -> Node | None:
        """Return /dev/kfd or a render node as the report describes it."""
        every = [self._document.get("kfd"), *self._list("render_devices")]
        for each in every:
            if isinstance(each, dict) and each.get("path") == path and each.get("exists"):
                return _node(each)
        return None

    @cached_property
    def render_nodes(self) -> tuple[Node, ...]:
        """The nodes /dev/dri/renderD*."""
        return tuple(
            _node(each)
            for each in self._list("render_devices")
            if isinstance(each, dict) and each.get("exists")
        )

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups of the user."""
        return tuple(str(each) for each in self._list("user_groups"))

    @cached_property
    def container(self) -> str:
        """The kind of container; empty for none."""
        inside = self._flag("in_container")
        return (self._text("container_kind") or "container") if inside else ""

    @cached_property
    def is_rootless(self) -> bool:
        """The report does not say."""
        return False

    @cached_property
    def is_wsl(self) -> bool:
        """Whether it is Linux in Windows."""
        return bool(self._flag("is_wsl"))

    @property
    def is_windows(self) -> bool:
        """Whether it is Windows."""
        return self._text("os_family") == "windows"

    @cached_property
    def has_driver(self) -> bool | None:
        """Whether the amdgpu module is loaded."""
        return self._flag("amdgpu_loaded")

    @cached_property
    def driver(self) -> str:
        """The version of the graphics driver for Windows."""
        return self._text("adrenalin_version")

    @cached_property
    def blacklisted(self) -> str:
        """The file that keeps amdgpu from being loaded."""
        return next((str(each) for each in self._list("amdgpu_blacklisted_in")), "")

    @cached_property
    def iommu(self) -> str:
        """The value of ``iommu=`` on the kernel's command line."""
        return self._text("iommu_kernel_param")

    @cached_property
    def kernel(self) -> str:
        """The release of the kernel."""
        return self._text("kernel_release")

    @cached_property
    def system(self) -> str:
        """The distribution."""
        return f"{self._text('distro_id')} {self._text('distro_version')}".strip()

    @cached_property
    def rocm(self) -> str:
        """The version of ROCm."""
        return self._text("rocm_version")

    @cached_property
    def sdk(self) -> str | None:
        """The version of the HIP SDK for Windows; empty for none."""
        return self._text("hip_sdk_version") if self.is_windows else None

    @cached_property
    def repair_program(self) -> bool:
        """Whoever has the report has the program."""
        return True

    def has_program(self, name: str) -> bool:
        """Whether rocminfo or hipInfo is on PATH, as the report says."""
        return bool(self._flag(f"{name.lower()}_present"))

    def rocm_program(self, name: str) -> str:
        """Return where a program of ROCm would be."""
        folder = self._text("rocm_path") or self._text(_OF_WINDOWS)
        return f"{folder}/bin/{name}" if folder else ""

    def variable(self, name: str) -> str | None:
        """Return a variable that the report has; it leaves out those that are not set."""
        environment = self._document.get("env")
        value = environment.get(name) if isinstance(environment, dict) else None
        return value if isinstance(value, str) else None


def _node(entry: Mapping[str, Any]) -> Node:
    can = (entry.get("user_can_read"), entry.get("user_can_write"))
    may_open = None if None in can else all(can)
    group = str(entry.get("owner_group") or "")
    return Node(str(entry.get("path")), group, None, str(entry.get("mode") or ""), may_open)
