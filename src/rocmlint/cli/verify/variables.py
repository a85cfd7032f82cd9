"""``rocmlint verify variables``: who reads the variables that are set, and as what."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.errors import ConfigError
from rocmlint.verify.variables.check import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "[--variable NAME=VALUE ...] [PATH ...]",
    "Report which installed files read each environment variable of the ROCm stack, and how.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify variables``."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="more files and directories to search for readers"
    )
    parser.add_argument(
        "--variable",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="check a variable as if it were set, in addition to those that are",
    )
    add_usual_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify variables``."""
    for path in flags.paths:
        if not os.path.exists(path):
            message = f"{path}: no such file or directory"
            raise ConfigError(message)
    asked = dict(_parsed(each) for each in flags.variable)
    return finish(check(interpreter_of(flags), asked, flags.paths), flags)


def _parsed(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name or "\0" in text:
        message = f"--variable {text!r}: must be NAME=VALUE"
        raise ConfigError(message)
    return name, value
