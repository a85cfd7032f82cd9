"""``rocmlint verify trace``: whose kernels ran, by the installed files that hold them."""

from __future__ import annotations

import math
import os
import sys
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.errors import ConfigError
from rocmlint.verify.result import EXIT_CODES, overall
from rocmlint.verify.trace import attribution, compared
from rocmlint.verify.trace.index import build, cache_folder, default_roots
from rocmlint.verify.trace.origin import LIBRARIES
from rocmlint.verify.trace.trace_files import read

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

    from rocmlint.verify.trace.index import KernelIndex

HELP = help_of(
    "TRACE [--expect LIBRARY [--min-share P]] [--against TRACE] [flags] [PATH ...]",
    (
        "Report which library each kernel in a trace comes from, by the installed file "
        "that contains it."
    ),
    "without --expect, --against compares and proves nothing: exit code 0\n\n",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify trace``."""
    parser.add_argument(
        "trace",
        metavar="TRACE",
        help="JSON of torch.profiler or rocprofv3 (.json, .json.gz), or kernel_trace.csv or "
        "kernel_stats.csv of rocprofv3",
    )
    parser.add_argument("--expect", choices=LIBRARIES, help="the library whose kernels should run")
    parser.add_argument(
        "--min-share",
        type=_per_cent,
        metavar="P",
        help="how many per cent of the time of all GPU kernels those of --expect must take "
        "(default: one kernel is enough)",
    )
    parser.add_argument(
        "--against",
        metavar="TRACE",
        help="a later trace: show what changed from TRACE to it, by kernel and owner; --expect is "
        "about the later one",
    )
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
        "-n", "--no-cache", action="store_true", help="ignore the index of an earlier run"
    )


def index_of(flags: SimpleNamespace) -> KernelIndex:
    """Return the index of the kernels that the flags point at. Raises ConfigError."""
    for each in flags.paths:
        if not os.path.exists(each):
            message = f"{each}: no such file or directory"
            raise ConfigError(message)
    roots = flags.paths or default_roots(interpreter_of(flags))
    return build(roots, None if flags.no_cache else cache_folder())


def _per_cent(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 100:
        message = f"{text!r} is not a valid share: must be above 0 and at most 100 (per cent)"
        raise ArgumentTypeError(message)
    return share


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify trace``. Raises ConfigError."""
    if flags.min_share is not None and not flags.expect:
        message = "--min-share needs --expect LIBRARY: whose share it is"
        raise ConfigError(message)
    if flags.against is not None and flags.output_format == "junit" and not flags.expect:
        message = "--output-format junit needs --expect: a comparison has no verdict"
        raise ConfigError(message)
    traces = [read(path) for path in (flags.trace, flags.against) if path is not None]
    index = index_of(flags)
    *earlier, last = (attribution.attribute(each, index) for each in traces)
    results = []
    if flags.expect:
        results = [attribution.expectation(last, flags.expect, flags.min_share)]
    elif not earlier:
        results = attribution.by_library(last)
    if not earlier or flags.output_format == "junit":
        return finish(results, flags)
    found = compared.compare(earlier[0], last)
    if flags.output_format == "json":
        sys.stdout.writelines(compared.document(found, results))
        return EXIT_CODES[overall(results)] if results else 0
    sys.stdout.writelines(compared.text(found))
    if not results:
        return 0
    sys.stdout.write("\n")
    return finish(results, flags)
