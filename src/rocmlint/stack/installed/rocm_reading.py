"""Readings of ROCm's version from several sources, and the one that counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rocmlint.stack.versions import major_minor

Kind = Literal["program", "file", "system package", "wheel", "torch"]

_VERSION = re.compile(r"[1-9]\d*\.\d+(?:\.\d+)?(?!\d)")
"""A version of ROCm, of which none began with 0: a build without its own version is 0.1.dev0."""


def first_version(text: str) -> str:
    """Return the version of a text that begins with one ("7.1.0-98" is 7.1.0); else nothing."""
    match = _VERSION.match(text.strip())
    return match[0] if match else ""


@dataclass(frozen=True)
class RocmReading:
    """The version that one source says, such as "7.1.0", or in ``problem`` why it says none."""

    source: str
    kind: Kind
    version: str = ""
    problem: str = ""

    @property
    def release(self) -> str:
        """The version to major.minor ("7.1"), which is what wheels are named by; or empty."""
        return major_minor(self.version)


@dataclass(frozen=True)
class Rocm:
    """All that was read, the word that counts first."""

    readings: tuple[RocmReading, ...] = ()

    @property
    def chosen(self) -> RocmReading | None:
        """The first that knows a version; None where no ROCm was found."""
        return next((each for each in self.readings if each.version), None)

    @property
    def version(self) -> str:
        """The version of ROCm here; empty if there is none."""
        return self.chosen.version if self.chosen else ""

    @property
    def without_torch(self) -> Rocm:
        """The ROCm that is installed apart from torch, whose wheels include ROCm's libraries."""
        return Rocm(tuple(each for each in self.readings if each.kind != "torch"))

    @property
    def release(self) -> str:
        """The version to major.minor, or empty."""
        return major_minor(self.version)

    @property
    def others(self) -> tuple[RocmReading, ...]:
        """The readings that name another major.minor than the one that counts."""
        return tuple(
            each for each in self.readings if each.version and each.release != self.release
        )

    @property
    def problems(self) -> tuple[RocmReading, ...]:
        """The readings that should have named a version and do not."""
        return tuple(each for each in self.readings if each.problem)
