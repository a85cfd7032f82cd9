"""The GPUs that a file names for what it starts, and whether the wheels of an index run on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

from .index_faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.requirements import Requirement

    from rocmlint.published.pytorch_index import PytorchIndex
    from rocmlint.rule import Command, File

_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
_LISTS = frozenset(
    {
        *("PYTORCH_ROCM_ARCH", "HIP_SUPPORTED_ARCHS", "GPU_ARCHS", "AMDGPU_TARGETS"),
        *("GPU_TARGETS", "HIP_ARCHITECTURES"),
    }
)
_VERSION = compile_lazily(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})\Z")
_GFX = compile_lazily(r"gfx\d{3,4}[0-9a-f]?(?![-\w])")


def without_code(
    index: PytorchIndex, pins: Sequence[Requirement], command: Command, file: File
) -> IndexFault | None:
    """Return that no torch of an index has code for any GPU that the file names."""
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - few files name an index

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
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - few files name an index

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
