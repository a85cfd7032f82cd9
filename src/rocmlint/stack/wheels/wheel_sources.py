"""Whose wheels of torch to take: PyTorch's where they serve ROCm and GPU, else AMD's, and why."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.errors import RocmlintError
from rocmlint.gpus.target import GENERIC_OF
from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.stack.versions import read_rocm, read_torch_version
from rocmlint.stack.wheels import amd_install, install
from rocmlint.stack.wheels.install import (
    Installation,
    NoWheelsError,
    Wheels,
    enumerated,
    program,
    with_extras,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.wheels.install import Source, Wanted

SOURCES: tuple[Source, ...] = ("pytorch", "amd", "radeon")
_POWERSHELL = "this is for cmd; in PowerShell, type & and a blank before it"
"""A hint for PowerShell, where a text in quotes is not a program."""
_OF_AMD = re.compile(r"\.amd\.com/")
_OF_FAMILY = re.compile(r"/gfx[0-9a-z-]+/?\Z", re.IGNORECASE)
"""An index for one family of GPUs, whose torch has no extras for them."""

COMMAND = "rocmlint stack install-command"


def installation(
    wanted: Wanted,
    *,
    source: Source | None = None,
    url: str | None = None,
    installer: str = "pip",
    python: str | None = None,
) -> Installation:
    """Return the command that installs torch, from the source that is named or the one that serves.

    ``url`` is an index that the tables need not know; ``python`` is the interpreter to install
    into. Raises RocmlintError for what is not a version, and NoWheelsError where there are no
    wheels, with what is near.
    """
    if url:
        return _from_url(wanted, url, installer, python)
    found, why = (source, ()) if source else choose(wanted)
    if found == "pytorch":
        made = _of_pytorch(wanted, installer, python)
        why = (*why, *_older(wanted, made), *_left(wanted, made))
    elif wanted.nightly:
        made = amd_install.nightly_for(wanted, installer=installer, python=python)
    else:
        build = amd_install.build_for(wanted, found)
        made = amd_install.command_for(build, wanted, installer=installer, python=python)
    of_shell = (_POWERSHELL,) * made.command.startswith('"')
    return replace(made, notes=(*why, *made.notes, *of_shell))


def attempted(wanted: Wanted, source: Source | None = None) -> Installation | None:
    """Return what ``install-command`` installs, of the newest ROCm where none is named.

    None where it refuses.
    """
    with suppress(RocmlintError):
        if not wanted.rocm and not wanted.nightly:
            wanted = replace(wanted, rocm=newest_rocm(wanted, source))
        return installation(wanted, source=source)
    return None


def index(wanted: Wanted, source: Source | None = None, url: str | None = None) -> Wheels:
    """Return the index alone. Raises as :func:`installation`."""
    if url:
        return index_at(url, wanted)
    made = installation(wanted, source=source)
    return replace(made.wheels, notes=made.notes)


def index_at(url: str, wanted: Wanted) -> Wheels:
    """Return an index that a person named, and that the tables need not know.

    AMD's builds have all numbers of ROCm in their labels (rocm10.2.0), PyTorch's two (rocm7.2).
    """
    rocm = read_rocm(wanted.rocm)
    of_amd = bool(_OF_AMD.search(url))
    label = f"{rocm}.0" if of_amd and len(rocm.release) == 2 else str(rocm)
    has_extras = of_amd and not _OF_FAMILY.search(url)
    extras = (amd_wheels.extras(wanted.gpus) or amd_install.ALL) if has_extras else ""
    note = f"{url} was used as given, and not checked"
    source: Source = "amd" if of_amd else "pytorch"
    return Wheels(
        label,
        url,
        wanted.nightly,
        (note,),
        source,
        wanted.system,
        extras,
        is_known=False,
    )


def choose(wanted: Wanted) -> tuple[Source, tuple[str, ...]]:
    """Return whose wheels serve what is wanted, and why they are not PyTorch's; else raise."""
    if wanted.system == "windows":
        why = "PyTorch has no ROCm wheels for Windows"
        return _amd(wanted, why, NoWheelsError(why))
    if wanted.nightly:
        return "pytorch", ()
    if wanted.torch in {each.version("torch") for each in amd_wheels.builds()}:
        why = f"torch {wanted.torch} is a build of AMD's"
        return _amd(wanted, why, NoWheelsError(why))
    try:
        release, rocm = _release(wanted)
    except NoWheelsError as error:
        torch = f"torch {wanted.torch}" if wanted.torch else "torch"
        python = f" and Python {wanted.python}" if wanted.python else ""
        return _amd(wanted, f"PyTorch has no {torch} for ROCm {wanted.rocm}{python}", error)
    without = _without(wanted, release, rocm)
    if without:
        why = f"PyTorch has no {enumerated(without)} for torch {release} and ROCm {rocm}"
        with suppress(NoWheelsError):
            return _amd(wanted, why, NoWheelsError(why))
    known = rocm_wheels.architectures(release, rocm)
    missing = [each for each in wanted.gpus if each not in known]
    if not missing or (known and not wanted.every and len(missing) < len(wanted.gpus)):
        return "pytorch", ()
    if not known:
        why = f"which GPUs PyTorch's wheels of torch {release} for ROCm {rocm} support is unknown"
        try:
            return _amd(wanted, why, NoWheelsError(why))
        except NoWheelsError:
            return "pytorch", (why,)
    why = f"PyTorch's torch {release} for ROCm {rocm} has no code for {enumerated(missing)}"
    return _amd(wanted, why, NoWheelsError(f"{why} ({install.newest_row()})"))


def newest_rocm(wanted: Wanted, source: Source | None = None) -> str:
    """Return the newest ROCm whose wheels are known to have code for the GPUs.

    The ROCm of ``wanted`` does not count. Raises NoWheelsError if there is none.
    """
    for rocm in _newest_first(source):
        with suppress(NoWheelsError):
            made = installation(replace(wanted, rocm=rocm), source=source)
            if made.wheels.source != "pytorch" or _serves(made, wanted):
                return rocm
    torch = f"torch {wanted.torch}" if wanted.torch else "torch"
    for_what = [*wanted.gpus, *((f"Python {wanted.python}",) if wanted.python else ())]
    what = f"{torch} for {enumerated(for_what)}" if for_what else torch
    message = f"no {what} is known for {wanted.system.capitalize()} ({_ages()})"
    raise NoWheelsError("; ".join((message, *_near(wanted))))


def _newest_first(source: Source | None) -> list[str]:
    """Return the versions of ROCm that a source, or any, has wheels for."""
    kinds = amd_install.KINDS.get(source or "amd", ())
    found = {each.rocm for each in amd_wheels.builds() if each.index.kind in kinds}
    if source in {None, "pytorch"}:
        found |= {*rocm_wheels.rocm_versions()}
    return sorted(found, key=Version, reverse=True)


def _serves(made: Installation, wanted: Wanted) -> bool:
    """Return whether wheels have code for the GPUs; of nightly builds nothing is known."""
    release = dict(made.packages)["torch"]
    known = rocm_wheels.architectures(release, made.wheels.rocm) if release else wanted.gpus
    return set(wanted.gpus) <= set(known)


def _without(wanted: Wanted, release: str, rocm: str) -> list[str]:
    """Return the companions that PyTorch's index has no wheels of."""
    found = []
    for each in wanted.companions:
        try:
            install.companion(each, release, rocm)
        except NoWheelsError:
            found.append(each)
    return found


def _amd(wanted: Wanted, why: str, error: NoWheelsError) -> tuple[Source, tuple[str, ...]]:
    """Take AMD's wheels where they serve; else raise what PyTorch's lack, with what is near."""
    try:
        if not wanted.nightly:
            amd_install.build_for(wanted, "amd")
    except NoWheelsError as other:
        said = str(error).removesuffix(install.AMD_HINT)
        theirs = [str(other)] if read_rocm(wanted.rocm) >= install.FIRST_OF_AMD else []
        raise NoWheelsError("; ".join((said, *theirs, *_near(wanted)))) from None
    return "amd", (f"{why}; using AMD's wheels",)


def _release(wanted: Wanted) -> tuple[str, str]:
    """Return torch's release on PyTorch's index and the ROCm that is in its URL."""
    wheels = install.index_url(wanted.rocm)
    release = install.torch_release(wheels.rocm, wanted.torch, wanted.python)
    if not install.is_for(release, wanted.python):
        tags = rocm_wheels.python_tags(release)
        there = enumerated(f"{each[2]}.{each[3:]}" for each in tags if not each.endswith("t"))
        message = f"PyTorch has no torch {release} for Python {wanted.python}"
        raise NoWheelsError(f"{message} ({install.newest_row()}); it has wheels for Python {there}")
    return release, wheels.rocm


def _from_url(wanted: Wanted, url: str, installer: str, python: str | None) -> Installation:
    """Pin torch where its release is named; it pins its companions, by their metadata."""
    wheels = index_at(url, wanted)
    asked = read_torch_version(wanted.torch) if wanted.torch else None
    release = asked.public if asked and (asked.local or len(asked.release) > 2) else ""
    notes = wheels.notes
    if not release:
        notes = (*notes, "name a release with --torch to pin it", install.UNPINNED)
    required = [with_extras(each, wheels.extras) for each in ("torch", *wanted.companions)]
    if asked and release:
        local = asked.local or f"rocm{wheels.rocm}"
        required[0] += f"=={release}+{local}"
    packages = (("torch", release), *((each, "") for each in wanted.companions))
    words = (*program(installer, python), *(("--pre",) * wanted.nightly), *required)
    return Installation(wheels, packages, (*words, "--index-url", url), notes)


def _of_pytorch(wanted: Wanted, installer: str, python: str | None) -> Installation:
    if wanted.system == "windows":
        message = "PyTorch has no ROCm wheels for Windows; AMD has: --source amd"
        raise NoWheelsError(message)
    torch = wanted.torch
    if not wanted.nightly:
        release, _ = _release(wanted)
        torch = torch or release
    return install.install_command(
        wanted.rocm,
        torch=torch,
        companions=wanted.companions,
        nightly=wanted.nightly,
        installer=installer,
        python=python,
    )


def _older(wanted: Wanted, made: Installation) -> tuple[str, ...]:
    """Return a note on a newer torch that has no wheels for the Python."""
    if wanted.nightly or wanted.torch:
        return ()
    newest = install.torch_release(made.wheels.rocm)
    is_it = dict(made.packages)["torch"] == newest
    return () if is_it else (f"torch {newest} has no wheels for Python {wanted.python}",)


def _left(wanted: Wanted, made: Installation) -> tuple[str, ...]:
    """Return a note on the GPUs that PyTorch's wheels have no code for."""
    release = dict(made.packages)["torch"]
    known = rocm_wheels.architectures(release, made.wheels.rocm) if release else ()
    left = [each for each in wanted.gpus if known and each not in known]
    return (f"torch {release} has no code for {enumerated(left)}: kernels fail there",) * bool(left)


def _near(wanted: Wanted) -> Iterator[str]:
    """Yield where there are wheels for the GPUs: the nearest ROCm, nightly builds, a like GPU."""
    for gpu in wanted.gpus:
        theirs = rocm_wheels.built_for(gpu) if wanted.system == "linux" else ()
        ours = _amd_builds(wanted, gpu)
        if not ours and not theirs:
            yield _only_near(gpu, wanted)
        theirs = tuple(each for each in theirs if install.is_for(each[0], wanted.python))
        if theirs:
            rocm = _nearest(wanted, [each for _, each in theirs])
            torch = next(torch for torch, each in reversed(theirs) if each == rocm)
            yield f"nearest for {gpu}: PyTorch's torch {torch} (--rocm {rocm} --torch {torch})"
        ours = [each for each in ours if not wanted.python or wanted.python in each.python]
        if ours:
            yield f"nearest for {gpu}: AMD's {_near_of_amd(wanted, ours)}"


def _near_of_amd(wanted: Wanted, builds: list[amd_wheels.Build]) -> str:
    """Say which ROCm is near; and which torch, where AMD has none for it of the one asked for."""
    asked = read_torch_version(wanted.torch) if wanted.torch else None
    same = [each for each in builds if asked is not None and amd_install.is_of(each, asked)]
    near = same or builds
    rocm = _nearest(wanted, [each.rocm for each in near])
    if asked is None or same:
        return f"for ROCm {rocm} (--rocm {rocm})"
    torch = Version(next(each.torch for each in reversed(near) if each.rocm == rocm)).public
    return f"torch {torch} for ROCm {rocm} (--rocm {rocm} --torch {torch})"


def _nearest(wanted: Wanted, there: list[str]) -> str:
    """Choose the first ROCm that is not older than the one wanted, else the newest."""
    known = sorted(set(there), key=Version)
    if not wanted.rocm:
        return known[-1]
    asked = read_rocm(wanted.rocm)
    return next((each for each in known if Version(each) >= asked), known[-1])


def _only_near(gpu: str, wanted: Wanted) -> str:
    if gpu in amd_install.nightly_devices(wanted.system):
        return f"only AMD's nightly builds have code for {gpu}: --nightly --source amd"
    like = [each for each in GENERIC_OF if GENERIC_OF[each] == GENERIC_OF.get(gpu, "")]
    near = [each for each in like if _amd_builds(wanted, each)]
    found = f"no wheel for {wanted.system.capitalize()} has code for {gpu}"
    return f"{found}; similar GPUs that have one: {enumerated(near)}" if near else found


def _amd_builds(wanted: Wanted, gpu: str) -> list[amd_wheels.Build]:
    builds = (each for each in amd_wheels.builds() if each.system == wanted.system)
    return [each for each in builds if gpu in each.devices]


def _ages() -> str:
    return f"PyTorch's {install.newest_row()}, AMD's {amd_install.newest()}"
