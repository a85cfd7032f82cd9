"""Which of its libraries bitsandbytes loads for a HIP: its wheel has one for each of several.

Read in ``cuda_specs.py`` and ``cextension.py`` of the wheels 0.49.2 and 0.50.2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.stack.installed.distributions import Distribution

NAME = "bitsandbytes"
WITH_NEAREST = Version("0.50.0")
"""From here on a wheel without the library for a HIP takes that of another minor version."""
_LIBRARY = re.compile(r"libbitsandbytes_rocm(\d{2,4})\w*\.(?:so|dll)")


def libraries_for_rocm(files: Iterable[str]) -> list[str]:
    """Return the numbers of its libraries for ROCm, as in ``libbitsandbytes_rocm72.so``."""
    names = (each.replace("\\", "/").rpartition("/")[2] for each in files)
    return sorted({match[1] for match in map(_LIBRARY.fullmatch, names) if match}, key=_version)


def wanted(package: Distribution, hip: str) -> str:
    """Return the number of the library that a release looks for first: 72 for HIP 7.2.

    For HIP 7.14 that is 714, and before 0.50 84: 10 times the major plus the minor version.
    """
    major, minor = (int(each) for each in hip.split(".")[:2])
    return f"{major}{minor}" if _takes_nearest(package) else str(10 * major + minor)


def loaded(package: Distribution, hip: str, there: Iterable[str]) -> str:
    """Return the number of the library that is loaded; empty if the import of it fails."""
    first, known = wanted(package, hip), sorted(there, key=_version)
    if first in known or not _takes_nearest(package):
        return first if first in known else ""
    same = [each for each in known if each[0] == first[0]]
    lower = [each for each in same if _version(each) < _version(first)]
    return (lower[-1:] or same[:1] or [""])[0]


def _takes_nearest(package: Distribution) -> bool:
    version = package.parsed
    return version is None or version.release >= WITH_NEAREST.release


def _version(number: str) -> tuple[int, int]:
    """Read 72 as 7.2 and 714 as 7.14."""
    return int(number[0]), int(number[1:])
