"""How an install brings in PyPI's torch, built for CUDA, and what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.published import pytorch_index

from .branches import are_alternatives
from .cuda_wheels import cuda_wheel, is_in_image
from .rocm_torch import indexes_of, is_from_rocm

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File, Install

    from .requested import Everything, Requested
    from .rocm_torch import RocmTorch

_BUILD_IT = "Build it for ROCm, or take an image or a wheel for ROCm."


class Case(NamedTuple):
    """A command that installs, and what is known of the place where it runs."""

    command: Command
    install: Install
    everything: Everything
    torch: RocmTorch | None
    evidence: str
    forced: bool
    """It upgrades or reinstalls what the packages require, too."""
    builds: bool
    """It asks for a build itself, such as 2.9.1+rocm6.4."""


def harm(asked: Requested, case: Case, source: File) -> str:
    """Say how a requirement brings in PyPI's torch; empty where it does not."""
    name = asked.requirement.name.lower()
    if asked.requirement.url or is_build(asked.requirement):
        return ""
    if name in pytorch_index.FAMILY:
        return _harm_of_family(name, asked, case, source)
    if case.install.no_dependencies:
        return ""
    return _harm_of_package(asked, case) or _harm_of_wheel(asked, case, source)


def is_build(requirement: Requirement) -> bool:
    """Say whether a build is asked for, such as 2.9.1+rocm6.4: PyPI has none."""
    return any("+" in each.version for each in requirement.specifier)


def _harm_of_family(name: str, asked: Requested, case: Case, source: File) -> str:
    requirement, torch = asked.requirement, case.torch
    if case.builds or is_alternative(case, source) or _is_in_extra_index(requirement, case):
        return ""
    index = _give_index(requirement, source)
    listed = f"`{asked.where}` lists {name}: " if asked.where else ""
    tool = case.install.tool
    taken = f"{tool} takes {name} from PyPI, built for CUDA"
    if case.install.indexes:
        taken = f"{taken}, where it is newer than that of the `--extra-index-url`"
    if torch is None:
        return f"{listed}{taken}. {index}"
    if name not in torch.packages and name != "torch":
        return (
            f"{listed}{taken}, which brings a torch of its own version in place of the "
            f"{torch.described}. {index}"
        )
    if case.forced or case.install.upgrade:
        there = torch.described if name == "torch" else f"{name} of the {torch.described}"
        return f"{listed}To upgrade or reinstall, {taken}, in place of the {there}. {index}"
    if not len(requirement.specifier):
        return ""
    return _harm_of_pin(name, asked, torch, index)


def _harm_of_pin(name: str, asked: Requested, torch: RocmTorch, index: str) -> str:
    from .._pins.demands import demand_of, is_narrow  # noqa: PLC0415 - loads packaging

    specifier = asked.requirement.specifier
    if name != "torch":
        demand = demand_of(asked.requirement)
        if demand is None or demand.torch is None:
            return ""
        specifier = demand.torch
    meets = torch.meets(specifier)
    if meets or (meets is None and not is_narrow(specifier)):
        return ""
    listed = f" ({asked.where})" if asked.where else ""
    unless = "" if meets is False else " where that has another version"
    return (
        f"`{asked.requirement}`{listed} is taken from PyPI, built for CUDA, in place of the "
        f"{torch.described}{unless}. {index}"
    )


def _harm_of_package(asked: Requested, case: Case) -> str:
    from .._pins.demands import demand_of, is_narrow  # noqa: PLC0415 - loads packaging

    demand, torch = demand_of(asked.requirement), case.torch
    if demand is None or demand.torch is None or _stays(asked.requirement, case):
        return ""
    listed = f"`{asked.where}` lists {demand.package}: " if asked.where else ""
    if case.forced and torch is not None:
        return (
            f"{listed}{demand.said}, and this upgrades or reinstalls that too: "
            f"{case.install.tool} takes it from PyPI, built for CUDA, in place of the "
            f"{torch.described}. Leave out the option, or add `--no-deps`."
        )
    if torch is None:
        if not is_narrow(demand.torch):
            return ""
        return (
            f"{listed}{demand.said}, which {case.install.tool} takes from PyPI, built for CUDA. "
            f"{_instead(asked.requirement, None)}"
        )
    meets = torch.meets(demand.torch)
    if meets or (meets is None and not is_narrow(demand.torch)):
        return ""
    unless = "" if meets is False else " where that has another version"
    return (
        f"{listed}{demand.said}: {case.install.tool} replaces the {torch.described} by PyPI's, "
        f"built for CUDA{unless}. {_instead(asked.requirement, torch)}"
    )


def _stays(requirement: Requirement, case: Case) -> bool:
    """Say whether a package stays as the image has it, whose name says that it is there."""
    if (
        case.forced
        or case.install.upgrade
        or any(each.operator == "==" for each in requirement.specifier)
    ):
        return False
    return is_in_image(requirement, case.command)


def _harm_of_wheel(asked: Requested, case: Case, source: File) -> str:
    """Say that a package goes with the torch that is there, but has code for CUDA only."""
    found = cuda_wheel(asked.requirement, case.command, case.install, case.everything, source)
    if not found or is_alternative(case, source):
        return ""
    name = asked.requirement.name
    what = f"{name} takes {found}, which" if found != name.lower() else f"PyPI's {name}"
    listed = f"`{asked.where}` lists {name}: " if asked.where else ""
    return (
        f"{listed}{what} is built for CUDA, whatever torch it goes with: its kernels do not run "
        f"on ROCm. {_BUILD_IT}"
    )


def _instead(requirement: Requirement, torch: RocmTorch | None) -> str:
    from packaging.utils import canonicalize_name  # noqa: PLC0415

    from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA  # noqa: PLC0415

    from .._pins.demands import fitting  # noqa: PLC0415 - loads packaging

    name, extras = canonicalize_name(requirement.name), tuple(sorted(requirement.extras))
    if name in BUILT_FOR_CUDA:
        return (
            f"PyPI's {name} is built for CUDA, too. {_BUILD_IT} A constraints file (`-c`) that "
            f"names your torch makes pip refuse."
        )
    fits = fitting(name, extras, torch.versions[-1]) if torch and torch.versions else None
    other = f"take `{name}=={fits}`, which goes with it, " if fits else ""
    return f"Add `--no-deps`, {other}or name your torch in a constraints file (`-c`)."


def _give_index(requirement: Requirement, source: File) -> str:
    """Say which index to give: one that the file names already, if it has that torch."""
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging
    from rocmlint.published import rocm_wheels  # noqa: PLC0415

    is_torch = requirement.name.lower() == "torch"
    pinned = published.pin(requirement.specifier) if is_torch else None
    having = rocm_wheels.rocm_versions() if pinned is None else rocm_wheels.rocm_for(str(pinned))
    for version in (*pytorch_index.rocm_in(source.text), *having[-1:] * (pinned is not None)):
        if version in having:
            return f"Add `--index-url {rocm_wheels.SERVER}/rocm{version}`."
    return "Add the `--index-url` that `rocmlint stack index-url` prints."


def _is_in_extra_index(requirement: Requirement, case: Case) -> bool:
    """Say whether the ROCm index beside PyPI has the release that pip would take."""
    from rocmlint.published import requirements as published  # noqa: PLC0415
    from rocmlint.published import rocm_wheels  # noqa: PLC0415
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    found = [
        index
        for url, _ in indexes_of(case.install, case.everything.indexes)
        if url and (index := pytorch_index.pytorch_index(url))
    ]
    if not found:
        return False
    if requirement.name.lower() != "torch":
        return True
    newest = published.pin(requirement.specifier) or published.newest(
        "torch", requirement.specifier
    )
    if newest is None or any(each.kind for each in found):
        return True
    minor = minor_release(newest)
    return any(minor in rocm_wheels.torch_for(each.version) for each in found)


def is_alternative(case: Case, source: File) -> bool:
    """Say whether this may be the branch for other machines than those with ROCm.

    So it is where the file takes torch from an index for ROCm in one branch, and here in another.
    """
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    for each, install in installs_of(source.parts.commands):
        if each is case.command:
            continue
        unknown = any(not index.word.known for index in install.indexes)
        if (unknown or is_from_rocm(install)) and are_alternatives(each, case.command, source):
            return True
    return False
