"""The packages of AMD's SDK: their names, and the command that installs them for a ROCm."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from packaging.version import Version

from rocmlint.published import amd_wheels

CORE, HOST = "rocm-sdk-core", "rocm-sdk-libraries"
FAMILY = re.compile(rf"{HOST}-(gfx[0-9a-z-]+)")
DEVICE = re.compile(r"(rocm-sdk|amd-torch|amd-torchvision)-device-(gfx[0-9a-z-]+)")
SDK = re.compile(r"rocm-sdk-[a-z0-9-]+|rocm-profiler")
"""The parts of AMD's SDK: the core, libraries, devel, profiler, code for GPUs, and later ones."""
_NIGHTLY_FAMILY = "https://rocm.nightlies.amd.com/v2/{family}/"
_DEV_FAMILY = "https://rocm.devreleases.amd.com/v2/{family}/"
"""docs/packaging/legacy_per_family_releases.md of ROCm/TheRock."""
_DEV = "https://rocm.devreleases.amd.com/whl-multi-arch/"
_PRERELEASES = "https://rocm.prereleases.amd.com/whl-multi-arch/"
"""docs/development/s3_buckets.md of ROCm/TheRock."""
_CANDIDATE = re.compile(r"[\d.]+rc\d{1,3}")
"""Of a release; nightly builds once were 7.0.0rc20250702."""
_DEVELOPMENT, _NIGHTLY = re.compile(r"[\d.]+\.dev\d"), re.compile(r"[\d.]+(?:a|rc)\d")
"""In versions: of a build of one commit (7.12.0.dev0+849eec4), and of one of the day."""
_FIRST_OF_STABLE = Version("10")


def is_of_amd(package: str) -> bool:
    """Return whether only AMD's indexes have a package: PyPI's rocm is something else."""
    return package in {"rocm", CORE} or bool(SDK.fullmatch(package) or DEVICE.fullmatch(package))


def rocm_of(version: str) -> str:
    """Return the ROCm that a version names: in the label of torch's, else the version itself."""
    label = version.partition("+")[2]
    return label.rpartition("rocm")[2] if "rocm" in label else version


def install(rocm: str, *wanted: str) -> str:
    """Return the command that installs requirements from AMD's index for a version of ROCm.

    That may be the version of a package that is built for it (2.13.0+rocm10.0.0). The parts of
    ROCm 7.2.1 for Windows are files of repo.radeon.com, which no index has.
    """
    rocm = rocm_of(rocm)
    files = (each for each in amd_wheels.builds() if each.index.kind == "files")
    with_parts = (each for each in files if each.rocm == rocm and f"{CORE}=={rocm}" in each.others)
    build = next(with_parts, None)
    if build is None:
        return install_from(index_for(rocm).url, *wanted)
    return install_from(build.index.url.format(rocm=rocm), *wanted, option="--find-links")


def install_from(url: str, *wanted: str, option: str = "--index-url") -> str:
    """Return the command that installs requirements from one index, or page of files."""
    return f"pip install {option} {url} {' '.join(map(shlex.quote, wanted))}"


def index_for(rocm: str) -> amd_wheels.Index:
    """Return the multi-arch index for a version of ROCm, as AMD's pages have them."""
    if _DEVELOPMENT.match(rocm):
        return replace(amd_wheels.index("nightly"), url=_DEV)
    if _CANDIDATE.fullmatch(rocm):
        return replace(amd_wheels.index("nightly"), url=_PRERELEASES)
    if _NIGHTLY.match(rocm):
        return amd_wheels.index("nightly")
    major = rocm.partition(".")[0]
    is_new = major.isdecimal() and Version(major[:9]) >= _FIRST_OF_STABLE
    return amd_wheels.index("stable" if is_new else "multi-arch")


def family_url(rocm: str) -> str:
    """Return the URL of the indexes for a family of GPUs, with a place for the ``family``."""
    if _DEVELOPMENT.match(rocm):
        return _DEV_FAMILY
    return _NIGHTLY_FAMILY if _NIGHTLY.match(rocm) else amd_wheels.index("family").url
