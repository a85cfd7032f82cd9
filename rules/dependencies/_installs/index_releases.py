"""Whether an index for ROCm beside PyPI has the torch that pip would take: the newest of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.amd_index import amd_index
from rocmlint.published.pytorch_index import pytorch_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.requirements import Requirement


def is_asked_beside(url: str, kind: str) -> bool:
    """Return whether an index beside PyPI leaves a harm of a kind possible.

    PyTorch's has torch's family and what that requires; AMD's have other packages, too.
    """
    index = amd_index(url)
    is_torch = kind == "torch" and index is not None and not index.is_preview
    return is_torch or pytorch_index(url) is not None


def has_newest(requirement: Requirement, urls: Sequence[str]) -> bool:
    """Return whether one of the indexes for ROCm has what a requirement of torch's family asks for.

    An index of AMD's may have more than AMD documents, but no torch that is newer than all of its
    builds: AMD builds a torch after PyTorch has released it. False where none of these is an index
    of releases; True where it cannot be told.
    """
    from packaging.version import Version  # noqa: PLC0415 - few commands ask several indexes

    from rocmlint.published import amd_wheels, rocm_wheels  # noqa: PLC0415
    from rocmlint.published import requirements as published  # noqa: PLC0415
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    of_pytorch = [each for each in map(pytorch_index, urls) if each is not None]
    of_amd = [each for each in map(amd_index, urls) if each is not None]
    specifier = requirement.specifier
    newest = published.pin(specifier) or published.newest("torch", specifier)
    if requirement.name.lower() != "torch" or newest is None:
        return bool(of_pytorch or of_amd)
    minors = [rocm_wheels.torch_for(each.version) for each in of_pytorch]
    builds = [Version(Version(each.torch).public) for each in amd_wheels.builds()]
    return (
        any(each.kind for each in of_pytorch)
        or any(each.is_preview for each in of_amd)
        or any(minor_release(newest) in each for each in minors)
        or bool(of_amd and newest <= max(builds))
    )
