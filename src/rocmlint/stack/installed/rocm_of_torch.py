"""Where the installed torch has ROCm's libraries from: itself, AMD's packages, or the host."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal

from packaging.utils import canonicalize_name

from rocmlint.stack.installed.rocm_folders import names_in
from rocmlint.stack.wheels.amd_parts import is_of_amd
from rocmlint.text.written import holds

if TYPE_CHECKING:
    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.installed.torch_build import TorchBuild

RocmOfTorch = Literal["", "torch", "rocm packages", "host"]
"""``torch/lib`` of PyTorch's wheels, the packages that AMD's wheels require, or an installed ROCm
that a torch was compiled with; empty for a torch that uses none."""

_HIP = re.compile(r"libamdhip64[\w.-]*\.so(?:\.\d+)*|amdhip64\w*\.dll")


def rocm_of_torch(torch: TorchBuild | None, environment: Environment) -> RocmOfTorch:
    """Return where torch has ROCm's libraries from, by its files and its metadata."""
    if torch is None or torch.kind != "HIP":
        return ""
    init, metadata = environment.modules.get("torch"), environment.get("torch")
    names = names_in(os.path.join(os.path.dirname(init), "lib")) if init else []
    if any(map(_HIP.fullmatch, names)):
        return "torch"
    markers = {**environment.markers, "extra": ""}
    required = metadata.requires if metadata else ()
    if any(_brings_rocm(each.name) and holds(each.marker, markers) for each in required):
        return "rocm packages"
    return "host"


def _brings_rocm(name: str) -> bool:
    return is_of_amd(canonicalize_name(name)) and "device" not in name
