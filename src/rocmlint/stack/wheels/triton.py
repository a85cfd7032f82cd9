"""The triton of a torch: of two with other names, an installer leaves the old one there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

if TYPE_CHECKING:
    from rocmlint.stack.wheels.install import Installation

_FIRST = Version("2.0")
_RENAMED = Version("2.10")
"""torch 2.9.1+rocm6.4 requires pytorch-triton-rocm, 2.10.0+rocm7.1 triton-rocm (METADATA)."""


def triton_of(made: Installation) -> str:
    """Return the name of the triton that comes with the torch of a command; empty for none.

    AMD's builds for Linux require one that is called triton. Those without a version are the
    newest.
    """
    if made.wheels.source != "pytorch":
        return "triton" if made.wheels.system == "linux" else ""
    release = dict(made.packages)["torch"]
    version = Version(release) if release else _RENAMED
    if version < _FIRST:
        return ""
    return "triton-rocm" if version >= _RENAMED else "pytorch-triton-rocm"
