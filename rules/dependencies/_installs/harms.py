"""What an install does to the ROCm torch: a harm for each word, of torch's family for the first.

PyTorch's indexes have torch, its family, and little else: with one of them alone, pip finds neither
transformers nor what a project is built with. With `--extra-index-url` pip takes the newest of all
indexes, which is mostly PyPI's. What is installed already, pip keeps.

conda-forge's PyTorch has no variant for ROCm (pytorch-cpu-feedstock, issues 198 and 229, as of
2026-06), and the channel ``pytorch`` never had one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rocmlint.project.companions import Companions
from rocmlint.project.images import python_of
from rocmlint.project.python_version import python_version
from rocmlint.published import pytorch_index, rocm_wheels
from rocmlint.published import requirements as published
from rocmlint.published.amd_index import amd_indexes_in
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA
from rocmlint.rule import once_per_file
from rocmlint.text.written import version_of

from .._pins.demands import demands_of, fitting, is_narrow
from . import locked
from .cases import LOCKING, Harm
from .requested import is_build
from .rocm_torch import keeps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.published.amd_index import AmdIndex
    from rocmlint.rule import Command, File, Install, Word

    from .._pins.demands import Demand
    from .cases import Case
    from .requested import Requested
    from .rocm_torch import RocmTorch

_KERNELS = frozenset({"sgl-kernel", "sglang-kernel", "flashinfer-python"})
"""What sglang, pure Python itself, requires for CUDA, unless its extras are for ROCm."""
_BUILD_IT = "build it for ROCm, or take an image or a wheel for ROCm"
_OF_CONDA = frozenset({"pytorch", "pytorch-gpu", "torchvision", "torchaudio"})
_CHANNELS = frozenset({"pytorch", "conda-forge", "defaults", "anaconda", "main"})
"""Those that are known to have no build for ROCm."""
_MEANT = ("cpu", "cuda", "rocm", "hip")
"""A build or a package that says so is meant to be what it is."""


def harms(case: Case, file: File, is_excused: Callable[[Harm, File], bool]) -> Iterator[Harm]:
    """Yield how torch is replaced, where nothing excuses it."""
    if case.install.tool in {"conda", "uv sync"}:
        found = (
            _harm_of_conda(case) if case.install.tool == "conda" else locked.sync_harm(case, file)
        )
        if found is not None and not is_excused(found, file):
            yield found
        return
    resolves_anew = case.install.tool in LOCKING  # for all of a list at once
    harm_of = locked.add_harm if resolves_anew else _harm_of_requirement
    seen: set[object] = set()
    replaces_torch = False
    for asked in case.everything.asked:
        text = str(asked.requirement)
        place = asked.word if resolves_anew else asked.listed or asked.word
        if place in seen or text in seen:
            continue
        is_family = asked.requirement.name.lower() in FAMILY
        if is_family and replaces_torch:
            continue  # torchvision beside torch: one advice for both
        seen.add(text)
        harm = harm_of(asked, case, file)
        if harm is not None and not is_excused(harm, file):
            seen.add(place)
            replaces_torch = replaces_torch or is_family
            yield harm


def _harm_of_conda(case: Case) -> Harm | None:
    """Return that conda installs PyTorch, and where; None where it does not."""
    asked = case.install.requirements
    place = next((each.word for each in asked if each.name in _OF_CONDA), None)
    if place is None or _may_be_for_rocm(case.command, case.install):
        return None
    message = "conda installs PyTorch for CUDA or the CPU: its channels have no build for ROCm"
    if case.torch is not None:
        message = f"conda puts PyTorch for CUDA or the CPU over the {case.torch.described}"
    advice = (
        f"Install torch with pip: `rocmlint stack install-command` prints the command. "
        f"This is for ROCm: {case.evidence}."
    )
    return Harm(case, "conda", place, message, advice)


def _may_be_for_rocm(command: Command, install: Install) -> bool:
    """Return whether a word says what a package is built for, or a channel may have that build."""
    words = [each.text.lower() for each in command.words[1:]]
    if any(part in word for word in words for part in _MEANT):
        return True
    channels = [each.word.text.rpartition("::")[0] for each in install.requirements]
    for word, following in pairwise([*words, ""]):
        option, _, value = word.partition("=")
        channels.append((value or following) if option in {"-c", "--channel"} else "")
    return any(each.rpartition("/")[2] not in _CHANNELS for each in channels if each)


class _Said(NamedTuple):
    """What a finding says, the packages through which it comes about, and which torch is wanted."""

    message: str
    help: str
    through: tuple[str, ...] = ()
    demanded: SpecifierSet | None = None


def _harm_of_requirement(asked: Requested, case: Case, file: File) -> Harm | None:
    """Return how a requirement makes pip or uv install PyPI's torch; None where it does not."""
    requirement = asked.requirement
    if requirement.url or is_build(requirement):
        return None
    place = _place(asked.word, case.command)
    if requirement.name.lower() in FAMILY:
        said = _said_of_family(requirement.name.lower(), asked, case, file)
        return Harm(case, "torch", place, *said[:2], asked) if said else None
    said = _said_of_package(asked, case, file)
    if said is not None:
        return Harm(case, "package", place, *said[:2], asked, *said[2:])
    said = _said_of_wheel(asked, case)
    return Harm(case, "wheel", place, *said[:2], asked, said.through) if said else None


def _place(word: Word, command: Command) -> Word | Command:
    """Return the span of a finding: the command where its word is in another file, as in a list."""
    inside = command.span[:2] <= word.span[:2] and word.span[2:] <= command.span[2:]
    return word if inside else command


def _said_of_family(name: str, asked: Requested, case: Case, source: File) -> _Said | None:
    requirement, torch = asked.requirement, case.torch
    index = _index_advice(requirement, case, source)
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
    kept = keeps(requirement, torch)
    unless = ", unless that torch has this version already" if kept is None else ""
    return None if kept else _Said(message, f"{index}{unless}.")


def _said_of_package(asked: Requested, case: Case, file: File) -> _Said | None:
    """Look at the torch that a package requires, itself or through its own requirements."""
    chosen = _chosen(asked, case, file)
    for demand in demands_of(chosen, case.there):
        if demand.torch is not None:
            said = _said_of_demand(demand, asked, case, _demanded(demand, chosen))
            if said is not None:
                return said
    return None


def _chosen(asked: Requested, case: Case, file: File) -> Requirement:
    """Return a requirement as pip solves it on this Python, together with a pinned torch."""
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
    image = case.command.image
    named = version_of(python_of(image.text) or "") if image is not None else None
    python = named or python_version(file.project)
    if python is None or own.url:
        return None
    return Companions({}, python).newest(canonicalize_name(own.name), own.specifier)


def _demanded(demand: Demand, chosen: Requirement) -> str:
    """Return a demand in words, without the versions where the Python that chooses is unknown."""
    is_pin = demand.torch is not None and published.pin(demand.torch) is not None
    if demand.through or not is_pin or published.pin(chosen.specifier) is not None:
        return demand.said
    return f"The newest {demand.package} that pip can install requires its own torch"


def _said_of_demand(demand: Demand, asked: Requested, case: Case, demanded: str) -> _Said | None:
    torch, specifier, written = case.torch, demand.torch, _written(asked)
    if specifier is None:
        return None
    way = f", through {demand.through[-1]}" if demand.through else ""
    instead = _instead(asked.requirement, demand, torch)
    if torch is None:
        if not is_narrow(specifier):
            return None
        message = f"{written} installs torch from PyPI, the CUDA build{way}"
        help = f"{demanded}, and this is for ROCm: {case.evidence}. {instead}."
        return _Said(message, help, demand.through, specifier)
    message = f"{written} replaces the {torch.described} with PyPI's{way or ' CUDA build'}"
    if case.forced and not way:
        what = f"{demanded}, which this upgrades or reinstalls too"
        return _Said(message, f"{what}. Leave out the option, or add `--no-deps`.")
    meets = torch.meets(specifier)
    if meets or (meets is None and not is_narrow(specifier)):
        return None
    is_open = meets is None and demanded == demand.said
    unless = ", unless that torch has this version already" if is_open else ""
    return _Said(message, f"{demanded}{unless}. {instead}.", demand.through, specifier)


def _said_of_wheel(asked: Requested, case: Case) -> _Said | None:
    """Return that a package, or one that it requires, has code for CUDA only."""
    found = _cuda_wheel(asked.requirement, case.there)
    if not found:
        return None
    name, last = asked.requirement.name, found[-1]
    if len(found) == 1:
        message = f"PyPI's `{last}` is built for CUDA: its kernels do not run on ROCm"
        return _Said(message, f"Do not install it from PyPI: {_BUILD_IT}.")
    message = f"{_written(asked)} installs PyPI's `{last}`, which is built for CUDA"
    chain = " requires ".join(dict.fromkeys((name, *found[1:])))
    return _Said(message, f"{chain}: {_BUILD_IT}, or add `--no-deps`.", found[1:])


def _cuda_wheel(requirement: Requirement, there: frozenset[str]) -> tuple[str, ...]:
    """Return the package that PyPI has for CUDA only, behind those through which it comes.

    The first is the one that is asked for; () where there is none, but for those that are
    ``there`` already.
    """
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


def _written(asked: Requested) -> str:
    """Return a requirement as a message names it."""
    requirement = asked.requirement
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"`{requirement.name}{extras}{requirement.specifier}`"


def _instead(requirement: Requirement, demand: Demand, torch: RocmTorch | None) -> str:
    """Return what to do about the package that demands another torch."""
    package = demand.through[-1] if demand.through else canonicalize_name(requirement.name)
    extras = () if demand.through else tuple(sorted(requirement.extras))
    if package in BUILT_FOR_CUDA:
        return f"PyPI's {package} is built for CUDA: {_BUILD_IT}"
    if package in FAMILY:
        return f"Install {package} with torch, from the same index"
    fits = fitting(package, extras, torch.versions[-1]) if torch and torch.versions else None
    other = f"use `{package}=={fits}`, which is compatible, " if fits else ""
    return f"Add `--no-deps`, {other}or name your torch in a constraints file (`-c`)"


def _index_advice(requirement: Requirement, case: Case, file: File) -> str:
    """Return what to type instead of an install of torch or its family from PyPI."""
    version = _rocm(requirement, file)
    option = _option(version, requirement, file)
    install = case.install
    names = dict.fromkeys(each.requirement.name.lower() for each in case.everything.asked)
    family = [each for each in names if each in FAMILY]
    is_alone = len(family) == len(names)
    if is_alone and not (install.files or install.locations or install.unclear):
        return f"Add {option}"
    first = f"First install {' and '.join(family)} alone, with {option}"
    keep = ", and keep it by a constraint (`-c`)" if case.forced or install.upgrade else ""
    return f"{first}{keep}"


def _rocm(requirement: Requirement, file: File) -> str:
    """Return a ROCm whose index has that torch, if the file names one; "" for none."""
    is_torch = requirement.name.lower() == "torch"
    pinned = published.pin(requirement.specifier) if is_torch else None
    having = rocm_wheels.rocm_versions() if pinned is None else rocm_wheels.rocm_for(str(pinned))
    named = (
        *_named_rocm(file),
        *(having[-1:] if pinned is not None and not _amd_indexes(file) else ()),
    )
    return next((each for each in named if each in having), "")


def _option(version: str, requirement: Requirement, file: File) -> str:
    of_amd = _amd_indexes(file)
    if version:
        return f"`--index-url {rocm_wheels.SERVER}/rocm{version}`"
    if not of_amd:
        return "the `--index-url` that `rocmlint stack index-url` prints"
    extra = "" if of_amd[0].family else f" and an extra, `{requirement.name}[device-gfx942]`"
    return f"`--index-url {of_amd[0].url}`{extra}"


@once_per_file
def _named_rocm(file: File) -> tuple[str, ...]:
    return tuple(pytorch_index.rocm_in(file.text))


@once_per_file
def _amd_indexes(file: File) -> list[AmdIndex]:
    return amd_indexes_in(file.text)
