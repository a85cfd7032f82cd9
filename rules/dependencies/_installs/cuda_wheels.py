"""Packages whose wheels on PyPI hold code for CUDA only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_KERNELS = frozenset({"sgl-kernel", "sglang-kernel", "flashinfer-python"})
"""What sglang, pure Python itself, brings for CUDA, but with its extras for ROCm."""


def cuda_wheel(requirement: Requirement) -> str:
    """Give the package that PyPI has for CUDA only, which a requirement brings; else ""."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging
    from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA  # noqa: PLC0415

    name = canonicalize_name(requirement.name)
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
