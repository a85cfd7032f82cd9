"""``rocmlint verify ranks``: says whether all ranks of a job run the same, right code."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.cli.verify.arch import gpu
from rocmlint.cli.verify.common import (
    add_output_argument,
    add_report_arguments,
    finish,
    help_of,
    seconds,
)
from rocmlint.errors import ConfigError
from rocmlint.verify.job.ranks import complete, judge
from rocmlint.verify.job.watch import watch_of
from rocmlint.verify.job.witnesses import ANSWER, ask, read

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

    from rocmlint.verify.job.watch import Watch

_POLL = 0.5
_DEFAULT_TIMEOUT = 60.0


def add_watch_arguments(parser: ArgumentParser) -> None:
    """Add what must be live."""
    parser.add_argument(
        "--manifest",
        action="append",
        default=[],
        metavar="FILE",
        help="the files and functions that must be live (written by rocmlint verify manifest); can "
        "be repeated",
    )
    parser.add_argument(
        "--module",
        action="append",
        default=[],
        metavar="NAME",
        help="a module that must match its source; can be repeated",
    )
    parser.add_argument(
        "--variable",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an environment variable that must have this value; can be repeated",
    )


HELP = help_of(
    "[DIR | --store HOST:PORT] [--manifest M] [--module NAME] [flags]",
    "Compare all ranks of a job with a manifest and with each other: from the witnesses in "
    "a\ndirectory, or by asking the interpreter of each rank, started by\npython -m "
    "torch.distributed.run ... -m rocmlint verify ranks.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify ranks``."""
    parser.add_argument(
        "folder", nargs="?", metavar="DIR", help="the witnesses of verify run --keep DIR"
    )
    add_watch_arguments(parser)
    parser.add_argument(
        "--store", metavar="HOST:PORT", help="where the ranks meet, without torchrun: rank 0's node"
    )
    parser.add_argument("--world-size", type=int, metavar="N", help="the number of ranks")
    parser.add_argument("--rank", type=int, metavar="R", help="this rank (with --store)")
    parser.add_argument(
        "--arch",
        metavar="TARGET",
        help="the GPU for which the libraries that the ranks have mapped must have code, such as "
        "gfx942:sramecc+:xnack- (default: the GPU that torch uses in each rank)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help=f"how long to wait for missing ranks (default: {_DEFAULT_TIMEOUT:g} where the "
        "ranks meet, 0 for DIR)",
    )
    add_report_arguments(parser)
    add_output_argument(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify ranks``."""
    if flags.world_size is not None and flags.world_size < 1:
        message = f"--world-size {flags.world_size}: must be at least 1"
        raise ConfigError(message)
    if flags.folder is None:
        return _meeting(flags)
    if flags.store is not None or flags.rank is not None:
        message = "verify ranks: use either DIR or --store and --rank, not both"
        raise ConfigError(message)
    return _from_folder(flags, _watch(flags))


def _from_folder(flags: SimpleNamespace, watch: Watch) -> int:
    waited = flags.timeout or 0.0
    until = time.monotonic() + waited
    while True:
        witnesses, problems = read(flags.folder)
        left = until - time.monotonic()
        if left <= 0 or complete(witnesses, watch, flags.world_size):
            break
        time.sleep(min(_POLL, left))
    if any(each.may_run for each in witnesses):
        witnesses, problems = read(flags.folder, ask(witnesses, ANSWER))
    if not (witnesses or problems):
        message = (
            f"{flags.folder}: contains no witness; create them with rocmlint verify run --keep DIR"
        )
        if not flags.world_size:
            raise ConfigError(message)
    return finish(judge(watch, witnesses, problems, flags.world_size, waited), flags)


def _watch(flags: SimpleNamespace) -> Watch:
    watch = watch_of(flags.manifest, flags.module, flags.variable)
    return replace(watch, arch=gpu(flags.arch) if flags.arch else None)


def _meeting(flags: SimpleNamespace) -> int:
    """Ask this rank's interpreter, meet the others, and judge (rank 0) or hear the verdict."""
    from rocmlint.verify.job import rendezvous  # noqa: PLC0415 - torch's store, only wanted here
    from rocmlint.verify.job.store import place_of  # noqa: PLC0415

    watch = _watch(flags)
    place = place_of(flags.store, flags.rank, flags.world_size)
    timeout = _DEFAULT_TIMEOUT if flags.timeout is None else flags.timeout
    return rendezvous.meet(place, watch, timeout, lambda results: finish(results, flags))
