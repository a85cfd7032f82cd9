"""The driver of the GPUs: AMD's amdgpu-dkms, Linux's own amdgpu, or Windows below WSL."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocmlint.disk.read import read_small
from rocmlint.published import drivers
from rocmlint.stack.installed.rocm_folders import names_in
from rocmlint.stack.installed.rocm_packages import dpkg, rpm
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.versions import major_minor

if TYPE_CHECKING:
    from rocmlint.gpus.machine import Machine
    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.installed.rocm import Rocm
    from rocmlint.stack.installed.torch_build import TorchBuild

Kind = Literal["amdgpu-dkms", "Linux", "WSL"]

_MODULE = "/sys/module/amdgpu"
_PACKAGE = "amdgpu-dkms"
_WSL = "/dev/dxg"
_BRIDGE = re.compile(r"librocdxg[\w.-]*\.so(?:\.\d+)*")
_LIBRARIES = ("lib", "lib64", "lib/x86_64-linux-gnu")
_OF_SYSTEM = ("/opt/rocm", "/opt/rocm/core", "/usr", "/usr/local")
_OF_WHEELS = "_rocm_sdk_core"
_LINUX = re.compile(r"Linux version (\S+)")
_ENCODED = re.compile(r"\.(\d{5,6}|\d{8})(?=-|$)")
"""The end of a package's version: 60402 is of 6.4.2, 30300100 of 30.30.1."""
_LONGEST = 100


@dataclass(frozen=True)
class Driver:
    """The driver of the GPUs. ``release`` is the driver's as AMD names it; empty where unknown.

    ``version`` is that of the kernel module (6.16.13), for the other kinds Linux's (6.14.0-29).
    ``note`` is what else to know of it, such as what WSL lacks.
    """

    kind: Kind
    version: str
    source: str
    release: str = ""
    note: str = ""

    @property
    def minor(self) -> str:
        """The release to major.minor ("30.30"), by which AMD says what it is for; or empty."""
        return major_minor(self.release)

    def __str__(self) -> str:
        """Return what it is, in a few words."""
        if self.kind == "amdgpu-dkms":
            return f"amdgpu-dkms {self.version}" + (f" (AMD's {self.release})" * bool(self.release))
        own = "Windows driver, under WSL" if self.kind == "WSL" else "in-kernel amdgpu"
        return f"{own}, Linux {self.version}"


def find_driver(machine: Machine, environment: Environment | None = None) -> Driver | None:
    """Read which driver is loaded; None if there is none, or it is unknown.

    ``environment`` may have AMD's wheels, which include what ROCm needs below WSL.
    """
    linux = _LINUX.match(_text(machine, "/proc/version"))
    kernel = linux[1][:_LONGEST] if linux else "of unknown version"
    if os.path.exists(machine.path(_WSL)):
        return Driver("WSL", kernel, _WSL, note=_bridge(machine, environment))
    if "microsoft" in kernel.lower():
        note = f"{_WSL} is missing: pass it to the container (--device {_WSL})"
        return Driver("WSL", kernel, "/proc/version", note=note)
    module = _text(machine, f"{_MODULE}/version")
    if module:
        release, source = _release(machine, module)
        return Driver("amdgpu-dkms", module, source, release)
    if os.path.isdir(machine.path(_MODULE)):
        return Driver("Linux", kernel, "/proc/version")
    return None


def driver_and_rocm(
    driver: Driver | None, torch: TorchBuild | None, rocm: Rocm
) -> tuple[Verdict, ...]:
    """Judge the driver by AMD's matrix, for the ROCm that torch includes or that is installed."""
    wanted = torch.rocm_release if torch and torch.kind == "HIP" else ""
    wanted = wanted or rocm.release
    supported = drivers.rocm_for(driver.minor) if driver else ()
    if driver is None or not wanted or not supported or wanted not in drivers.rocm_versions():
        return ()
    fits = wanted in supported
    known = drivers.drivers_for(wanted)
    listed = f"AMD's matrix ({drivers.as_of()}) lists this driver with ROCm {', '.join(supported)}"
    return (
        Verdict(
            "amdgpu",
            driver.release,
            "ROCm",
            wanted,
            f"a driver for ROCm {wanted}",
            "documented",
            "fits" if fits else "note",
            reason="" if fits else f"{listed}, not with {wanted}",
            action="" if fits else f"install the amdgpu driver {' or '.join(known)}",
            source=drivers.source(),
        ),
    )


def unknown(driver: Driver, wanted: str) -> str:
    """Return why AMD's matrix does not say whether a driver is for a ROCm; nothing if it does."""
    matrix = f"AMD's matrix ({drivers.as_of()})"
    if driver.kind == "Linux":
        what = f"whether this driver supports ROCm {wanted}"
        return f"{matrix} covers amdgpu-dkms only: {what} is unknown"
    if driver.kind == "WSL":
        return f"{matrix} does not cover WSL: whether its driver supports ROCm {wanted} is unknown"
    if not drivers.rocm_for(driver.minor):
        return f"{matrix} does not list this driver: whether it supports ROCm {wanted} is unknown"
    if wanted not in drivers.rocm_versions():
        return f"{matrix} does not list ROCm {wanted}: whether this driver supports it is unknown"
    return ""


def _release(machine: Machine, module: str) -> tuple[str, str]:
    """Return the release of the driver and where it was read: its package has the patch, too."""
    packages = [(_PACKAGE, version) for _, version, _ in dpkg(machine, re.compile(_PACKAGE))]
    for manager, found in (("dpkg", packages), ("rpm", rpm(machine, _PACKAGE)[0])):
        for name, version in found:
            upstream = version.partition(":")[2] or version
            encoded = _ENCODED.search(upstream)
            if name == _PACKAGE and encoded and upstream.startswith(f"{module}."):
                return _decoded(encoded[1]), f"{_MODULE}/version, {manager}: {_PACKAGE}"
    return drivers.driver_of(module), f"{_MODULE}/version"


def _decoded(number: str) -> str:
    parts = [number[i : i + 2] for i in range(0, 6, 2)] if len(number) == 8 else []
    parts = parts or [number[:-4], number[-4:-2], number[-2:]]
    return ".".join(str(int(each)) for each in parts)


def _bridge(machine: Machine, environment: Environment | None) -> str:
    """Return what ROCm needs below WSL: AMD's bridge to the driver of Windows."""
    core = environment.get("rocm-sdk-core") if environment else None
    chosen = machine.environment.get("ROCM_PATH")
    homes = [machine.path(each) for each in (*([chosen] if chosen else []), *_OF_SYSTEM)]
    homes += [os.path.join(os.path.dirname(core.place), _OF_WHEELS)] if core else []
    for folder in (os.path.join(home, each) for home in homes for each in _LIBRARIES):
        found = next((each for each in names_in(folder) if _BRIDGE.fullmatch(each)), None)
        if found:
            return f"{os.path.join(folder, found)} is installed"
    return (
        "librocdxg.so, through which ROCm reaches the Windows driver, was not found: install "
        "amdrocm-wsl; before ROCm 7.13 also set HSA_ENABLE_DXG_DETECTION=1"
    )


def _text(machine: Machine, path: str) -> str:
    try:
        return read_small(machine.path(path), 10_000).decode(errors="replace").strip()[:_LONGEST]
    except OSError:
        return ""
