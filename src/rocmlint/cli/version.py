"""``rocmlint version``: what to say in a report about a problem."""

from __future__ import annotations

import json
import os
import platform
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.parser import Parser
from rocmlint.version import __version__

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint version``."""
    parser.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="output format (default: text)",
    )


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint version``."""
    parser = Parser("version [flags]", "Print the version of rocmlint.")
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    if flags.output_format == "text":
        print(f"rocmlint {__version__}")
        return 0
    found = {
        "version": 1,
        "rocmlint": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "location": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    }
    print(json.dumps(found, indent=2))
    return 0
