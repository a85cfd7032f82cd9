"""Which index to take torch from instead of PyPI, and by which command.

PyTorch's indexes have torch, its family, and little else: with one of them alone, pip finds neither
transformers nor what a project is built with. With `--extra-index-url` pip takes the newest of all
indexes, which is mostly PyPI's. What is installed already, pip keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.published.amd_index import amd_indexes_in

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.rule import File

    from .cases import Case


def index_advice(requirement: Requirement, case: Case, file: File) -> str:
    """Return what to type instead of an install of torch or its family from PyPI."""
    version = _rocm(requirement, file)
    option = _option(version, requirement, file)
    install = case.install
    names = dict.fromkeys(each.requirement.name.lower() for each in case.everything.asked)
    family = [each for each in names if each in pytorch_index.FAMILY]
    is_alone = len(family) == len(names)
    if is_alone and not (install.files or install.locations or install.unclear):
        return f"Add {option}"
    first = f"First install {' and '.join(family)} alone, with {option}"
    keep = ", and keep it by a constraint (`-c`)" if case.forced or install.upgrade else ""
    return f"{first}{keep}"


def _rocm(requirement: Requirement, file: File) -> str:
    """Return a ROCm whose index has that torch, if the file names one; "" for none."""
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging
    from rocmlint.published import rocm_wheels  # noqa: PLC0415

    is_torch = requirement.name.lower() == "torch"
    pinned = published.pin(requirement.specifier) if is_torch else None
    having = rocm_wheels.rocm_versions() if pinned is None else rocm_wheels.rocm_for(str(pinned))
    named = pytorch_index.rocm_in(file.text)
    if pinned is not None and not amd_indexes_in(file.text):
        named += having[-1:]
    return next((each for each in named if each in having), "")


def _option(version: str, requirement: Requirement, file: File) -> str:
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - reads data

    of_amd = amd_indexes_in(file.text)
    if of_amd and not version:
        needs_extra = not of_amd[0].family and _lacks_device(requirement)
        extra = f" and the extra for your GPU, as in `{requirement.name}[device-gfx942]`"
        return f"`--index-url {of_amd[0].url}`{extra if needs_extra else ''}"
    if not version:
        return "the `--index-url` that `rocmlint stack index-url` prints"
    return f"`--index-url {rocm_wheels.SERVER}/rocm{version}`"


def _lacks_device(requirement: Requirement) -> bool:
    """Return whether the code for a GPU is in an extra that is not asked for; audio has none."""
    has_extra = any(each.startswith("device-") for each in requirement.extras)
    return requirement.name.lower() in {"torch", "torchvision"} and not has_extra
