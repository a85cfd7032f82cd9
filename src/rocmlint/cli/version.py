"""``rocmlint version``: what to say in a report about a problem."""

from __future__ import annotations

import json
import os
import platform
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.parser import Parser, add_output_format
from rocmlint.cli.table_ages import fetched_tables, version_lines
from rocmlint.published.ages import ages
from rocmlint.version import __version__

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint version``."""
    add_output_format(parser)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint version``."""
    parser = Parser("version [flags]", "Print the version of rocmlint.")
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    if flags.output_format == "text":
        print("\n".join(version_lines()))
        return 0
    found = {
        "version": 1,
        "rocmlint": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "location": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        "tables": [each._asdict() for each in ages()],
        "fetched": dict(fetched_tables()),
    }
    print(json.dumps(found, indent=2))
    return 0
