"""``rocmlint clean``: remove the caches below some directories."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.parser import Parser
from rocmlint.lint.cache.clean import caches_below, remove
from rocmlint.text.visible import at_line_start, visible
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from rocmlint.lint.cache.clean import Removed


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint clean``."""
    parser.add_argument("paths", nargs="*", metavar="DIRECTORY", help="where to look (default: .)")


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint clean``: 2 where something could not be removed."""
    parser = Parser(
        "clean [DIRECTORY ...]",
        "Remove the caches of rocmlint in these directories and below. Directories without "
        "rocmlint's own marker, other files in a cache, and symbolic links are left alone.",
        "exit codes: 0 done, 2 a directory does not exist, or a cache could not be removed",
    )
    add_arguments(parser)
    folders = parser.parse(arguments, SimpleNamespace()).paths or ["."]
    problems = [f"{each}: not a directory" for each in folders if not os.path.isdir(each)]
    found = dict.fromkeys(
        cache for each in folders for cache in caches_below(os.path.normpath(each))
    )
    for cache in found:
        try:
            print(_line(remove(cache)))
        except OSError as error:
            problems.append(f"{cache}: cannot be removed: {error.strerror}")
    if not found and not problems:
        print("No caches found.")
    for line in problems:
        print(at_line_start(visible(line)), file=sys.stderr)
    return 2 if problems else 0


def _line(removed: Removed) -> str:
    path = at_line_start(visible(removed.path.removeprefix("." + os.sep)))
    files = f"{counted(removed.files, 'file')}, {removed.size / 1000:,.0f} kB"
    if removed.is_gone:
        return f"Removed {path} ({files})"
    return f"Removed what rocmlint wrote in {path} ({files}); other files in it are kept"
