"""For which ROCm, GPUs and system a verb of stack works: what is named, else what is found."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentTypeError
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rocmlint.errors import RocmlintError
from rocmlint.gpus.devices import find_devices
from rocmlint.gpus.target import check_device, parse_target
from rocmlint.interpreter.ask import Interpreter, InterpreterError, TooOldError
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.stack.installed.distributions import minor_of, read_environment
from rocmlint.stack.installed.rocm import find_rocm
from rocmlint.stack.installed.torch_build import read_torch
from rocmlint.stack.wheels.install import Wanted, enumerated
from rocmlint.stack.wheels.wheel_sources import SOURCES, newest_rocm
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable
    from types import SimpleNamespace

    from rocmlint.published.amd_wheels import System

SYSTEMS = ("linux", "windows")
_NOT_IN_A_URL = re.compile(r"""[\s\x00-\x1f\x7f"<>\\^`{|}]""")
"""Characters that a URL has as %20 and so on (RFC 3986), and that no shell takes as they are."""
HERE: System = "windows" if sys.platform == "win32" else "linux"


class NoRocmError(RocmlintError):
    """No ROCm was named, and none was found; the message says which flag names one."""


def add_rocm_arguments(parser: ArgumentParser) -> None:
    """Add which ROCm, and whether its nightly builds are meant."""
    parser.add_argument(
        "--rocm", metavar="VERSION", help="such as 7.1 (default: the installed ROCm)"
    )
    parser.add_argument("--nightly", action="store_true", help="nightly builds instead of releases")


def add_wheel_arguments(parser: ArgumentParser) -> None:
    """Add whose wheels, and for which machine."""
    add_gpu_argument(parser)
    parser.add_argument(
        "--system", choices=SYSTEMS, help="the operating system (default: this one)"
    )
    parser.add_argument(
        "--source",
        choices=SOURCES,
        help="whose wheels: PyTorch's, AMD's, or those of repo.radeon.com (default: PyTorch's "
        "if they support the GPU and the ROCm, else AMD's)",
    )
    add_index_argument(parser)


def add_gpu_argument(parser: ArgumentParser) -> None:
    """Add the GPUs that the wheels must have code for."""
    parser.add_argument(
        "--gpu",
        action="append",
        type=gpu,
        metavar="GFX",
        help="such as gfx1151, for another machine; can be repeated (default: the installed GPUs)",
    )


def add_index_argument(parser: ArgumentParser) -> None:
    """Add the index to take in place of the one that the tables have."""
    parser.add_argument(
        "--index-url",
        type=index_at,
        metavar="URL",
        help="use this index, even for a ROCm or a torch that rocmlint does not know yet",
    )


def index_at(text: str) -> str:
    """Read the URL of an index. Raises ArgumentTypeError."""
    with suppress(ValueError):  # http://[host
        parts = urlsplit(text)
        is_address = parts.scheme in {"http", "https", "file"} and (parts.netloc or parts.path)
        if is_address and "@" in parts.netloc:
            message = "it contains a login, which the command would print: let pip read ~/.netrc"
            raise ArgumentTypeError(message)
        if is_address and not _NOT_IN_A_URL.search(text):
            return text
    message = f"{text!r} is not the URL of an index, such as https://host/whl/"
    raise ArgumentTypeError(message)


def gpu(text: str) -> str:
    """Read a GPU: gfx1151, or with settings, which no wheel is chosen by.

    Raises ArgumentTypeError.
    """
    try:
        target = parse_target(text)
        check_device(target)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return target.processor


def wanted_of(flags: SimpleNamespace) -> tuple[Wanted, tuple[str, ...]]:
    """Return what the flags ask for, with what is here for what they leave open, and notes.

    A GPU or a system that is named is of another machine: its ROCm is unknown, and the newest that
    serves it is taken; so it is for a GPU that is here without a ROCm. Raises RocmlintError.
    """
    python = getattr(flags, "python", None)
    wanted = Wanted(
        "",
        torch=getattr(flags, "torch", None),
        nightly=flags.nightly,
        gpus=tuple(dict.fromkeys(flags.gpu or ())),
        every=bool(flags.gpu),
        system=flags.system or HERE,
        python=_version_of(python) if python else "",
    )
    elsewhere = bool(flags.gpu) or wanted.system != HERE
    notes: tuple[str, ...] = ()
    if not elsewhere:
        devices = find_devices()
        wanted = replace(wanted, gpus=devices.architectures)
        if wanted.gpus:
            are = "GPU {} was" if len(wanted.gpus) == 1 else "GPUs {} were"
            notes = (f"{are.format(enumerated(wanted.gpus))} read from {devices.source}",)
    if wanted.nightly and (flags.source == "amd" or wanted.system == "windows"):
        return wanted, notes  # AMD's nightly builds are for the newest ROCm only
    if flags.rocm is None and elsewhere and not flags.index_url:
        return _with_newest(wanted, flags)
    try:
        rocm, found = rocm_of(flags)
    except NoRocmError:
        if not wanted.gpus:
            raise
        wanted, found = _with_newest(wanted, flags)
        return wanted, ("no ROCm was found here", *found, *notes)
    return replace(wanted, rocm=rocm), (*found, *notes)


def _with_newest(wanted: Wanted, flags: SimpleNamespace) -> tuple[Wanted, tuple[str, ...]]:
    newest = newest_rocm(wanted, flags.source)
    note = (
        f"ROCm {newest} is the newest version with matching wheels; choose an older one with --rocm"
    )
    return replace(wanted, rocm=newest), (note,)


def _version_of(python: str) -> str:
    """Return the version of an interpreter to major.minor; "" where it cannot be asked.

    A command can be made for an interpreter that is not here. One that is here and too old is
    refused, as by the other verbs: the newest wheels are not for it. Raises TooOldError.
    """
    try:
        return minor_of(read_environment(Interpreter(python)).python)
    except TooOldError:
        raise
    except InterpreterError:
        return ""


def rocm_of(flags: SimpleNamespace) -> tuple[str, tuple[str, ...]]:
    """Return the version of ROCm, and a note on where it was read. Raises NoRocmError."""
    if flags.rocm is not None:
        return flags.rocm, ()
    chosen = chosen_interpreter(getattr(flags, "python", None), os.curdir, os.environ)
    environment = read_environment(Interpreter(chosen.path))
    rocm = find_rocm(environment=environment)
    if rocm.chosen is None:
        said = "".join(f"; {each.source} {each.problem}" for each in rocm.problems)
        torch = read_torch(environment)
        built = torch.rocm_release if torch else ""
        said += f"; torch {torch.version} was built for ROCm {built}" if torch and built else ""
        message = f"no ROCm was found{said}; name the version: --rocm {built or '7.1'}"
        raise NoRocmError(message)
    others = [f"{each.source} reports {each.version}" for each in rocm.others]
    found = f"ROCm {rocm.version} was read from {rocm.chosen.source}"
    return rocm.version, (found, *others)


def tell(notes: Iterable[str]) -> None:
    """Print notes to stderr, so that a program that takes the answer sees none of them."""
    for each in notes:
        print(visible(f"note: {each}"), file=sys.stderr)
