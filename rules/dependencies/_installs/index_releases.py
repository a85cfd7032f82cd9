"""Whether an index for ROCm beside PyPI has the torch that pip would take: the newest of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.amd_index import amd_index
from rocmlint.published.pytorch_index import pytorch_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.published.amd_index import AmdIndex
    from rocmlint.published.pytorch_index import PytorchIndex


def is_asked_beside(url: str, kind: str) -> bool:
    """Return whether an index beside PyPI leaves a harm of a kind possible.

    PyTorch's has torch's family and what that requires; AMD's have other packages, too.
    """
    index = amd_index(url)
    is_torch = kind == "torch" and index is not None and not index.is_preview
    return is_torch or pytorch_index(url) is not None


def has_newest(requirement: Requirement, urls: Sequence[str]) -> bool:
    """Return whether one of the indexes for ROCm has what a requirement of torch's family asks for.

    False where none of these is an index of releases; True where it cannot be told.
    """
    of_pytorch = [each for each in map(pytorch_index, urls) if each is not None]
    of_amd = [each for each in map(amd_index, urls) if each is not None]
    if requirement.name.lower() != "torch":
        return bool(of_pytorch or of_amd)
    return _has_torch(requirement, of_pytorch) or _may_have_torch(requirement, of_amd)


def _has_torch(requirement: Requirement, indexes: Iterable[PytorchIndex]) -> bool:
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - loads packaging
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    newest = _newest(requirement)
    for each in indexes:
        if newest is None or each.kind:
            return True
        if minor_release(newest) in rocm_wheels.torch_for(each.version):
            return True
    return False


def _may_have_torch(requirement: Requirement, indexes: Iterable[AmdIndex]) -> bool:
    """Return whether an index of AMD's may have the newest torch, or a build of a day.

    An index may have more than what AMD documents, but not a torch that is newer than all of its
    builds: AMD builds a torch after PyTorch has released it.
    """
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.published import amd_wheels  # noqa: PLC0415

    newest = _newest(requirement)
    builds = {Version(Version(each.torch).public) for each in amd_wheels.builds()}
    is_behind = newest is not None and all(each < newest for each in builds)
    return any(each.is_preview or not is_behind for each in indexes)


def _newest(requirement: Requirement) -> Version | None:
    """Return the newest release on PyPI that a requirement allows."""
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    specifier = requirement.specifier
    return published.pin(specifier) or published.newest("torch", specifier)
