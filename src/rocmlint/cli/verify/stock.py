"""``rocmlint verify stock``: compares an installed package with the files of its wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_usual_arguments,
    finish,
    help_of,
    interpreter_of,
    shown_progress,
)
from rocmlint.verify.patches.stock import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PACKAGE ... [--python PYTHON]",
    "Check whether the files of installed packages match their wheels (RECORD).",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify stock``."""
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="as listed by pip list")
    add_usual_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify stock``."""
    with shown_progress() as progress:
        results = check(flags.packages, interpreter_of(flags), progress)
    return finish(results, flags)
