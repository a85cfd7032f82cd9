"""The command that installs one of AMD's own builds of torch, and where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import amd_wheels
from rocmlint.stack.versions import read_rocm, read_torch_version
from rocmlint.stack.wheels.install import (
    COMPANIONS,
    UNPINNED,
    Installation,
    NoWheelsError,
    Wheels,
    enumerated,
    program,
    with_extras,
)
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.published.amd_wheels import Build, Index, Kind, System
    from rocmlint.stack.wheels.install import Source, Wanted

KINDS: dict[Source, tuple[Kind, ...]] = {"amd": ("extra", "family"), "radeon": ("files",)}
"""The kinds of index of each source: repo.amd.com and its successor, and repo.radeon.com."""
ALL = "device-all"
"""The extra that stands for every GPU."""


def build_for(wanted: Wanted, source: Source) -> Build:
    """Return the build of torch that AMD has for what is wanted; the newest that is.

    Raises RocmlintError for what is not a version, and NoWheelsError.
    """
    asked = read_rocm(wanted.rocm)
    same = _of_minor(asked, wanted, source)
    if not same:
        where = "AMD" if source == "amd" else "repo.radeon.com"
        there = enumerated(dict.fromkeys(each.rocm for each in _builds(wanted, source)))
        message = f"{where} has no torch for ROCm {asked} on {wanted.system.capitalize()}"
        message += f" ({newest()}); it has one for ROCm {there}"
        if source == "amd" and _of_minor(asked, wanted, "radeon"):
            message += "; repo.radeon.com has one: --source radeon"
        raise NoWheelsError(message)
    rocm = _patch(asked, [each.rocm for each in same])
    found = _with_torch([each for each in same if each.rocm == rocm], wanted.torch)
    return _with_python(_with_gpus(found, wanted), wanted.python)[-1]


def _builds(wanted: Wanted, source: Source) -> list[Build]:
    kinds = KINDS[source]
    builds = (each for each in amd_wheels.builds() if each.index.kind in kinds)
    return [each for each in builds if each.system == wanted.system]


def _of_minor(asked: Version, wanted: Wanted, source: Source) -> list[Build]:
    builds = _builds(wanted, source)
    return [each for each in builds if Version(each.rocm).release[:2] == asked.release[:2]]


def _gpus(build: Build, wanted: Wanted) -> tuple[str, ...]:
    """Return the GPUs that a build is installed for.

    Of those that are found one is enough: the index of a family has the code for no other.
    """
    if wanted.every or not build.devices:
        return wanted.gpus
    served = [each for each in wanted.gpus if each in build.devices]
    if build.index.kind == "family":
        first = amd_wheels.family_of(served[0]) if served else ""
        served = [each for each in served if amd_wheels.family_of(each) == first]
    return tuple(served)


def wheels_of(build: Build, wanted: Wanted) -> Wheels:
    """Return where a build is. Raises NoWheelsError where its index takes one family of GPUs."""
    asked, gpus, notes = read_rocm(wanted.rocm), _gpus(build, wanted), []
    if len(asked.release) > 2 and str(asked) != build.rocm:
        notes.append(f"AMD has no torch for ROCm {asked}: using the one for {build.rocm}")
    left = [each for each in wanted.gpus if each not in gpus]
    if left:
        notes.append(f"torch has no code for {enumerated(left)}: kernels fail there")
    unlisted = [each for each in gpus if build.listed and each not in build.listed]
    if unlisted:
        notes.append(
            f"AMD's install page does not list {enumerated(unlisted)} for torch {build.torch} on "
            f"ROCm {build.rocm}; its index has the code, but it may not be tested"
        )
    if build.index.kind == "files":
        notes.append("which GPUs these wheels have code for is unknown")
    if build.index.kind == "files" and not wanted.python:
        notes.append(f"they are for Python {enumerated(build.python)} only")
    url = _address(build.index, build.rocm, gpus)
    source: Source = "radeon" if build.index.kind == "files" else "amd"
    versions = ((each, build.version(each)) for each in ("torch", *COMPANIONS))
    packages = tuple((name, Version(version).public) for name, version in versions if version)
    return Wheels(
        build.rocm,
        url,
        notes=tuple(notes),
        source=source,
        system=wanted.system,
        extras=_extras(build.index, gpus),
        packages=packages,
    )


def command_for(
    build: Build, wanted: Wanted, *, installer: str = "pip", python: str | None = None
) -> Installation:
    """Return the command that installs a build. Raises NoWheelsError."""
    wheels = wheels_of(build, wanted)
    names = ("torch", *(each for each in COMPANIONS if each in wanted.companions))
    missing = [each for each in names if not build.version(each)]
    if missing:
        message = f"AMD has no {enumerated(missing)} for torch {build.torch} on ROCm {build.rocm}"
        raise NoWheelsError(f"{message} ({newest()}); install torch without it")
    required = [f"{with_extras(each, wheels.extras)}=={build.version(each)}" for each in names]
    option = "--find-links" if build.index.kind == "files" else "--index-url"
    words = (*program(installer, python), option, wheels.url, *required, *build.others)
    packages = tuple((each, Version(build.version(each)).public) for each in names)
    return Installation(wheels, packages, words, (*wheels.notes, *_all_gpus(build.index, wanted)))


def nightly_for(wanted: Wanted, *, installer: str, python: str | None) -> Installation:
    """Return the command that installs AMD's newest build of the day. Raises NoWheelsError."""
    index = amd_wheels.index("nightly")
    where = f"AMD's nightly builds for {wanted.system.capitalize()} have"
    _served(wanted, nightly_devices(wanted.system), where)
    names = ("torch", *(each for each in COMPANIONS if each in wanted.companions))
    words = (*program(installer, python), "--pre", "--index-url", index.url)
    extras = _extras(index, wanted.gpus)
    required = (with_extras(each, extras) for each in names)
    notes = (
        "AMD's nightly index has builds for the ROCm that is in development; pip takes the newest",
        UNPINNED,
        *_all_gpus(index, wanted),
    )
    wheels = Wheels("", index.url, True, notes, "amd", wanted.system, extras)
    return Installation(wheels, tuple((each, "") for each in names), (*words, *required), notes)


def nightly_devices(system: System) -> tuple[str, ...]:
    """Return the GPUs that AMD's nightly builds have code for."""
    found = map(amd_wheels.device, amd_wheels.index("nightly").devices)
    return tuple(each.gfx for each in found if each and (each.windows or system == "linux"))


def companions_of(torch: str) -> dict[str, str]:
    """Return the releases of torchvision and torchaudio that AMD has for one of its builds."""
    build = next((each for each in amd_wheels.builds() if each.version("torch") == torch), None)
    versions = {each: build.version(each) for each in COMPANIONS} if build else {}
    return {name: Version(version).public for name, version in versions.items() if version}


def newest() -> str:
    """Return how far AMD's table goes, as messages say it."""
    return f"newest row {amd_wheels.as_of()}"


def _extras(index: Index, gpus: Sequence[str]) -> str:
    return (amd_wheels.extras(gpus) or ALL) if index.kind == "extra" else ""


def _all_gpus(index: Index, wanted: Wanted) -> tuple[str, ...]:
    if index.kind != "extra" or wanted.gpus:
        return ()
    return (f"{ALL} installs the code for every GPU; for one only: --gpu gfx1151",)


def _address(index: Index, rocm: str, gpus: Sequence[str]) -> str:
    if index.kind != "family":
        return index.url.format(rocm=rocm)
    families = dict.fromkeys(map(amd_wheels.family_of, gpus))
    if not families:
        message = f"AMD has an index for each family of GPUs for ROCm {rocm}"
        raise NoWheelsError(f"{message}: name your GPU with --gpu")
    if len(families) > 1:
        message = (
            f"{enumerated(gpus)} are of different families, and for ROCm {rocm} AMD has an index "
            "for each; from ROCm 7.14 on one index has all"
        )
        raise NoWheelsError(message)
    return index.url.format(family=next(iter(families)))


def _patch(asked: Version, there: Iterable[str]) -> str:
    """Choose the patch release: that asked for, the newest before it, or of a minor the newest."""
    known = sorted(set(there), key=Version)
    below = [each for each in known if Version(each) <= asked or len(asked.release) == 2]
    return below[-1] if below else known[0]


def _with_torch(builds: Sequence[Build], torch: str | None) -> list[Build]:
    if torch is None:
        return list(builds)
    asked = read_torch_version(torch)
    there = (Version(each.torch).public for each in builds)
    return _kept(
        builds,
        lambda each: is_of(each, asked),
        f"torch {asked} for",
        enumerated(dict.fromkeys(there)),
    )


def is_of(build: Build, asked: Version) -> bool:
    """Return whether a build is of a torch as people name it: a minor version, release or build."""
    public = Version(Version(build.torch).public)
    short = len(asked.release) == 2
    same = minor_release(public) == minor_release(asked) if short else public == asked
    return same or str(asked) == build.version("torch")


def _with_gpus(builds: Sequence[Build], wanted: Wanted) -> list[Build]:
    """Keep the builds with code for the GPUs; which those are is not known of files."""
    enough = all if wanted.every else any
    found = [
        each
        for each in builds
        if not each.devices or not wanted.gpus or enough(gpu in each.devices for gpu in wanted.gpus)
    ]
    if not found:
        where = f"AMD's wheels for ROCm {builds[-1].rocm} on {wanted.system.capitalize()} have"
        _served(wanted, builds[-1].devices, where)
    return found


def _served(wanted: Wanted, devices: Sequence[str], where: str) -> None:
    missing = [each for each in wanted.gpus if each not in devices]
    if missing:
        raise NoWheelsError(f"{where} no code for {enumerated(missing)} ({newest()})")


def _with_python(builds: Sequence[Build], python: str) -> list[Build]:
    there = enumerated(dict.fromkeys(version for each in builds for version in each.python))
    return _kept(
        builds,
        lambda each: not python or python in each.python,
        f"torch for Python {python} and",
        there,
    )


def _kept(
    builds: Sequence[Build], is_asked: Callable[[Build], bool], wish: str, there: str
) -> list[Build]:
    found = [each for each in builds if is_asked(each)]
    if not found:
        rocm = builds[-1].rocm
        message = f"AMD has no {wish} ROCm {rocm} ({newest()}); there it has {there}"
        raise NoWheelsError(message)
    return found
