"""How an install brings in PyPI's torch, built for CUDA, and what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rocmlint.published import pytorch_index

from .cases import Harm
from .cuda_wheels import cuda_wheel
from .requested import is_build

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File, Word

    from .cases import Case
    from .requested import Requested
    from .rocm_torch import RocmTorch

_BUILD_IT = "Build it for ROCm, or take an image or a wheel for ROCm."


def harm(asked: Requested, case: Case, file: File) -> Harm | None:
    """Say how pip or uv brings in PyPI's torch for a requirement; None where it does not."""
    requirement = asked.requirement
    if requirement.url or is_build(requirement):
        return None
    kind: Literal["torch", "package", "wheel"] = "torch"
    if requirement.name.lower() in pytorch_index.FAMILY:
        message = _harm_of_family(requirement.name.lower(), asked, case, file)
    else:
        kind, message = "package", _harm_of_package(asked, case)
        if not message:
            kind, message = "wheel", _harm_of_wheel(asked)
    why = f" For ROCm: {case.evidence}." if case.torch is None else ""
    place = _place(asked.word, case.command)
    return Harm(case, kind, place, message + why, asked) if message else None


def _place(word: Word, command: Command) -> Word | Command:
    """Give what a finding spans: the command where its word stands elsewhere, as in a list."""
    inside = command.span[:2] <= word.span[:2] and word.span[2:] <= command.span[2:]
    return word if inside else command


def _harm_of_family(name: str, asked: Requested, case: Case, source: File) -> str:
    requirement, torch = asked.requirement, case.torch
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
    if demand is None or demand.torch is None:
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


def _harm_of_wheel(asked: Requested) -> str:
    """Say that a package goes with the torch that is there, but has code for CUDA only."""
    found = cuda_wheel(asked.requirement)
    if not found:
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
