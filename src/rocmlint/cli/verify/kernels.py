"""``rocmlint verify kernels``: says of every file with device code whether a GPU can run it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from rocmlint.cli.verify.arch import gpu
from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.gpus.devices import Devices, find_devices
from rocmlint.text.words import counted
from rocmlint.verify.code_objects.kernel_judge import KernelJudge
from rocmlint.verify.kernels.check import check, scan
from rocmlint.verify.kernels.compiled.check import Builders
from rocmlint.verify.kernels.compiled.check import check as check_caches
from rocmlint.verify.kernels.compiled.places import caches_of, default_caches

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.kernels.check import Scan
    from rocmlint.verify.kernels.compiled.places import KernelCache

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
    installed = Builders({}) if roots else _builders(interpreter)
    kept = list(default_caches(os.environ, installed.folders.get("aiter")))
    if roots:
        kept = [each for each in kept if any(_is_below(each.folder, root) for root in roots)]
    roots = roots or interpreter.ask("devices", "folders")["folders"]
    devices = _devices_of(flags.arch) if flags.arch else find_devices(interpreter=interpreter)
    found = scan(roots)
    kept += _unknown(found, kept)
    note = f"{counted(found.looked_at, 'file')}, {found.without_code:,} without device code"
    if found.for_cuda:
        note += f", {found.for_cuda:,} for CUDA next to others for AMD GPUs, which are skipped"
    with suppress(OSError):  # a full stderr is no reason to keep the results back
        print(note, file=sys.stderr)
    judge = KernelJudge(os.environ)
    results = check(found.without(kept), devices, roots, os.environ)
    more = check_caches(kept, devices, judge, installed, os.environ)
    return finish([*results, *more], flags)


def _builders(interpreter: Interpreter) -> Builders:
    """Ask where the packages are that compile kernels."""
    names = ("aiter", "torch", "triton")
    origins = interpreter.ask("imports.defined", {"targets": [(each, "") for each in names]})
    places = zip(names, origins, strict=True)
    return Builders({name: os.path.dirname(it["origin"]) for name, it in places if it["origin"]})


def _is_below(path: str, root: str) -> bool:
    path, root = os.path.realpath(path), os.path.realpath(root)
    return os.path.join(path, "").startswith(os.path.join(root, ""))


def _unknown(found: Scan, kept: Sequence[KernelCache]) -> list[KernelCache]:
    """Return the caches that files are in which were found, without those that are known."""
    paths = (each.found.path for each in found.files if not each.is_named)
    known = {os.path.realpath(each.folder) for each in kept}
    return [each for each in caches_of(paths) if os.path.realpath(each.folder) not in known]


def _devices_of(names: Sequence[str]) -> Devices:
    """Read the targets that are given. Raises ConfigError for what no GPU can have."""
    found = [str(gpu(name)) for name in names]
    return Devices(tuple(dict.fromkeys(found)), "--arch")
