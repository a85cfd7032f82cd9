"""``rocmlint verify stock``: compares an installed package with what its wheel brought."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_interpreter_arguments,
    add_report_arguments,
    finish,
    interpreter_of,
    parser_of,
)
from rocmlint.verify.files.stock import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify stock``."""
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="as pip list names it")
    add_interpreter_arguments(parser)
    add_report_arguments(parser)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint verify stock``."""
    parser = parser_of(
        "stock",
        "PACKAGE ... [--python PYTHON]",
        "Check whether the files of installed packages are those of their wheels (RECORD).",
    )
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    return finish(check(flags.packages, interpreter_of(flags)), flags)
