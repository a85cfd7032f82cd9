"""The Triton that a torch was built with, and what to do about another one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import pytorch_index, rocm_wheels
from rocmlint.published.requirements import applicable, pin
from rocmlint.text.written import minor_release, requirement_of

from .._pins.demands import demand_of
from .cases import Harm
from .requested import listed_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Declared, File

    from .cases import Case


def _help_in(case: Case) -> str:
    """Return what to do in a command; pip counts the Triton of an image for what requires it.

    AMD's images have a Triton of their own, which no table of torch's releases knows.
    """
    there = case.torch
    if there is None or there.in_image or not there.minor:
        return _help_with("", "")
    requirements = (each.requirement for each in case.everything.asked)
    return _help_with(there.minor, _needing_triton(requirements) if there.renames_triton else "")


def _help_with(minor: str, needing: str) -> str:
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


def _needing_triton(requirements: Iterable[Requirement]) -> str:
    """Return the first package that requires Triton, besides torch and its family; "" for none."""
    for requirement in applicable(tuple(requirements)):
        demand = None if requirement.name == "triton" else demand_of(requirement)
        if demand is not None and demand.triton and demand.package not in pytorch_index.FAMILY:
            return demand.package
    return ""


def _triton_of(minor: str) -> str:
    """Return the Triton that a torch was built with; "" where that is unknown."""
    row = rocm_wheels.row(minor) if minor else None
    return "" if row is None else row.triton.lstrip("=~")


def fits(requirement: Requirement, minor: str) -> bool:
    """Return whether a requirement allows the Triton of a torch, or another patch release of it."""
    version = _triton_of(minor)
    if not version or not len(requirement.specifier):
        return False
    pinned = pin(requirement.specifier)
    if pinned is not None:
        return minor_release(pinned) == minor_release(Version(version))
    return requirement.specifier.contains(version)


def _torch_beside(node: Declared, source: File) -> tuple[Version | None, int] | None:
    """Return the torch, if pinned, of a list with an index of PyTorch's for ROCm, and its line."""
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


def harms(case: Case) -> Iterator[Harm]:
    """Yield which requirements are Triton, or require it."""
    if case.torch is None or not case.is_by_pip:
        return
    for asked in case.everything.asked:
        requirement = asked.requirement
        is_triton = requirement.name.lower() == "triton"
        if is_triton:
            advice = _help_in(case)
        else:
            demand = demand_of(requirement)
            if demand is None or not demand.triton or demand.package in pytorch_index.FAMILY:
                continue
            advice = (
                f"{demand.package} {demand.version} requires triton, and pip does not accept "
                f"pytorch-triton-rocm or triton-rocm instead. Add `--no-deps`."
            )
        if not requirement.url:
            place = asked.word if is_triton and not asked.listed else case.command
            message = _message(requirement, f"the {case.torch.described}")
            yield Harm(case, "triton", place, message, advice, asked)


def replaced_in_list(node: Declared, file: File) -> tuple[str, str]:
    """Return that a list replaces the Triton of its torch for ROCm, and what to do; or ""."""
    requirement = requirement_of(node.text) if node.name == "triton" else None
    torch = _torch_beside(node, file)
    if requirement is None or requirement.url or node.constraint or torch is None:
        return "", ""
    pinned, line = torch
    minor = "" if pinned is None else minor_release(pinned)
    if fits(requirement, minor):
        return "", ""
    beside, _ = listed_in(os.path.abspath(file.path), file)
    advice = _help_with(minor, _needing_triton(each for each, _ in beside))
    return _message(requirement, f"the ROCm torch (line {line})"), advice


def _message(requirement: Requirement, torch: str) -> str:
    text = f"{requirement.name}{requirement.specifier}"
    return f"`{text}` replaces the Triton of {torch} with PyPI's"
