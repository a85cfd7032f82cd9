"""The commands that install what goes with a torch, and cannot replace that torch."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import rocm_wheels
from rocmlint.stack.advice.rocm_builds import places, rocm_build
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH, TORCH_FAMILY
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.install import NoWheelsError, companion, labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.stack.advice.keeping import Kept
    from rocmlint.stack.resolution.answer import Compatible, Library


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
    """Where there are ROCm builds, of it or of what it brings."""


@dataclass(frozen=True)
class Advice:
    """What to type, and what is to be known of it."""

    command: str = ""
    """For all that brings nothing but itself and what is not built for a GPU."""
    notes: tuple[str, ...] = ()
    apart: tuple[Apart, ...] = ()

    @property
    def has_commands(self) -> bool:
        """Whether there is anything for pip to do."""
        return bool(self.command) or any(each.command for each in self.apart)


def advice(answer: Compatible, kept: Kept, *, is_there: bool = True) -> Advice:
    """Return the commands for what fits; what brings code for CUDA stands apart.

    ``is_there`` tells whether the torch that is kept is installed, or was only named.
    """
    if not answer.together:
        return Advice()
    fitting = [each for each in answer.libraries if each.version and each.name != "torch"]
    first = tuple(_of_torch(answer, kept)) if fitting else ()
    unknown = _of_unknown_place(kept) if fitting and not is_there else ()
    if first:  # the ROCm build that is then installed brings its own
        kept = replace(kept, pins=tuple(each for each in kept.pins if "triton" not in each))
    plain = [each for each in fitting if _is_plain(each)]
    beside, missing = _with_companions(kept, plain)
    command = beside.pip_install(*(each.pin for each in plain)) if plain else ""
    return Advice(
        command,
        (*first, *unknown, *missing),
        tuple(_apart(each, kept) for each in fitting if each not in plain),
    )


def _is_plain(library: Library) -> bool:
    """Return whether an install of a library beside torch brings nothing that is not for ROCm."""
    others = {*rocm_wheels.BUILT_FOR_CUDA, *TORCH_FAMILY, *BUILT_AGAINST_TORCH}
    return library.name not in others and not library.brings


def _of_torch(answer: Compatible, kept: Kept) -> Iterator[str]:
    """Say how a torch gets there of which only the release is known."""
    if "+" in kept.torch or kept.constraints or Version(answer.torch).is_prerelease:
        return
    first = _installs(answer.torch, kept)
    if first:
        yield f"install the ROCm build of torch {answer.torch} first: {first}"
    else:
        yield (
            f"torch {answer.torch} must be installed already: no ROCm build of it is known on "
            "pytorch.org"
        )


def _of_unknown_place(kept: Kept) -> tuple[str, ...]:
    """Say that pip cannot get a build that is only named."""
    if "+" not in kept.torch or kept.index or kept.constraints:
        return ()
    return (f"torch {kept.torch} must be installed already: its package index is unknown",)


def _installs(torch: str, kept: Kept, *companions: str) -> str:
    """Return the command that installs a torch for its ROCm; empty where it has no wheels."""
    row = rocm_wheels.row(torch)
    known = row.rocm if row is not None and row.status != "nightly" else ()
    here = labelled_rocm(kept.torch)
    if not here and not known:
        return ""
    rocm, *others = [here] if here else reversed(known)
    flags = "".join(f" --{each}" for each in companions)
    instead = f" (or --rocm {' or '.join(others)})" if others else ""
    return f"rocmlint stack install-command --rocm {rocm} --torch {torch}{flags}{instead}"


def _with_companions(kept: Kept, libraries: Iterable[Library]) -> tuple[Kept, list[str]]:
    """Pin what libraries require of torchvision and torchaudio to the builds beside torch's."""
    pins, notes = [], []
    for name in sorted({name for each in libraries for name in each.companions}):
        version = _released_with(kept.torch, name) if kept.index and not kept.constraints else ""
        if version:
            pins.append(f"{name}=={version}")
            continue
        by = ", ".join(each.name for each in libraries if name in each.companions)
        release = kept.torch.partition("+")[0]
        how = _installs(release, kept, name) or f"rocmlint stack install-command --{name}"
        notes.append(f"{by} requires {name}; install its ROCm build first: {how}")
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


def _apart(library: Library, kept: Kept) -> Apart:
    """Return what to do about a library that a plain install would bring more than itself with."""
    name, pin = library.name, library.pin
    if name in TORCH_FAMILY:
        told = "rocmlint stack install-command prints the command for its ROCm build"
        return Apart(pin, told)
    if name in rocm_wheels.BUILT_FOR_CUDA or library.brings == (pin,):
        return Apart(pin, rocm_build(pin, kept))
    if library.brings:
        why = "its requirements include packages that PyPI has for CUDA only, so install it with "
        why += "--no-deps; pip check then lists its other requirements"
        alone = shlex.join(("pip", "install", "--no-deps", pin))
        where = tuple(each for end in _ends(library) for each in places(end, kept))
        return Apart(pin, why, library.brings, alone, where)
    command = kept.pip_install("--no-build-isolation", pin)
    why = "it is compiled for the installed torch, with ROCm's compiler"
    return Apart(pin, why, (), command, tuple(places(pin, kept)))


def _ends(library: Library) -> list[str]:
    """Return the packages that the ways end at, before another torch; but not Triton."""
    steps = [each.split(" -> ")[1:] for each in library.brings]
    kept = [[each for each in way if not each.startswith(("torch==", "triton=="))] for way in steps]
    return list(dict.fromkeys(way[-1] for way in kept if way))
