"""Which packages are there when a command runs, and which of PyPI's are for CUDA only."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File

    from .cases import Case

_REPOSITORY = compile_lazily(r"(?:://|git@)[^\s#@]*[/:]([\w.-]+?)(?:\.git)?(?:[@#].*)?\Z")
_WHEEL = compile_lazily(r"(?:\A|[/=])([A-Za-z][\w.]*)-\d[^/]*\.(?:whl|tar\.gz)")
_SEPARATOR = compile_lazily(r"[-_.:/]")
_OF_TRAINING = frozenset({"transformer-engine", "transformer-engine-torch", "flash-attn"})
_KERNELS = frozenset({"sgl-kernel", "sglang-kernel", "flashinfer-python"})
"""What sglang, pure Python itself, requires for CUDA, unless its extras are for ROCm."""
_TRAINING = compile_lazily(r"megatron|primus|pytorch-training")


def packages_there(case: Case, file: File) -> frozenset[str]:
    """Return the packages of a place, by their normalized names.

    They came with torch, the image has them by its name, or the file has installed or cloned them
    before. What the command itself asks for is judged by itself.
    """
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    found = set(FAMILY if case.torch is None else case.torch.packages)
    found |= set(packages_of_image(case.command))
    before = (names for command, names in _bringing(file) if command.span < case.command.span)
    found.update(*before)
    own = {canonicalize_name(each.requirement.name) for each in case.everything.asked}
    return frozenset(found | own)


def packages_of_image(command: Command) -> Iterator[str]:
    """Yield what an image has: the words of its name, and for training more."""
    image = command.image
    if image is not None:
        yield from _SEPARATOR.split(image.text.lower())
        if _TRAINING.search(image.text.lower()):
            yield from _OF_TRAINING


@once_per_file
def _bringing(file: File) -> list[tuple[Command, frozenset[str]]]:
    """Return what each command installs first, and which repositories it clones."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    known: set[str] = set()
    found: list[tuple[Command, frozenset[str]]] = []
    for command in sorted(file.parts.commands, key=lambda each: each.span):
        names = frozenset[str](map(canonicalize_name, _brought(command))) - known
        known |= names
        if names:
            found.append((command, names))
    return found


def _brought(command: Command) -> Iterator[str]:
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

    install = install_of(command)
    for asked in () if install is None else install.requirements:
        if asked.name is not None:
            yield asked.name
    for word in command.words:
        match = _REPOSITORY.search(word.text) or _WHEEL.search(word.text)
        if match is not None:
            yield posixpath.basename(match[1])


def cuda_wheel(requirement: Requirement, there: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the package that PyPI has for CUDA only, behind those through which it comes.

    The first is the one that is asked for; () where there is none, but for those that are
    ``there`` already.
    """
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA  # noqa: PLC0415

    from .._pins.demands import demands_of  # noqa: PLC0415

    name = canonicalize_name(requirement.name)
    if any(each.endswith("hip") for each in requirement.extras):
        return ()
    if name in BUILT_FOR_CUDA and name != "sglang":
        return (name,)
    kernels = _KERNELS | BUILT_FOR_CUDA if name == "sglang" else BUILT_FOR_CUDA
    for each in demands_of(requirement, there)[1:]:
        if each.through[-1] in kernels:
            return (name, *each.through)
    return ()
