"""Which ROCm AMD supports with which amdgpu driver: look-ups in shipped data.

The data are AMD's own matrix, made by ``tools/build_drivers.py``; the page names ROCm 10.0.0, so it
is not older than that release. What Linux itself ships of amdgpu is not in the matrix.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

_DATA = os.path.join(os.path.dirname(__file__), "data", "drivers.json")


def as_of() -> str:
    """Return the date of the matrix."""
    return str(_data()["date"])


def source() -> str:
    """Return the page that the matrix is from."""
    return str(_data()["source"])


def newest() -> str:
    """Return the newest driver of the matrix, to major.minor."""
    return str(next(iter(_data()["rocm_of_driver"])))


def driver_of(module: str) -> str:
    """Return the minor release of the driver (30.30) whose module has a version; or nothing.

    ``module`` is what /sys/module/amdgpu/version shows (6.16.13), a version of its own.
    """
    found = _data()["driver_of_module"].get(module)
    return str(found["driver"]) if found else ""


def rocm_for(driver: str) -> tuple[str, ...]:
    """Return the minor releases of ROCm that a driver (30.30, 6.4) is for; () if unknown."""
    return tuple(_data()["rocm_of_driver"].get(driver, ()))


def rocm_versions() -> frozenset[str]:
    """Return every minor release of ROCm in the matrix."""
    return frozenset(rocm for each in _data()["rocm_of_driver"].values() for rocm in each)


def drivers_for(rocm: str) -> tuple[str, ...]:
    """Return the drivers that are for a minor release of ROCm, the newest first; () for none."""
    matrix = _data()["rocm_of_driver"]
    return tuple(driver for driver, versions in matrix.items() if rocm in versions)


@cache
def _data() -> dict[str, Any]:
    with open(_DATA, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found
