"""``rocmlint verify trace``: whose kernels ran, by the installed files that hold them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.errors import ConfigError
from rocmlint.verify.trace import attribution
from rocmlint.verify.trace.files import read
from rocmlint.verify.trace.index import build, cache_folder, default_roots
from rocmlint.verify.trace.origin import LIBRARIES

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

    from rocmlint.verify.trace.index import KernelIndex

HELP = help_of(
    "TRACE [--expect LIBRARY] [flags] [PATH ...]",
    (
        "Report which library each kernel in a trace comes from, by the installed file "
        "that contains it."
    ),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify trace``."""
    parser.add_argument(
        "trace",
        metavar="TRACE",
        help="Chrome JSON of torch.profiler (.json, .json.gz), or kernel_trace.csv or "
        "kernel_stats.csv of rocprofv3",
    )
    parser.add_argument("--expect", choices=LIBRARIES, help="the library whose kernels should run")
    add_index_arguments(parser)
    add_usual_arguments(parser)


def add_index_arguments(parser: ArgumentParser) -> None:
    """Add where kernels are looked for."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="where to look for kernels (default: the packages of --python, ROCm, JIT caches)",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="ignore the index of an earlier run"
    )


def index_of(flags: SimpleNamespace) -> KernelIndex:
    """Return the index of the kernels that the flags point at. Raises ConfigError."""
    for each in flags.paths:
        if not os.path.exists(each):
            message = f"{each}: no such file or directory"
            raise ConfigError(message)
    roots = flags.paths or default_roots(interpreter_of(flags))
    return build(roots, None if flags.no_cache else cache_folder())


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify trace``."""
    ran = attribution.attribute(read(flags.trace), index_of(flags))
    if flags.expect:
        return finish([attribution.expectation(ran, flags.expect)], flags)
    return finish(attribution.by_library(ran), flags)
