"""``rocmlint verify kernels``: says of every file with device code whether a GPU can run it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError
from rocmlint.gpus.devices import Devices, find_devices
from rocmlint.gpus.target import DEVICES, check_device, parse_target
from rocmlint.text.words import counted
from rocmlint.verify.kernels import check, scan

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

_DESCRIPTION = """Read the device code in every .so, .co, .hsaco and .kpack file in the paths, and
report whether HIP finds code for the GPU in it. No GPU is needed if --arch names one; no code
in the files is run."""

HELP = help_of(
    "[--arch TARGET] [PATH ...]",
    _DESCRIPTION,
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify kernels``."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and directories (default: where the packages of --python are installed)",
    )
    parser.add_argument(
        "--arch",
        action="append",
        metavar="TARGET",
        help=(
            "a GPU such as gfx942:sramecc+:xnack-; can be repeated (default: the GPUs of "
            "this machine)"
        ),
    )
    add_usual_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify kernels``."""
    interpreter = interpreter_of(flags)
    roots = [os.path.normpath(each) for each in flags.paths]
    roots = roots or interpreter.ask("devices", "folders")["folders"]
    devices = _named(flags.arch) if flags.arch else find_devices(interpreter=interpreter)
    found = scan(roots)
    note = f"{counted(found.looked_at, 'file')}, {found.without_code:,} without device code"
    if found.for_cuda:
        note += f", {found.for_cuda:,} for CUDA next to others for AMD GPUs, which are skipped"
    with suppress(OSError):  # a full stderr is no reason to keep the results back
        print(note, file=sys.stderr)
    return finish(check(found, devices, roots, os.environ), flags)


def _named(names: Sequence[str]) -> Devices:
    """Read the targets that are given. Raises ConfigError for what no GPU can have."""
    found = []
    for name in names:
        try:
            target = parse_target(name)
            check_device(target)
        except ValueError as error:
            processor = name.strip().partition(":")[0]
            is_word = processor not in DEVICES and "-" not in processor
            message = f"--arch {error}{did_you_mean(processor, DEVICES) if is_word else ''}"
            raise ConfigError(message) from error
        found.append(str(target))
    return Devices(tuple(dict.fromkeys(found)), "--arch")
