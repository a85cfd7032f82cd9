"""Versions as people write them: what has one clear meaning is taken, all else is refused."""

from __future__ import annotations

import re

from packaging.version import Version

from rocmlint.errors import RocmlintError
from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.text.words import shortened
from rocmlint.text.written import minor_release, version_of

_ROCM = re.compile(
    r"(?:rocm[ =-]*|v)?(?P<version>\d{1,9}\.\d{1,9}(?:\.\d{1,9})?)(?:\.\d{4,})?(?:-\d+)?",
    re.ASCII | re.IGNORECASE,
)
"""Also as folders and indexes are named (rocm-7.1.0, rocm7.1), and as ``.info/version`` (7.1.0-98)
and Debian's packages (7.1.0.70100-20) say it. A number has at most nine digits: Python
refuses to read one of more than 4,300."""
_TORCH = re.compile(r"(?:torch[ =]*|==|v)?(?P<version>\d.*?)(?:\.\*)?", re.IGNORECASE)
"""Also as a requirement: torch==2.10.0, torch==2.10.*."""
_PYTHON = re.compile(r"(?:python)?(?P<version>\d{1,9}\.\d{1,9})(?:\.\d+)?", re.ASCII)
_MINOR = re.compile(r"(\d+\.\d+)(?:\.\d+)?(?!\d)")
_LABEL = re.compile(r"rocm(\d+\.\d+(?:\.\d+)?)")


class VersionError(RocmlintError):
    """A text is not a version, or there is none such; the message says what to write instead."""


def read_rocm(text: str) -> Version:
    """Read a version of ROCm: 7.1, 7.1.1, rocm7.1. Raises VersionError."""
    match = _ROCM.fullmatch(text.strip())
    if match is not None:
        return Version(match["version"])
    of_major = _minors_of(text.strip())
    if of_major:
        message = f"ROCm {text.strip()} is ambiguous; write one of {', '.join(of_major)}"
    else:
        message = f"{shortened(text)!r} is not a released ROCm version; write one such as 7.1"
    raise VersionError(message)


def _minors_of(major: str) -> list[str]:
    """Return the releases to major.minor that a major version of ROCm has wheels of torch for."""
    every = map(Version, {*rocm_wheels.rocm_versions(), *amd_wheels.rocm_versions()})
    return list(
        dict.fromkeys(minor_release(each) for each in sorted(every) if str(each.major) == major)
    )


def read_torch_version(text: str) -> Version:
    """Read a version of torch, minor (2.10) or more; also a nightly build. Raises VersionError."""
    match = _TORCH.fullmatch(text.strip())
    version = version_of(match["version"] if match else "")
    if version is None or version.epoch or len(version.release) < 2:
        message = (
            f"{shortened(text)!r} is not a valid torch version; write one such as 2.10 or 2.10.0"
        )
        raise VersionError(message)
    return version


def major_minor(version: str) -> str:
    """Reduce a version such as "7.1.25424" or "7.1.0.70100-20" to "7.1"; empty for no version."""
    match = _MINOR.search(version)
    return match[1] if match else ""


def labelled_rocm(version: str) -> str:
    """Return the ROCm that the label of a build names: 6.1 for 2.4.1+rocm6.1; or nothing."""
    return rocm_named_in(version.partition("+")[2])


def rocm_named_in(text: str) -> str:
    """Return the ROCm of the first label in a text: 6.1 for whl/rocm6.1; or nothing."""
    found = _LABEL.search(text)
    return found[1] if found else ""


def read_python_version(text: str) -> str:
    """Reduce a version of Python to major.minor, by which wheels differ. Raises VersionError."""
    match = _PYTHON.fullmatch(text.strip())
    if match is None:
        message = f"{shortened(text)!r} is not a valid Python version; write one such as 3.11"
        raise VersionError(message)
    return match["version"]
