"""Where the ROCm build of a package is that PyPI has for CUDA only, or as a source."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH
from rocmlint.stack.versions import labelled_rocm, major_minor
from rocmlint.stack.wheels.install import enumerated

if TYPE_CHECKING:
    from rocmlint.published.amd_wheels import Elsewhere

COMPILE_ANEW = ("--no-deps", "--no-build-isolation", "--no-cache-dir")
"""With these pip compiles a package against the torch that is installed."""
SOURCE_ONLY = BUILT_AGAINST_TORCH - rocm_wheels.BUILT_FOR_CUDA - {"apex"}
"""Packages without a wheel on PyPI, which pip compiles; its apex is something else."""
_URL = re.compile(r"https://[^\s\"']+")


def rocm_build(
    wanted: str, kept: KeptBuilds = NOTHING, rocm: str = "", python: str = "", replaces: str = ""
) -> str:
    """Return what to do in place of an install of what PyPI has for CUDA only, and where it is.

    The parameters are those of ``places``.
    """
    place = "".join(f"; {each}" for each in places(wanted, kept, rocm, python, replaces))
    name, quoted = Requirement(wanted).name, shlex.quote(wanted)
    if name in SOURCE_ONLY:
        command = f"pip install {' '.join(COMPILE_ANEW)} {quoted}"
        return f"{command} (it is compiled for the installed torch, with ROCm's compiler){place}"
    why = "" if name == "apex" else " (PyPI has the CUDA build)"
    return f"install a ROCm build of {quoted} with --no-deps{why}{place}"


def instead_of(package: str, release: str, kept: KeptBuilds, rocm: str, python: str) -> str:
    """Return how the ROCm build of a package takes the place of the build that is installed.

    That is removed first: pip takes it for what is wanted, and would leave it there.
    """
    rows = amd_wheels.elsewhere(package, rocm) if rocm else ()
    if any(_is_for(each, python) for each in rows):
        return "; ".join(places(package, kept, rocm, python, replaces=package))
    return f"pip uninstall -y {package}, then " + rocm_build(
        f"{package}=={release}", kept, rocm, python
    )


def places(
    wanted: str, kept: KeptBuilds = NOTHING, rocm: str = "", python: str = "", replaces: str = ""
) -> list[str]:
    """Return where there are ROCm builds of a package: a command for those of torch's ROCm.

    ``rocm`` is major.minor, in place of what the label of torch says. With what is kept in the
    command, an installer refuses a build that needs another torch. Of those for another ROCm or
    another ``python`` only the place is returned. Empty if none is known. ``replaces`` is a
    package that has to go first.
    """
    name, here = Requirement(wanted).name, rocm or major_minor(labelled_rocm(kept.torch))
    rows = amd_wheels.elsewhere(name)
    same = [each for each in rows if here and here in each.rocm]
    if same or not rows:
        return [_sentence_on(each, kept, python, replaces) for each in same]
    known = " and ".join(f"{', '.join(each.rocm)} ({_url(each)})" for each in rows)
    return [f"ROCm builds of {name} are known for ROCm {known}"]


def _is_for(row: Elsewhere, python: str) -> bool:
    return not python or not row.python or python in row.python


def _sentence_on(row: Elsewhere, kept: KeptBuilds, python: str, replaces: str) -> str:
    rocm = f"for ROCm {', '.join(row.rocm)}"
    if not _is_for(row, python):
        pythons = enumerated(row.python)
        return f"{rocm} {row.package} has a build for Python {pythons} only ({_url(row)})"
    first = f"pip uninstall -y {replaces}, then " if replaces else ""
    commands = " and ".join(_beside(each, kept) for each in row.commands)
    note = f" ({row.note})" if row.note else ""
    return f"{rocm}: {first}{commands}{note}"


def _beside(command: str, kept: KeptBuilds) -> str:
    uv = command.startswith("uv ")
    index = "" if kept.index and f"{kept.index} " in f"{command} " else kept.index
    words = KeptBuilds(kept.pins, index, kept.constraints).words(uv=uv)
    return f"{command} {shlex.join(words)}" if words else command


def _url(row: Elsewhere) -> str:
    found = [match[0] for each in row.commands for match in _URL.finditer(each)]
    return found[0] if found else "on PyPI"
