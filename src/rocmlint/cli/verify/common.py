"""What every verb of verify shares: its flags, and how results become a report and an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.cli.output import in_color
from rocmlint.cli.parser import Parser
from rocmlint.verify.interpreter import Interpreter
from rocmlint.verify.report import FORMATS, render
from rocmlint.verify.result import EXIT_CODES, overall
from rocmlint.writing import write_atomically

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable
    from types import SimpleNamespace

    from rocmlint.verify.result import Result

_EXIT_CODES = (
    "exit codes: 0 all proven, 1 something contradicted, 3 nothing contradicted but something "
    "unproven, 2 wrong usage or an error"
)


def parser_of(verb: str, arguments: str, description: str, more: str = "") -> Parser:
    """Make the parser of a verb; ``more`` stands above the exit codes."""
    return Parser(f"verify {verb} {arguments}", description, more + _EXIT_CODES)


def add_report_arguments(parser: ArgumentParser) -> None:
    """Add how results are printed."""
    parser.add_argument(
        "--output-format", choices=tuple(FORMATS), default="text", help="how to print"
    )
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour"
    )


def add_output_argument(parser: ArgumentParser) -> None:
    """Add where the report goes, for a verb beside which others print too."""
    parser.add_argument("--output", metavar="FILE", help="where to write the report")


def add_interpreter_arguments(parser: ArgumentParser, timeout: float = 120) -> None:
    """Add which interpreter is asked, and how long that may take."""
    parser.add_argument(
        "--python",
        default=sys.executable,
        metavar="PYTHON",
        help="the interpreter that runs the job (default: the one that runs rocmlint)",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=timeout,
        metavar="SECONDS",
        help=f"how long it may take to answer (default: {timeout:g})",
    )


def interpreter_of(flags: SimpleNamespace) -> Interpreter:
    """Give the interpreter that the flags name."""
    return Interpreter(flags.python, flags.timeout)


def finish(results: Iterable[Result], flags: SimpleNamespace) -> int:
    """Print the results, or write them to ``--output``, and give the exit code."""
    results = list(results)
    output = getattr(flags, "output", None)
    color = in_color(flags.color, sys.stdout) and output is None
    text = render(flags.output_format, results, color=color)
    if output is None:
        sys.stdout.writelines(text)
    else:
        write_atomically(output, "".join(text).encode(errors="backslashreplace"))
    return EXIT_CODES[overall(results)]
