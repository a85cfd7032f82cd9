"""``rocmlint verify variables``: who reads the variables that are set, and as what."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_interpreter_arguments,
    add_report_arguments,
    finish,
    interpreter_of,
    parser_of,
)
from rocmlint.errors import ConfigError
from rocmlint.verify.variables.check import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify variables``."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="more files and folders to search for readers"
    )
    parser.add_argument(
        "--variable",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="judge a variable as if it were set, beside those that are",
    )
    add_interpreter_arguments(parser)
    add_report_arguments(parser)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint verify variables``."""
    parser = parser_of(
        "variables",
        "[--variable NAME=VALUE ...] [PATH ...]",
        "Say which installed file reads each variable of the ROCm stack, and as what.",
    )
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    for path in flags.paths:
        if not os.path.exists(path):
            message = f"{path}: no such file or folder"
            raise ConfigError(message)
    asked = dict(_parsed(each) for each in flags.variable)
    return finish(check(interpreter_of(flags), asked, flags.paths), flags)


def _parsed(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name or "\0" in text:
        message = f"--variable {text!r}: write NAME=VALUE"
        raise ConfigError(message)
    return name, value
