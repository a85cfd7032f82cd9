"""The Triton that a torch was built with, and what to do about another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.rule import Declared, File

    from .cases import Case


def help_in(case: Case) -> str:
    """Return what to do in a command; pip counts the Triton of an image for what requires it.

    AMD's images have a Triton of their own, which no table of torch's releases knows.
    """
    there = case.torch
    if there is None or there.in_image or not there.minor:
        return help_with("", "")
    requirements = (each.requirement for each in case.everything.asked)
    return help_with(there.minor, needing_triton(requirements) if there.renames_triton else "")


def help_with(minor: str, needing: str) -> str:
    """Return what to do for a release of torch, and which package requires Triton ("" for none)."""
    triton = ".".join(_triton_of(minor).split(".")[:2])
    reason = "Each torch is built with one Triton"
    if triton:
        reason = f"torch {minor} was built with Triton {triton}"
    if needing and triton:
        return f"{reason}. {needing} requires `triton`: pin `triton=={triton}.*`."
    if needing:
        return f"{reason}, and {needing} requires `triton`: pin torch, and its Triton."
    return f"{reason}: leave `triton` out, or pin the torch whose Triton you need."


def needing_triton(requirements: Iterable[Requirement]) -> str:
    """Return the first package that requires Triton, besides torch and its family; "" for none."""
    from rocmlint.published.requirements import applicable  # noqa: PLC0415 - loads packaging

    from .._pins.demands import demand_of  # noqa: PLC0415

    for requirement in applicable(tuple(requirements)):
        demand = None if requirement.name == "triton" else demand_of(requirement)
        if demand is not None and demand.triton and demand.package not in pytorch_index.FAMILY:
            return demand.package
    return ""


def _triton_of(minor: str) -> str:
    """Return the Triton that a torch was built with; "" where that is unknown."""
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - loads packaging

    row = rocm_wheels.row(minor) if minor else None
    return "" if row is None else row.triton.lstrip("=~")


def fits(requirement: Requirement, minor: str) -> bool:
    """Return whether a requirement allows the Triton of a torch, or another patch release of it."""
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.published.requirements import pin  # noqa: PLC0415
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    version = _triton_of(minor)
    if not version or not len(requirement.specifier):
        return False
    pinned = pin(requirement.specifier)
    if pinned is not None:
        return minor_release(pinned) == minor_release(Version(version))
    return requirement.specifier.contains(version)


def torch_beside(node: Declared, source: File) -> tuple[Version | None, int] | None:
    """Return the torch, if pinned, of a list with an index of PyTorch's for ROCm, and its line."""
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging
    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    if not source.path.endswith((".txt", ".in")):
        return None
    indexes = source.parts.indexes
    names_rocm = any(pytorch_index.pytorch_index(each.url) for each in indexes)
    if not names_rocm or any(pytorch_index.is_other(each.url) for each in indexes):
        return None
    for each in source.parts.declared:
        if each.name == "torch" and each.group == node.group and "@" not in each.text:
            torch = requirement_of(each.text)
            return (None if torch is None else pin(torch.specifier)), each.span.line
    return None
