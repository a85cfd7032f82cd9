"""The commands that install JAX for a ROCm: AMD's own, and those of PyPI for any other ROCm."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import amd_wheels
from rocmlint.stack.wheels.amd_parts import install
from rocmlint.stack.wheels.install import enumerated
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.stack.advice.torch_command import Surroundings
    from rocmlint.stack.installed.distributions import Distribution

PART = re.compile(r"jax-rocm(\d{1,2})-(plugin|pjrt)")
"""The plugin, and the client of PJRT, for a major version of ROCm."""
_ON_PYPI = {
    "6": ("60", "0.4.35 0.5.0"),
    "7": ("7", "0.6.0 0.7.1 0.9.1 0.9.2 0.10.0 0.10.1 0.10.2 0.11.0 0.11.1 0.11.2 0.12.0"),
    "10": ("10", "0.11.1 0.11.2 0.12.0"),
}
"""The names of the parts on PyPI, and the releases of both (its pages, 2026-11-28)."""
_FIRST_FOR_10 = "0.11.1"
_TOO_OLD_FOR_10 = ("3.10", "3.11")
"""Pythons without a jax that knows ROCm 10: that of Python 3.11 ends with 0.10.2."""


def major_of(part: str) -> str:
    """Return the major version of ROCm in a name: 6 for jax-rocm60, 10 for jax-rocm10."""
    match = PART.fullmatch(part)
    digits = match[1] if match else ""
    return digits if digits.startswith("1") else digits[:1]


def part(name: str, version: str, here: Surroundings) -> str:
    """Return the command for one part in an exact version, from where that is published."""
    wanted = f"{name}=={version}"
    for row in amd_wheels.elsewhere("jax"):
        for words in map(shlex.split, _commands(row, here)):
            if wanted in [each.replace("_", "-") for each in words]:
                option = next(each for each in words if each.endswith("index-url"))
                url = words[words.index(option) + 1]
                return f"pip install --no-deps {option} {url} {wanted}"
    return install(version, wanted) if "+rocm" in version else f"pip install {wanted}"


def why_none(major: str, python: str) -> str:
    """Return why a Python has no JAX for a major version of ROCm; empty where it may have one."""
    if major != "10" or python not in _TOO_OLD_FOR_10:
        return ""
    return f"JAX for ROCm 10 requires jax {_FIRST_FOR_10}, which is for Python 3.12 and later"


def for_rocm(here: Surroundings, found: Iterable[Distribution] = ()) -> str:
    """Return how JAX is installed for the ROCm here.

    ``found`` are parts for another ROCm, which go first: JAX would load them, too.
    """
    others = [each.name for each in found]
    first = f"pip uninstall -y {' '.join(others)}, then " if others else ""
    major = here.rocm.partition(".")[0]
    none = why_none(major, here.python)
    if none:
        return none
    for row in amd_wheels.elsewhere("jax", here.rocm) if here.rocm else ():
        if here.python and here.python not in row.python:
            return f"JAX for ROCm {here.rocm} is built for Python {enumerated(row.python)} only"
        return first + " and ".join(_without_rocm(_commands(row, here), here))
    return first + _of_pypi(here, major)


def _of_pypi(here: Surroundings, major: str) -> str:
    """Return the command for the release of jax that is here, or the nearest that is published."""
    name, listing = _ON_PYPI.get(major, _ON_PYPI["7"])
    jax = here.get("jax")
    asked = version_of(jax.parsed.base_version) if jax and jax.parsed else None
    known = listing.split()
    release = next((e for e in reversed(known) if not asked or Version(e) <= asked), known[0])
    names = [] if asked == Version(release) else ["jax", "jaxlib"]
    names += [f"jax-rocm{name}-plugin", f"jax-rocm{name}-pjrt"]
    return f"pip install {' '.join(f'{each}=={release}' for each in names)}"


def _without_rocm(commands: Iterable[str], here: Surroundings) -> list[str]:
    """Leave out the command that installs AMD's own ROCm, where it is installed."""
    has_rocm = here.get("rocm-sdk-core") is not None
    return [each for each in commands if not (has_rocm and '"rocm[' in each)]


def _commands(row: amd_wheels.Elsewhere, here: Surroundings) -> tuple[str, ...]:
    """Return the commands for the GPU here; with a place for it where none is known."""
    if here.gpus:
        return row.commands_for(here.gpus[0])
    return tuple(each.format(gpu="gfx...", family="gfx...") for each in row.commands)
