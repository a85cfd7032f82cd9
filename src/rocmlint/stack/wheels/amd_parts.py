"""The packages of AMD's SDK: their names, and the command that installs them for a ROCm."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace

from rocmlint.published import amd_wheels, rocm_wheels

CORE, HOST = "rocm-sdk-core", "rocm-sdk-libraries"
FAMILY = re.compile(rf"{HOST}-(gfx[0-9a-z-]+)")
DEVICE = re.compile(r"(rocm-sdk|amd-torch|amd-torchvision)-device-(gfx[0-9a-z-]+)")
SDK = re.compile(r"rocm-sdk-[a-z0-9-]+|rocm-profiler")
"""The parts of AMD's SDK: the core, libraries, devel, profiler, code for GPUs, and later ones."""
_RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9}){2}")
_FIRST_OF_STABLE = (10, 0)
"""The first release in stable.repo.amd.com; RELEASES.md of ROCm/TheRock."""
_FIRST_OF_PREVIEWS = (10, 1)
"""The first in the new index of candidates, nightly builds and builds in development."""


@dataclass(frozen=True)
class _Previews:
    """Where builds are that are not releases: RELEASES.md of ROCm/TheRock.

    Those before ROCm 10.1 stay where they were: legacy_multi_arch_releases.md and
    legacy_per_family_releases.md, both in docs/packaging of ROCm/TheRock.
    """

    version: re.Pattern[str]
    index: str
    earlier: str
    family: str


_PREVIEWS = (
    _Previews(  # of one commit: 7.12.0.dev0+849eec4
        re.compile(r"[\d.]+\.dev\d"),
        "https://dev.repo.amd.com/rocm/whl-next/",
        "https://rocm.devreleases.amd.com/whl-multi-arch/",
        "https://rocm.devreleases.amd.com/v2/{family}/",
    ),
    _Previews(  # candidates of a release; nightly builds once were 7.0.0rc20250702
        re.compile(r"[\d.]+rc\d{1,3}\Z"),
        "https://rc.repo.amd.com/rocm/whl-next/",
        "https://rocm.prereleases.amd.com/whl-multi-arch/",
        "https://rocm.prereleases.amd.com/whl/{family}/",
    ),
    _Previews(  # of the day
        re.compile(r"[\d.]+(?:a|rc)\d"),
        "https://nightly.repo.amd.com/rocm/whl-next/",
        "https://rocm.nightlies.amd.com/whl-multi-arch/",
        "https://rocm.nightlies.amd.com/v2/{family}/",
    ),
)


def is_of_amd(package: str) -> bool:
    """Return whether only AMD's indexes have a package: PyPI's rocm is something else."""
    return package in {"rocm", CORE} or bool(SDK.fullmatch(package) or DEVICE.fullmatch(package))


def is_build_of_amd(version: str) -> bool:
    """Return whether a torch or a companion is AMD's, by its label: PyTorch's is +rocm7.2."""
    label = version.partition("+")[2]
    of_pytorch = re.fullmatch(r"rocm\d+\.\d+", label) or label[4:] in rocm_wheels.rocm_versions()
    return "rocm" in label and not of_pytorch


def is_nightly(rocm: str) -> bool:
    """Return whether a version of ROCm is a build of the day in the index that has the newest."""
    previews = _previews(rocm)
    return previews is _PREVIEWS[-1] and _major_minor(rocm) >= _FIRST_OF_PREVIEWS


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
    previews, version = _previews(rocm), _major_minor(rocm)
    if previews is None:
        return amd_wheels.index("stable" if version >= _FIRST_OF_STABLE else "multi-arch")
    if version >= _FIRST_OF_PREVIEWS:
        return replace(amd_wheels.index("nightly"), url=previews.index)
    return replace(amd_wheels.index("multi-arch"), url=previews.earlier)


def is_version(rocm: str) -> bool:
    """Return whether a text is a version as AMD's indexes have them: all numbers, or a preview."""
    return _RELEASE.fullmatch(rocm) is not None or _previews(rocm) is not None


def has_one_index(rocm: str) -> bool:
    """Return whether AMD has one index only for a version of ROCm: none for a family of GPUs."""
    first = _FIRST_OF_STABLE if _previews(rocm) is None else _FIRST_OF_PREVIEWS
    return _major_minor(rocm) >= first


def family_url(rocm: str) -> str:
    """Return the URL of the indexes for a family of GPUs, with a place for the ``family``."""
    previews = _previews(rocm)
    return amd_wheels.index("family").url if previews is None else previews.family


def _previews(rocm: str) -> _Previews | None:
    return next((each for each in _PREVIEWS if each.version.match(rocm)), None)


def _major_minor(rocm: str) -> tuple[int, ...]:
    match = re.match(r"(\d{1,9})\.(\d{1,9})", rocm)
    return tuple(map(int, match.groups())) if match else (0, 0)
