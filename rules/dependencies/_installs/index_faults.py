"""What is wrong with a package index, and what a file takes from one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.published.amd_index import amd_index
from rocmlint.published.pytorch_index import pytorch_index
from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.requirements import Requirement

    from rocmlint.published.amd_index import AmdIndex
    from rocmlint.rule import File, Index

SERVERS = ("pytorch.org/whl", "amd.com/")
"""What stands in the URLs of PyTorch's and AMD's indexes."""
_AS_AT_PYTORCH = compile_lazily(r"(?:rocm[-_]?)?(\d+(?:\.\d+)*)\Z")
"""A version of ROCm in place of a family of GPUs."""
_SHORT = compile_lazily(r"rocm(\d+\.\d+)\Z")


class IndexFault(NamedTuple):
    """What is wrong with an index, what to do, and the ROCm to name instead ("" for none)."""

    message: str
    help: str
    better: str = ""


def torch_from(node: Index, source: File) -> list[Requirement]:
    """Return the requirements of torch that come from an index on Linux, as far as that is told."""
    from rocmlint.published.requirements import applicable  # noqa: PLC0415 - loads packaging
    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    takes = node.takes
    if takes is None:
        found = source.parts.indexes
        indexes = [each for each in found if any(server in each.url for server in SERVERS)]
        if len(indexes) > 1 or node not in found:
            return []
        takes = tuple(each for each in source.parts.declared if not each.group)
    texts = {each.text: requirement_of(each.text) for each in takes if each.name == "torch"}
    return list(applicable(each for each in texts.values() if each is not None))


def fault_of_amd(index: AmdIndex, pins: list[Requirement]) -> IndexFault | None:
    """Return what is wrong with an index of AMD's, or with the torch that is pinned beside it."""
    match = _AS_AT_PYTORCH.match(index.family)
    if match is not None:
        return _no_family(index.family, match[1])
    if index.is_preview or len(pins) != 1 or pins[0].url:
        return None
    from rocmlint.published import amd_wheels, requirements  # noqa: PLC0415 - few files name one

    pinned = requirements.pin(pins[0].specifier)
    short = _SHORT.match((pinned.local or "") if pinned is not None else "")
    if pinned is None or short is None or f"{short[1]}.0" not in amd_wheels.rocm_versions():
        return None
    asked = f"torch{pins[0].specifier}"
    return IndexFault(
        f"AMD's index has no `{asked}`: its labels have the full ROCm version",
        f"Write `torch=={pinned}.0`: pip accepts no other label.",
    )


def _no_family(family: str, rocm: str) -> IndexFault:
    from rocmlint.published import amd_wheels, rocm_wheels  # noqa: PLC0415 - few files name one

    newest = amd_wheels.indexes()[0].url
    other = ".".join(rocm.split(".")[:2])
    url = f"{rocm_wheels.SERVER}/rocm{other}"
    pytorch = f", or PyTorch's `{url}`" if rocm_wheels.torch_for(other) else ""
    return IndexFault(
        f"AMD has no index `{family}`: its indexes are named after GPUs, not ROCm versions",
        f"Use `{newest}` with the extra for your GPU, `torch[device-gfx942]`{pytorch}.",
    )


def has_newest(requirement: Requirement, urls: Sequence[str]) -> bool:
    """Return whether one of the indexes for ROCm has what a requirement of torch's family asks for.

    An index of AMD's may have more than AMD documents, but no torch that is newer than all of its
    builds: AMD builds a torch after PyTorch has released it. False where none of these is an index
    of releases; True where it is not known.
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
