"""Whose indexes have a torch, and the ``install-command`` that gets it on a machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.install import enumerated
from rocmlint.stack.wheels.wheel_sources import COMMAND, attempted
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.stack.wheels.install import Source, Wanted


def indexes_of(torch: str) -> str:
    """Say whose indexes have a minor release of torch, for which ROCm; empty where none is known.

    Those are the ones for Linux; files on repo.radeon.com are in no index.
    """
    minor, row = minor_release(Version(torch)), rocm_wheels.row(torch)
    theirs = _of_amd(minor)
    amd = f"AMD's for {enumerated(theirs)}" if theirs else ""
    if row is None or not row.rocm:
        return f"AMD's index has torch {minor} for ROCm {enumerated(theirs)}" if theirs else ""
    seen = "" if row.status == "release" else f" ({row.status} builds of {row.date})"
    ours = f"PyTorch's index has torch {minor} for ROCm {enumerated(row.rocm)}{seen}"
    return ", ".join(filter(None, (ours, amd)))


def _of_amd(minor: str) -> list[str]:
    """Return the versions of ROCm that AMD's indexes have a minor release of torch for."""
    builds = [each for each in amd_wheels.builds() if each.index.kind != "files"]
    there = (each for each in builds if minor_release(Version(each.torch)) == minor)
    return list(dict.fromkeys(each.rocm for each in there if each.system == "linux"))


def how_to_install(torch: str, wanted: Wanted) -> str:
    """Return the ``install-command`` for a torch; empty where none installs it.

    ``torch`` is a build (2.9.1+rocm6.4), which is then the one that is installed, or a release: of
    that it is the one for the ROCm of ``wanted``, else PyTorch's for the newest, else AMD's, and
    the other versions of ROCm are listed. ``wanted`` has the companions, and the machine.
    """
    release, rocm = torch.partition("+")[0], labelled_rocm(torch)
    if rocm:
        return _of_build(torch, replace(wanted, rocm=rocm))
    here = (wanted.rocm,) if wanted.rocm else ()
    for known in (here, rocm_wheels.rocm_for(torch), _of_amd(minor_release(Version(torch)))):
        asked = (replace(wanted, rocm=each, torch=release) for each in reversed(known))
        fitting = [each for each in asked if attempted(each)]
        if fitting:
            others = " or ".join(each.rocm for each in fitting[1:])
            return _typed(fitting[0]) + (f" (or --rocm {others})" if others else "")
    return ""


def _of_build(torch: str, wanted: Wanted) -> str:
    """Name the build by its release where that is enough, else in full."""
    sources: Iterable[Source | None] = (None, "radeon")
    for source in sources:
        for named in (torch.partition("+")[0], torch):
            asked = replace(wanted, torch=named)
            made = attempted(asked, source)
            if made is not None and made.build == torch:
                return _typed(asked, source)
    return ""


def _typed(wanted: Wanted, source: Source | None = None) -> str:
    words = [COMMAND, f"--source {source}" if source else ""]
    words += [f"--rocm {wanted.rocm}", f"--torch {wanted.torch}"]
    return " ".join(filter(None, (*words, *(f"--{each}" for each in wanted.companions))))
