"""Commands that install libraries compatible with a torch, and cannot replace that torch."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import rocm_wheels
from rocmlint.stack.advice.rocm_builds import places, rocm_build
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH, TORCH_FAMILY
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.install import COMPANIONS, NoWheelsError, Wanted, companion, labelled
from rocmlint.stack.wheels.offered import how_to_install

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.stack.advice.keeping import KeptBuilds
    from rocmlint.stack.installed.torch_build import TorchBuild
    from rocmlint.stack.resolution.answer import Compatible, FittingLibrary

ANYWHERE = Wanted("")
FROM_ITS_PLACE = ", from where torch came"


@dataclass(frozen=True)
class Apart:
    """A release that is not installed with the others, and what to do instead."""

    pin: str
    why: str
    ways: tuple[str, ...] = ()
    """How it comes to another torch, or to what PyPI has for CUDA only."""
    command: str = ""
    """Empty where there is none that is safe."""
    places: tuple[str, ...] = ()
    """Where there are ROCm builds, of the library or of what an install adds."""


@dataclass(frozen=True)
class Advice:
    """Commands to type, and notes on them."""

    command: str = ""
    """The command for all that installs nothing but itself and what is not built for a GPU."""
    notes: tuple[str, ...] = ()
    apart: tuple[Apart, ...] = ()

    @property
    def has_commands(self) -> bool:
        """Whether there is anything for pip to do."""
        return bool(self.command) or any(each.command for each in self.apart)


@dataclass(frozen=True)
class Here:
    """The machine and the environment in which commands are typed, as far as they are known."""

    machine: Wanted = ANYWHERE
    """The machine by which ``install-command`` chooses wheels there."""
    torch: TorchBuild | None = None
    """The torch that is kept, where it is installed there."""
    is_there: bool = True
    """Whether the torch that is kept is installed, or was only named."""

    def how(self, torch: str, *companions: str) -> str:
        """Return the command that installs a torch; empty where it has no wheels, or is there."""
        if self.is_unlabelled or not torch:
            return ""
        return how_to_install(torch, replace(self.machine, companions=companions))

    @property
    def is_unlabelled(self) -> bool:
        """Whether torch is built for ROCm and its version does not say so: conda's, a system's.

        No index is known to have it, and another build must not replace it.
        """
        is_rocm = self.torch is not None and self.torch.kind == "HIP"
        return is_rocm and self.torch is not None and not labelled_rocm(self.torch.version)


def advice(answer: Compatible, kept: KeptBuilds, here: Here = Here()) -> Advice:
    """Return the commands for what fits; what installs code for CUDA is separate."""
    if not answer.together:
        return Advice()
    fitting = [each for each in answer.libraries if each.version and each.name != "torch"]
    first = tuple(_of_torch(answer, kept, here)) if fitting else ()
    unknown = _of_unknown_place(kept) if fitting and not here.is_there else ()
    if first and not here.is_unlabelled:  # the ROCm build that is then installed brings its own
        kept = replace(kept, pins=tuple(each for each in kept.pins if "triton" not in each))
    plain = [each for each in fitting if _is_plain(each)]
    beside, missing = _with_companions(kept, plain, here)
    command = beside.pip_install(*(each.pin for each in plain)) if plain else ""
    apart = (each for each in fitting if each not in plain and not _is_installed(each, kept, here))
    return Advice(
        command,
        (*first, *unknown, *missing),
        tuple(_apart(each, kept, here, answer.python) for each in apart),
    )


def _is_plain(library: FittingLibrary) -> bool:
    """Return whether an install of a library next to torch adds nothing that is not for ROCm."""
    others = {*rocm_wheels.BUILT_FOR_CUDA, *TORCH_FAMILY, *BUILT_AGAINST_TORCH}
    return library.name not in others and not library.brings


def _is_installed(library: FittingLibrary, kept: KeptBuilds, here: Here) -> bool:
    """Return whether it is torchvision or torchaudio, in the build that belongs to torch."""
    there = dict(each.split("==") for each in kept.pins).get(library.name, "")
    release, rocm = there.partition("+")[0], labelled_rocm(kept.torch)
    same = labelled_rocm(there) == rocm if rocm else here.is_unlabelled
    return library.name in COMPANIONS and release == library.version and same


def _of_torch(answer: Compatible, kept: KeptBuilds, here: Here) -> Iterator[str]:
    """Say how a torch gets there of which only the release is known."""
    if "+" in kept.torch or kept.constraints or Version(answer.torch).is_prerelease:
        return
    torch = f"torch {answer.torch}"
    if here.is_unlabelled:
        yield (
            f"the installed {torch} is a ROCm build, which its version does not say: pip must not "
            f"replace it, as PyPI's {torch} is for CUDA"
        )
        return
    first = here.how(answer.torch)
    if first:
        yield f"install the ROCm build of {torch} first: {first}"
    else:
        yield f"{torch} must be installed already: no ROCm build of it is known for this machine"


def _of_unknown_place(kept: KeptBuilds) -> tuple[str, ...]:
    """Say that pip cannot get a build that is only named."""
    if "+" not in kept.torch or kept.index or kept.constraints:
        return ()
    return (f"torch {kept.torch} must be installed already: its package index is unknown",)


def _with_companions(
    kept: KeptBuilds, libraries: Iterable[FittingLibrary], here: Here
) -> tuple[KeptBuilds, list[str]]:
    """Pin the torchvision and torchaudio that libraries require to the builds for torch."""
    pins, notes = [], []
    for name in sorted({name for each in libraries for name in each.companions}):
        version = _released_with(kept.torch, name) if kept.index and not kept.constraints else ""
        if version:
            pins.append(f"{name}=={version}")
            continue
        by = ", ".join(each.name for each in libraries if name in each.companions)
        how = here.how(kept.torch, name)
        advice = f": {how}" if how else FROM_ITS_PLACE
        notes.append(f"{by} requires {name}; install its ROCm build first{advice}")
    return replace(kept, pins=(*kept.pins, *pins)), notes


def _released_with(torch: str, name: str) -> str:
    """Return the build of torchvision or torchaudio on PyTorch's index; empty for none.

    AMD's have the code for a GPU in an extra, which ``install-command`` knows.
    """
    release, rocm = torch.partition("+")[0], labelled_rocm(torch)
    if rocm not in rocm_wheels.rocm_versions():
        return ""
    try:
        return labelled(name, companion(name, release, rocm), rocm)
    except NoWheelsError:
        return ""


def _apart(library: FittingLibrary, kept: KeptBuilds, here: Here, python: str) -> Apart:
    """Return what to do about a library if a plain install would install more than itself."""
    name, pin = library.name, library.pin
    if name in COMPANIONS:
        how = here.how(kept.torch, name)
        advice = f"{how} prints the command for its ROCm build" if how else ""
        return Apart(pin, advice or f"install its ROCm build{FROM_ITS_PLACE}")
    if name in TORCH_FAMILY:
        return Apart(pin, "torch brings the triton that it needs")
    if name in rocm_wheels.BUILT_FOR_CUDA or library.brings == (pin,):
        return Apart(pin, rocm_build(pin, kept, python=python))
    if library.brings:
        what = "packages that PyPI has for CUDA only"
        if all(" -> triton==" in each for each in library.brings):
            what = "a triton that would overwrite files of torch's own"
        why = f"its requirements include {what}, so install it with --no-deps; pip check then "
        why += "lists its other requirements"
        alone = shlex.join(("pip", "install", "--no-deps", pin))
        where = tuple(each for end in _ends(library) for each in places(end, kept, python=python))
        return Apart(pin, why, library.brings, alone, where)
    command = kept.pip_install("--no-build-isolation", pin)
    why = "it is compiled for the installed torch, with ROCm's compiler"
    return Apart(pin, why, (), command, tuple(places(pin, kept, python=python)))


def _ends(library: FittingLibrary) -> list[str]:
    """Return the packages that the ways end at, before another torch; but not Triton."""
    steps = [each.split(" -> ")[1:] for each in library.brings]
    kept = [[each for each in way if not each.startswith(("torch==", "triton=="))] for way in steps]
    return list(dict.fromkeys(way[-1] for way in kept if way))
