"""What is wrong with a package index, and what a file takes from one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.published import requirements as published
from rocmlint.published.amd_index import amd_index
from rocmlint.published.pytorch_index import pytorch_index
from rocmlint.published.requirements import applicable
from rocmlint.rule import compile_lazily
from rocmlint.text.written import minor_release, requirement_of

from .words import SERVERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.requirements import Requirement

    from rocmlint.published.amd_index import AmdIndex
    from rocmlint.published.pytorch_index import PytorchIndex
    from rocmlint.rule import Command, File, Index

_AS_AT_PYTORCH = compile_lazily(r"(?:rocm[-_]?)?(\d+(?:\.\d+)*)\Z")
"""A version of ROCm in place of a family of GPUs."""
_SHORT = compile_lazily(r"rocm(\d+\.\d+)\Z")
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
_LISTS = frozenset(
    {
        *("PYTORCH_ROCM_ARCH", "HIP_SUPPORTED_ARCHS", "GPU_ARCHS", "AMDGPU_TARGETS"),
        *("GPU_TARGETS", "HIP_ARCHITECTURES"),
    }
)
_VERSION = compile_lazily(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})\Z")
_GFX = compile_lazily(r"gfx\d{3,4}[0-9a-f]?(?![-\w])")


class IndexFault(NamedTuple):
    """What is wrong with an index, what to do, and the ROCm to name instead ("" for none)."""

    message: str
    help: str
    better: str = ""


def torch_from(node: Index, source: File) -> list[Requirement]:
    """Return the requirements of torch that come from an index on Linux, those that are known."""
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
    """Return the fault of AMD's index, or of the torch that the same command pins."""
    match = _AS_AT_PYTORCH.match(index.family)
    if match is not None:
        return _no_family(index.family, match[1])
    if index.is_preview or len(pins) != 1 or pins[0].url:
        return None
    pinned = published.pin(pins[0].specifier)
    short = _SHORT.match((pinned.local or "") if pinned is not None else "")
    if pinned is None or short is None or f"{short[1]}.0" not in amd_wheels.rocm_versions():
        return None
    asked = f"torch{pins[0].specifier}"
    return IndexFault(
        f"AMD's index has no `{asked}`: its labels have the full ROCm version",
        f"Write `torch=={pinned}.0`: pip accepts no other label.",
    )


def _no_family(family: str, rocm: str) -> IndexFault:
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


def fault_of_pytorch(
    index: PytorchIndex, pins: list[Requirement], extra: bool
) -> IndexFault | None:
    """Return the fault of PyTorch's index, or of the torch that the same command pins.

    An ``extra`` one is asked in addition to PyPI.
    """
    return missing(index, extra) or _not_of_pin(index, pins, extra)


def missing(index: PytorchIndex, extra: bool) -> IndexFault | None:
    """Return that there are no wheels for a ROCm, and which one to take."""
    known = rocm_wheels.rocm_versions()
    if index.version in known or Version(index.version) < Version(known[0]):
        return None
    if Version(index.version) > Version(known[-1]):
        return None  # newer than what is known here
    if index.kind and any(each.startswith(f"{index.version}.") for each in known):
        return None  # nightly builds of 5.4 came before the release for 5.4.2
    nearest = rocm_wheels.nearest(index.version)
    return IndexFault(
        f"PyTorch has no wheels for ROCm {index.version}: this index does not exist",
        f"Use `{_url(index, nearest)}`, the nearest, with torch "
        f"{_listed(rocm_wheels.torch_for(nearest))}{_effect(extra)}.",
        nearest,
    )


def _not_of_pin(index: PytorchIndex, pins: list[Requirement], extra: bool) -> IndexFault | None:
    """Return the fault that the index of a ROCm does not have the torch that a command pins."""
    minors = rocm_wheels.torch_for(index.version)
    if index.kind or not minors or len(pins) != 1 or pins[0].url:
        return None
    specifier = pins[0].specifier
    pinned = published.pin(specifier)
    is_build = pinned is not None and pinned.local is not None  # of which PyPI has none
    if pinned is not None:
        wanted = {minor_release(pinned)}
        local = (pinned.local or "").removeprefix("rocm")
        is_other = (pinned.local or "").startswith("rocm") and local != index.version
    else:
        allowed = [each for each in published.releases("torch") if specifier.contains(each)]
        wanted = {minor_release(each) for each in allowed}
        is_other = False
    rocm = [each for minor in sorted(wanted) for each in rocm_wheels.rocm_for(minor)]
    if not rocm or (wanted & set(minors) and not is_other):
        return None
    asked = f"torch{specifier}"
    return IndexFault(
        f"The index for ROCm {index.version} has torch {_span(minors)}, not `{asked}`",
        f"That torch has wheels for ROCm {_listed(tuple(dict.fromkeys(rocm)))}"
        f"{_effect(extra and not is_build)}.",
        _nearest_of(index.version, rocm) if pinned is not None and not is_other else "",
    )


def _nearest_of(asked: str, versions: list[str]) -> str:

    ascending = sorted(versions, key=Version)
    below = [each for each in ascending if Version(each) <= Version(asked)]
    return (below or ascending[:1])[-1]


def _effect(extra: bool) -> str:
    """Return the effect of an index next to PyPI on pip: a sentence without its end."""
    return ". As written, pip installs PyPI's CUDA build" if extra else ""


def _url(index: PytorchIndex, version: str) -> str:
    return index._replace(version=version).url


def _span(versions: tuple[str, ...]) -> str:
    """Name versions in a message: three at most, else the first and the last."""
    return _listed(versions) if len(versions) < 4 else f"{versions[0]} to {versions[-1]}"


def _listed(versions: tuple[str, ...]) -> str:
    return " and ".join([", ".join(versions[:-1]), versions[-1]]) if versions[1:] else versions[0]


def without_code(
    index: PytorchIndex, pins: Sequence[Requirement], command: Command, file: File
) -> IndexFault | None:
    """Return that no torch of an index has code for any GPU that the file names."""
    gpus = _named(command, file)
    minors = _minors(index, pins)
    has_code = [{*rocm_wheels.architectures(each, index.version)} for each in minors]
    if not gpus or not has_code or any(not each or each & {*gpus} for each in has_code):
        return None
    listed = " or ".join(gpus[:3])
    which = f"torch {minors[0]}" if len(minors) == 1 else "No torch"
    verb = "has no code" if len(minors) == 1 else "has code"
    built = rocm_wheels.built_for(gpus[0])
    first = f"Torch {' for ROCm '.join(built[0])} is the first with code for it. " if built else ""
    return IndexFault(
        f"{which} in the index for ROCm {index.version} {verb} for {listed}",
        f"{first}`rocmlint stack install-command --gpu {gpus[0]}` prints a command that fits.",
    )


def _minors(index: PytorchIndex, pins: Sequence[Requirement]) -> list[str]:
    """Return the minor releases of torch that a command may take from an index."""
    if index.kind or len(pins) != 1 or pins[0].url:
        return []
    allowed = pins[0].specifier
    return [
        each
        for each in rocm_wheels.torch_for(index.version)
        if any(allowed.contains(f"{each}.{patch}") for patch in range(10))
    ]


def _named(command: Command, file: File) -> tuple[str, ...]:
    """Return the GPUs that variables name where a command runs; an override decides alone."""
    image = None if command.step.image is None else command.step.image.span
    here = [
        each.value.text
        for each in file.parts.settings
        if each.name == _OVERRIDE and each.holder in {None, image} and each.value is not None
    ]
    versions = [_VERSION.match(each) for each in here]
    if versions:
        known = [f"gfx{match[1]}{int(match[2]):x}{int(match[3]):x}" for match in versions if match]
        return tuple(dict.fromkeys(known)) if len(known) == len(versions) else ()
    lists = [
        each.value
        for each in file.parts.settings
        if each.name in _LISTS and each.holder in {None, image} and each.value is not None
    ]
    if not all(each.known for each in lists):
        return ()
    return tuple(dict.fromkeys(gpu for each in lists for gpu in _GFX.findall(each.text)))
