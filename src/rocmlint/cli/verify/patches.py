"""``rocmlint verify patches``: judges the files on disk that an import would execute."""

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
from rocmlint.verify.files.patches import check
from rocmlint.verify.manifest import read

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify patches``."""
    parser.add_argument(
        "--manifest", required=True, metavar="FILE", help="made by rocmlint verify manifest"
    )
    add_interpreter_arguments(parser)
    add_report_arguments(parser)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint verify patches``."""
    parser = parser_of(
        "patches",
        "--manifest FILE [--python PYTHON]",
        "Check whether an import would execute the files of a manifest; nothing is imported.",
    )
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    return finish(check(read(flags.manifest), interpreter_of(flags)), flags)
