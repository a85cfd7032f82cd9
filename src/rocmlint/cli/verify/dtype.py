"""``rocmlint verify dtype``: where a model leaves its dtype."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_usual_arguments,
    finish,
    help_of,
    interpreter_of,
    refuse_wrong_factory,
)
from rocmlint.errors import ConfigError
from rocmlint.verify.dtype.judge import Trial, check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY [--fake] [--baseline FILE]",
    "Build a model, run it once, and report where its dtype changes. Runs the code of FACTORY.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify dtype``."""
    parser.add_argument(
        "factory",
        metavar="PKG.MOD:FACTORY",
        help="called without arguments; returns a model, or (model, inputs) with inputs as "
        "keyword arguments or a tuple",
    )
    parser.add_argument(
        "--fake",
        action="store_true",
        help="build and run with tensors without data, for models too large for this machine",
    )
    parser.add_argument(
        "--device",
        metavar="DEVICE",
        help=(
            "build the model on this device and move it there (default: where the factory puts it)"
        ),
    )
    parser.add_argument(
        "--baseline", metavar="FILE", help="report only differences from this healthy run"
    )
    parser.add_argument("--write-baseline", metavar="FILE", help="save this run as the healthy one")
    add_usual_arguments(parser, timeout=300)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify dtype``."""
    refuse_wrong_factory(flags.factory)
    if flags.write_baseline:
        folder = os.path.dirname(os.path.abspath(flags.write_baseline))
        if not os.path.isdir(folder):
            message = f"--write-baseline {flags.write_baseline}: no such directory: {folder}"
            raise ConfigError(message)
    trial = Trial(flags.factory, flags.fake, flags.device)
    return finish(check(interpreter_of(flags), trial, flags.baseline, flags.write_baseline), flags)
