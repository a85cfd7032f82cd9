"""Packages whose wheels on PyPI hold code for CUDA only, and what shows that another is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import compile_lazily

from .rocm_torch import indexes_of

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File, Install

    from .requested import Everything

_KERNELS = frozenset({"sgl-kernel", "sglang-kernel", "flashinfer-python"})
"""What sglang, pure Python itself, brings for CUDA, but with its extras for ROCm."""
_BUILDS = compile_lazily(
    r"VLLM_TARGET_DEVICE|PIP_NO_BINARY|UV_NO_BINARY|--no-binary|wheels\.vllm\.ai"
)


def cuda_wheel(
    requirement: Requirement,
    command: Command,
    install: Install,
    everything: Everything,
    source: File,
) -> str:
    """Give the package that PyPI has for CUDA only, which a requirement brings; else "".

    "" too where the package is there already (from the image, or built in the file), is built
    here, or may come from an index for ROCm.
    """
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    name = canonicalize_name(requirement.name)
    if is_in_image(requirement, command) or _BUILDS.search(source.text):
        return ""
    if re.search(rf"/{re.escape(name)}(?:\.git|@|[\"']?\s)", source.text, re.IGNORECASE):
        return ""  # a clone of its repository, which is built
    indexes = (url for url, _ in indexes_of(install, everything.indexes))
    if any(url is None or pytorch_index.is_rocm(url) for url in indexes):
        return ""
    return _built_for_cuda(name, requirement)


def is_in_image(requirement: Requirement, command: Command) -> bool:
    """Say whether the image that a command runs in has a package, as its name says."""
    image = command.image
    return image is not None and requirement.name.lower() in image.text.lower()


def _built_for_cuda(name: str, requirement: Requirement) -> str:
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging
    from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA  # noqa: PLC0415

    if name not in BUILT_FOR_CUDA:
        return ""
    if name != "sglang":
        return name
    extras = tuple(sorted(requirement.extras))
    version = published.pin(requirement.specifier) or published.newest(name, requirement.specifier)
    if version is None or any(each.endswith("hip") for each in extras):
        return ""
    required = published.requirements(name, version) or ()
    brought = (canonicalize_name(each.name) for each in published.applicable(required, extras))
    return next((each for each in brought if each in _KERNELS), "")
