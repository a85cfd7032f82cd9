"""Which torch has wheels for which ROCm: look-ups in shipped data, never the network.

The data are a row for each minor release of torch with its source, made by
``tools/build_rocm_wheels.py`` from the build matrices of github.com/pytorch/test-infra, the build
scripts of the wheels and the metadata of releases. Versions are text: "7.1", "6.2.4", "2.10". The
table begins with torch 1.9; it has GPUs from torch 1.11 on, and the libraries from torch 2.0 on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

from packaging.version import Version

from rocmlint.published import tables
from rocmlint.text.written import minor_release, version_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Status = Literal["release", "candidate", "nightly"]
"""Where the build matrix had the row: in the release's, the candidate's or the nightly one."""

NAME = "rocm_wheels.json"
SERVER = "https://download.pytorch.org/whl"
"""What stands before the name of each of PyTorch's package indexes."""
BUILT_FOR_CUDA = frozenset(
    {
        *("vllm", "sglang", "xformers", "lmdeploy", "sgl-kernel", "sglang-kernel"),
        *("transformer-engine", "transformer-engine-cu12", "tensorrt-llm", "torch-tensorrt"),
    }
)
"""Packages whose wheels on PyPI have code for CUDA only (xformers 0.0.35: ``.nv_fatbin``)."""
_FOR_ROCM_FROM = {"bitsandbytes": Version("0.49")}
"""Packages whose wheels on PyPI had code for CUDA only, before the first with libraries for ROCm
(bitsandbytes 0.48.2 has none in its list of files, 0.49.0 has libbitsandbytes_rocm62.so)."""


@dataclass(frozen=True)
class Row:
    """A minor release of torch."""

    torch: str
    """Major and minor: 2.10."""
    rocm: tuple[str, ...]
    """The versions of ROCm that have wheels, ascending."""
    status: Status
    source: str
    """File and commit that say so."""
    date: str
    """The day of that commit; empty where it is not known."""
    triton: str
    """What the CUDA wheel of this torch demands of triton; empty where it was not read."""
    torchvision: str
    """The newest minor release of torchvision that takes this torch; empty where not read."""
    python: str
    """Requires-Python of this torch; empty where it was not read."""
    newest: Mapping[str, str]
    """The newest release of each library that fits, for Python 3.11; empty before torch 2.0."""
    newest_source: str
    """How that was found, and when."""
    gfx: Mapping[str, str]
    """The GPUs that the wheels for each of these ROCm versions were built for, where known."""
    gfx_source: Mapping[str, str]
    """File and commit, or the thread, that say so, for each of them."""
    python_tags: Mapping[str, str]
    """The Python tags of each release's wheels for Linux on x86_64: cp310 cp311 cp313t."""


@cache
def rows() -> tuple[Row, ...]:
    """Return all rows, by torch, ascending."""
    return tables.read(NAME, read_rows, _newest, _check)


def read_rows(content: bytes) -> tuple[Row, ...]:
    """Read the file. Raises ValueError, TypeError or LookupError for what is not a table."""
    found = json.loads(content)["rows"]
    return tuple(Row(**{**each, "rocm": tuple(each["rocm"])}) for each in found)


def as_of() -> str:
    """Return the date of the newest row: what was published later is not known."""
    return _newest(rows())


def row(torch: str) -> Row | None:
    """Return the row of a torch: 2.4, 2.4.1 or 2.4.1+rocm6.1; None if there is none."""
    wanted = _minor(torch)
    return next((each for each in rows() if each.torch == wanted), None)


def rocm_versions() -> tuple[str, ...]:
    """Return the versions of ROCm that some torch has wheels for, ascending."""
    return tuple(sorted({rocm for each in rows() for rocm in each.rocm}, key=Version))


def torch_for(rocm: str) -> tuple[str, ...]:
    """Return the minor releases of torch that have wheels for a ROCm, ascending; () for none."""
    return tuple(each.torch for each in rows() if rocm in each.rocm)


def rocm_for(torch: str) -> tuple[str, ...]:
    """Return the versions of ROCm that a torch has wheels for, ascending; () for none."""
    found = row(torch)
    return found.rocm if found else ()


def nearest(rocm: str) -> str:
    """Return the nearest version of ROCm that has wheels.

    The newest that is not above it, as the wheels bring their own libraries and a newer driver
    runs older ones; below all, the oldest. Raises InvalidVersion for what is not a version.
    """
    asked, known = Version(rocm), rocm_versions()
    return next((each for each in reversed(known) if Version(each) <= asked), known[0])


def index_url(rocm: str, nightly: bool = False) -> str:
    """Return the package index for a ROCm. Raises LookupError if it has no such wheels."""
    statuses = {each.status for each in rows() if rocm in each.rocm}
    if nightly and "nightly" in statuses:
        return f"{SERVER}/nightly/rocm{rocm}"
    if nightly or not statuses - {"nightly"}:
        kind = "nightly wheels" if nightly else "wheels"
        message = f"torch has no {kind} for ROCm {rocm}"
        raise LookupError(message)
    return f"{SERVER}/rocm{rocm}"


def is_for_cuda(package: str, version: Version) -> bool:
    """Return whether PyPI's wheels of a release have code for CUDA only."""
    first = _FOR_ROCM_FROM.get(package)
    return package in BUILT_FOR_CUDA or (first is not None and version < first)


def architectures(torch: str, rocm: str) -> tuple[str, ...]:
    """Return the GPUs that the wheels of a torch for a ROCm have code for; () if unknown.

    This is what the wheels of releases were built for, not those of nightly builds;
    ``rocmlint verify kernels`` reads what is in a file.
    """
    found, version = row(torch), version_of(torch)
    if found is None or version is None or version.is_prerelease:
        return ()
    return tuple(found.gfx.get(rocm, "").split())


def built_for(gfx: str) -> tuple[tuple[str, str], ...]:
    """Return the releases of torch, and the ROCm versions, whose wheels have code for a GPU.

    Each is (torch, ROCm), ascending; () if none is known.
    """
    listed = ((each, rocm) for each in rows() if each.status == "release" for rocm in each.rocm)
    return tuple(
        (each.torch, rocm) for each, rocm in listed if gfx in each.gfx.get(rocm, "").split()
    )


def python_tags(torch: str) -> tuple[str, ...]:
    """Return the Python tags of a torch's wheels for Linux, such as "cp313"; () if unknown.

    A release (2.4.1, 2.4.1+rocm6.1) has its own; a minor version (2.4) has those of its releases.
    """
    found, version = row(torch), version_of(torch)
    if found is None or version is None:
        return ()
    if len(version.release) > 2:
        return tuple(found.python_tags.get(version.public, "").split())
    tags = (tag for tags in found.python_tags.values() for tag in tags.split())
    return tuple(dict.fromkeys(tags))


def _minor(torch: str) -> str:
    version = version_of(torch)
    return "" if version is None else minor_release(version)


def _newest(found: tuple[Row, ...]) -> str:
    return max(each.date for each in found)


def _check(found: tuple[Row, ...], shipped: tuple[Row, ...]) -> None:
    """Check a fetched table. Raises ValueError or TypeError where it is not what it should be.

    Also UnfitTableError where it lacks releases, as one from before this version of rocmlint may.
    """
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - linting checks no table

    versions = [Version(each.torch) for each in found]
    if not versions or versions != sorted(set(versions)):
        message = "the rows do not ascend"
        raise ValueError(message)
    for each in found:
        columns = (each.newest, each.gfx, each.gfx_source, each.python_tags)
        texts = [each.source, each.date, each.triton, each.torchvision, each.python]
        texts += [text for column in columns for text in (*column, *column.values())]
        if not all(isinstance(text, str) for text in texts):
            message = f"torch {each.torch}: not a text"
            raise TypeError(message)
        if each.status not in get_args(Status) or [*each.rocm] != sorted(each.rocm, key=Version):
            message = f"torch {each.torch}: not a row"
            raise ValueError(message)
        SpecifierSet(each.python)
    released = {each.torch for each in found if each.status == "release" and each.rocm}
    for each in shipped:
        if each.status == "release" and each.torch not in released:
            message = f"it does not have torch {each.torch}, which this version of rocmlint knows"
            raise tables.UnfitTableError(message)
