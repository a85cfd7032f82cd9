"""Where the ROCm build of a package is that PyPI has for CUDA only, or as a source."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from rocmlint.published import amd_wheels
from rocmlint.stack.advice.keeping import NOTHING, Kept
from rocmlint.stack.versions import labelled_rocm, major_minor

if TYPE_CHECKING:
    from rocmlint.published.amd_wheels import Elsewhere

_URL = re.compile(r"https://[^\s\"']+")


def rocm_build(wanted: str, kept: Kept = NOTHING, rocm: str = "") -> str:
    """Return what to do in place of an install of what PyPI has for CUDA only, and where it is."""
    place = "".join(f"; {each}" for each in places(wanted, kept, rocm))
    quoted = shlex.quote(wanted)
    return f"install a ROCm build of {quoted} with --no-deps (PyPI has the CUDA build){place}"


def places(wanted: str, kept: Kept = NOTHING, rocm: str = "") -> list[str]:
    """Return where there are ROCm builds of a package: a command for those of torch's ROCm.

    ``rocm`` is major.minor, in place of what the label of torch says. With what is kept in the
    command, an installer refuses a build that needs another torch. Of those for another ROCm only
    the place is told. Nothing where none is known.
    """
    name, here = Requirement(wanted).name, rocm or major_minor(labelled_rocm(kept.torch))
    rows = amd_wheels.elsewhere(name)
    told = [_command(each, kept) for each in rows if here and here in each.rocm]
    if told or not rows:
        return told
    known = " and ".join(f"{', '.join(each.rocm)} ({_url(each)})" for each in rows)
    return [f"ROCm builds of {name} are known for ROCm {known}"]


def _command(row: Elsewhere, kept: Kept) -> str:
    commands = " and ".join(_beside(each, kept) for each in row.commands)
    note = f" ({row.note})" if row.note else ""
    return f"for ROCm {', '.join(row.rocm)}: {commands}{note}"


def _beside(command: str, kept: Kept) -> str:
    uv = command.startswith("uv ")
    index = "" if kept.index and f"{kept.index} " in f"{command} " else kept.index
    words = Kept(kept.pins, index, kept.constraints).words(uv=uv)
    return f"{command} {shlex.join(words)}" if words else command


def _url(row: Elsewhere) -> str:
    found = [match[0] for each in row.commands for match in _URL.finditer(each)]
    return found[0] if found else "on PyPI"
