"""Packages whose wheels on PyPI hold code for CUDA only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_KERNELS = frozenset({"sgl-kernel", "sglang-kernel", "flashinfer-python"})
"""What sglang, pure Python itself, brings for CUDA, but with its extras for ROCm."""


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
