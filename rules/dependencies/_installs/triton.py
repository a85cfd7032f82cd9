"""The Triton that a torch was built with, and what to do about another one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        return help_with(None, "")
    requirements = (each.requirement for each in case.everything.asked)
    needing = needing_triton(requirements) if there.renames_triton else ""
    return help_with(max(there.versions), needing)


def help_with(torch: Version | None, needing: str) -> str:
    """Return what to do where torch is known, and which package requires Triton ("" for none)."""
    version = "" if torch is None else _triton_with(torch)
    if torch is None or not version:
        reason = "Each torch is built with one Triton"
    else:
        minor = f"{torch.major}.{torch.minor}"
        reason = f"torch {minor} was built with Triton {'.'.join(version.split('.')[:2])}"
    if needing and version:
        return f"{reason}. {needing} requires `triton`: pin `triton=={version}`."
    return f"{reason}: leave `triton` out, or take the torch whose Triton you need."


def help_without_pin(needing: str) -> str:
    reason = "Each torch is built with one Triton"
    if needing:
        return (
            f"{reason}, and {needing} requires `triton`: pin torch, and `triton` to the release "
            "that it was built with."
        )
    return f"{reason}: leave `triton` out and pin torch, or pin the torch whose Triton you need."


def needing_triton(requirements: Iterable[Requirement]) -> str:
    """Return the first package that requires Triton, besides torch and its family; "" for none."""
    from rocmlint.published.requirements import applicable  # noqa: PLC0415 - loads packaging

    from .._pins.demands import demand_of  # noqa: PLC0415

    for requirement in applicable(tuple(requirements)):
        demand = None if requirement.name == "triton" else demand_of(requirement)
        if demand is not None and demand.triton and demand.package not in pytorch_index.FAMILY:
            return demand.package
    return ""


def listed_with(node: Declared, source: File) -> Iterator[Requirement]:
    """Yield the requirements of a list, and of those that it includes."""
    from rocmlint.project.inclusions import Listed, with_inclusions  # noqa: PLC0415
    from rocmlint.text.written import requirement_of  # noqa: PLC0415 - loads packaging

    own = Listed(os.path.abspath(source.path), source.parts)
    for _, parts, constraint in with_inclusions([own], source.read):
        for each in parts.declared:
            if each.group == node.group and not (constraint or each.constraint):
                requirement = requirement_of(each.text)
                if requirement is not None:
                    yield requirement


def _triton_with(torch: Version) -> str:
    """Return the Triton that one release of torch pins, else that of its minor release."""
    from rocmlint.published import requirements as published  # noqa: PLC0415
    from rocmlint.text.written import minor_release, version_of  # noqa: PLC0415

    public = version_of(torch.public)
    required = published.requirements("torch", public) if public is not None else None
    pins = [published.pin(each.specifier) for each in required or () if each.name == "triton"]
    return next((str(each) for each in pins if each is not None), "") or _triton_of(
        minor_release(torch)
    )


def _triton_of(minor: str) -> str:
    """Return the Triton that a torch was built with; "" where that is unknown."""
    from rocmlint.published import rocm_wheels  # noqa: PLC0415 - loads packaging

    row = rocm_wheels.row(minor) if minor else None
    return "" if row is None else row.triton.lstrip("=~")


def fits(requirement: Requirement, minor: str) -> bool:
    version = _triton_of(minor)
    pinned = bool(len(requirement.specifier))
    return pinned and bool(version) and _is_near(requirement, version)


def _is_near(requirement: Requirement, version: str) -> bool:
    """Return whether a requirement allows a Triton, or another patch release of it."""
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.published.requirements import pin  # noqa: PLC0415
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    pinned = pin(requirement.specifier)
    if pinned is not None:
        return minor_release(pinned) == minor_release(Version(version))
    return requirement.specifier.contains(version)


def torch_beside(node: Declared, source: File) -> tuple[str, int] | None:
    """Return the torch of a list whose index is one of PyTorch's for ROCm, and its line."""
    if not source.path.endswith((".txt", ".in")):
        return None
    indexes = source.parts.indexes
    names_rocm = any(pytorch_index.pytorch_index(each.url) for each in indexes)
    others = any(pytorch_index.is_other(each.url) for each in indexes)
    asks_pypi = all(each.extra or pytorch_index.is_pypi(each.url) for each in indexes)
    if not names_rocm or others or not asks_pypi:
        return None
    for each in source.parts.declared:
        if each.name == "torch" and each.group == node.group and "@" not in each.text:
            return each.text, each.span.line
    return None


def pinned_by(torch: str) -> Version | None:
    """Return the release that a requirement of torch pins; None for none."""
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging
    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    requirement = requirement_of(torch)
    return None if requirement is None else pin(requirement.specifier)
