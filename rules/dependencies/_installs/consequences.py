"""How an install brings in PyPI's torch, built for CUDA, and what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.published import pytorch_index

from .cases import Harm
from .cuda_wheels import cuda_wheel
from .index_advice import index_advice
from .kept import keeps
from .requested import is_build
from .there import packages_there

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.rule import Command, File, Word

    from .._pins.demands import Demand
    from .cases import Case
    from .requested import Requested
    from .rocm_torch import RocmTorch

_MOST = 100
"""Characters of a message."""
_BUILD_IT = "Build it for ROCm, or take an image or a wheel for ROCm"


class _Said(NamedTuple):
    """What a finding says, the packages through which it comes about, and which torch is wanted."""

    message: str
    help: str
    through: tuple[str, ...] = ()
    demanded: SpecifierSet | None = None


def harm(asked: Requested, case: Case, file: File) -> Harm | None:
    """Return how pip or uv brings in PyPI's torch for a requirement; None where it does not."""
    requirement = asked.requirement
    if requirement.url or is_build(requirement):
        return None
    place = _place(asked.word, case.command)
    if requirement.name.lower() in pytorch_index.FAMILY:
        said = _said_of_family(requirement.name.lower(), asked, case, file)
        return Harm(case, "torch", place, said.message, said.help, asked) if said else None
    said = _said_of_package(asked, case, file)
    if said is not None:
        return Harm(case, "package", place, *said[:2], asked, *said[2:])
    said = _said_of_wheel(asked, case, file)
    if said is not None:
        return Harm(case, "wheel", place, said.message, said.help, asked, said.through)
    return None


def _place(word: Word, command: Command) -> Word | Command:
    """Return what a finding spans: the command where its word stands elsewhere, as in a list."""
    inside = command.span[:2] <= word.span[:2] and word.span[2:] <= command.span[2:]
    return word if inside else command


def _said_of_family(name: str, asked: Requested, case: Case, source: File) -> _Said | None:
    requirement, torch = asked.requirement, case.torch
    index = index_advice(requirement, case, source)
    tool, written = case.install.tool, _written(asked)
    newer = ", where it is newer than the index's" if case.install.indexes else ""
    if torch is None:
        message = f"{tool} installs {written} from PyPI, the CUDA build{newer}"
        return _Said(message, f"{index}. This is for ROCm: {case.evidence}.")
    build = "PyPI's, where that is newer" if newer else "PyPI's CUDA build"
    message = f"{written} replaces the {torch.described} with {build}"
    if name not in torch.packages and name != "torch":
        return _Said(message, f"PyPI's {name} requires the torch of its own version. {index}.")
    if case.forced or case.install.upgrade:
        return _Said(message, f"{tool} looks for a newer one on PyPI. {index}.")
    if not len(requirement.specifier):
        return None
    unless = _exclusion(requirement, torch)
    return None if unless is None else _Said(message, f"{index}{unless}.")


def _exclusion(requirement: Requirement, torch: RocmTorch) -> str | None:
    """Return for which torch a pin is taken from PyPI; None where the present one meets it."""
    kept = keeps(requirement, torch)
    if kept is None:
        return ", unless that torch has this version already"
    return None if kept else ""


def _said_of_package(asked: Requested, case: Case, file: File) -> _Said | None:
    """Look at what a package requires of torch, itself or through others that it brings."""
    from .._pins.demands import demands_of  # noqa: PLC0415 - loads packaging

    chosen = _chosen(asked, case, file)
    for demand in demands_of(chosen, packages_there(case, file)):
        if demand.torch is not None:
            said = _said_of_demand(demand, asked, case, _demanded(demand, chosen))
            if said is not None:
                return said
    return None


def _chosen(asked: Requested, case: Case, file: File) -> Requirement:
    """Return a requirement as pip solves it on this Python, with a torch that is pinned beside."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - loads packaging
    from packaging.utils import canonicalize_name  # noqa: PLC0415

    from rocmlint.published import requirements as published  # noqa: PLC0415

    from .._pins.demands import fitting  # noqa: PLC0415

    own = asked.requirement
    pins = (
        published.pin(each.requirement.specifier)
        for each in case.everything.asked
        if each.requirement.name.lower() == "torch"
    )
    torch = next(filter(None, pins), None)
    fits = fitting(canonicalize_name(own.name), tuple(sorted(own.extras)), torch) if torch else None
    if fits is None or not own.specifier.contains(fits):
        fits = _on_python(own, case, file)
    if fits is None:
        return own
    extras = f"[{','.join(sorted(own.extras))}]" if own.extras else ""
    return Requirement(f"{own.name}{extras}=={fits}")


def _on_python(own: Requirement, case: Case, file: File) -> Version | None:
    """Return the newest release that runs on the Python of the image, else of the project."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - loads packaging

    from rocmlint.project.companions import Companions  # noqa: PLC0415
    from rocmlint.project.images import python_of  # noqa: PLC0415
    from rocmlint.project.python_version import python_version  # noqa: PLC0415
    from rocmlint.text.written import version_of  # noqa: PLC0415

    image = case.command.image
    named = version_of(python_of(image.text) or "") if image is not None else None
    python = named or python_version(file.project)
    if python is None or own.url:
        return None
    return Companions({}, python).newest(canonicalize_name(own.name), own.specifier)


def _demanded(demand: Demand, chosen: Requirement) -> str:
    """Return a demand in words, without the versions where the Python that chooses is unknown."""
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    is_pin = demand.torch is not None and published.pin(demand.torch) is not None
    if demand.through or not is_pin or published.pin(chosen.specifier) is not None:
        return demand.said
    return f"The newest {demand.package} that pip can install requires its own torch"


def _said_of_demand(demand: Demand, asked: Requested, case: Case, demanded: str) -> _Said | None:
    from .._pins.demands import is_narrow  # noqa: PLC0415 - loads packaging

    torch, specifier, written = case.torch, demand.torch, _written(asked)
    if specifier is None:
        return None
    instead = _instead(asked.requirement, demand, torch)
    if torch is None:
        if not is_narrow(specifier):
            return None
        way = f", through {demand.through[-1]}" if demand.through else ""
        return _Said(
            f"{written} installs torch from PyPI, the CUDA build{way}",
            f"{demanded}, and this is for ROCm: {case.evidence}. {instead}.",
            demand.through,
            specifier,
        )
    message = _with_way(written, torch.described, demand.through)
    if case.forced and not demand.through:
        what = f"{demanded}, which this upgrades or reinstalls too"
        return _Said(message, f"{what}. Leave out the option, or add `--no-deps`.")
    meets = torch.meets(specifier)
    if meets or (meets is None and not is_narrow(specifier)):
        return None
    open_end = ", unless that torch has this version already"
    if demanded != demand.said:
        open_end = ", which the one there need not be"
    unless = "" if meets is False else open_end
    return _Said(message, f"{demanded}{unless}. {instead}.", demand.through, specifier)


def _with_way(written: str, torch: str, through: tuple[str, ...]) -> str:
    """Return a message with the packages that it comes about through, or the last of them."""
    for way in (" and ".join(through), *through[-1:]) if through else ():
        message = f"{written} replaces the {torch} with PyPI's, through {way}"
        if len(message) <= _MOST:
            return message
    return f"{written} replaces the {torch} with PyPI's CUDA build"


def _said_of_wheel(asked: Requested, case: Case, file: File) -> _Said | None:
    """Return that a package, or one that it brings, has code for CUDA only, whatever the torch."""
    there = packages_there(case, file)
    found = cuda_wheel(asked.requirement, there)
    if not found:
        return None
    name, last = asked.requirement.name, found[-1]
    if len(found) == 1:
        message = f"PyPI's `{last}` is built for CUDA: its kernels do not run on ROCm"
        return _Said(message, f"{_BUILD_IT}.")
    message = f"{_written(asked)} installs PyPI's `{last}`, which is built for CUDA"
    chain = " requires ".join(dict.fromkeys((name, *found[1:])))
    first = f"install a ROCm build of {last} first, or add `--no-deps`"
    return _Said(message, f"{chain}, whose kernels do not run on ROCm: {first}.", found[1:])


def _written(asked: Requested) -> str:
    """Return a requirement as a message names it."""
    requirement = asked.requirement
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"`{requirement.name}{extras}{requirement.specifier}`"


def _instead(requirement: Requirement, demand: Demand, torch: RocmTorch | None) -> str:
    from packaging.utils import canonicalize_name  # noqa: PLC0415

    from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA  # noqa: PLC0415

    from .._pins.demands import fitting  # noqa: PLC0415 - loads packaging

    name, extras = canonicalize_name(requirement.name), tuple(sorted(requirement.extras))
    if name in BUILT_FOR_CUDA:
        return f"PyPI's {name} is built for CUDA, too: {_BUILD_IT[0].lower()}{_BUILD_IT[1:]}"
    if demand.through:
        return _instead_of(demand.through[-1], torch)
    fits = fitting(name, extras, torch.versions[-1]) if torch and torch.versions else None
    other = f"use `{name}=={fits}`, which is compatible, " if fits else ""
    return f"Add `--no-deps`, {other}or name your torch in a constraints file (`-c`)"


def _instead_of(package: str, torch: RocmTorch | None) -> str:
    """Return what to do about a package that nobody asked for."""
    from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA  # noqa: PLC0415

    from .._pins.demands import fitting  # noqa: PLC0415 - loads packaging

    if package in BUILT_FOR_CUDA:
        return f"Install a ROCm build of {package} first, or add `--no-deps`"
    if package in pytorch_index.FAMILY:
        return f"Install {package} with torch, from the same index"
    fits = fitting(package, (), torch.versions[-1]) if torch and torch.versions else None
    add = f"Add `{package}=={fits}`, which is compatible, or" if fits else "Add"
    return f"{add} a constraints file (`-c`) that names your torch"
