"""Common parts of the verbs of verify: flags, and how results become a report and an exit code."""

from __future__ import annotations

import math
import os
import re
import sys
from argparse import ArgumentTypeError
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import TYPE_CHECKING

from rocmlint.cli.output import in_color
from rocmlint.cli.parser import add_output_format
from rocmlint.cli.progress import Progress
from rocmlint.cli.verbs import Help
from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.interpreter.ask import Interpreter
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.text.visible import visible
from rocmlint.verify.report import FORMATS, render
from rocmlint.verify.result import EXIT_CODES, overall

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterable, Iterator
    from types import SimpleNamespace

    from rocmlint.interpreter.choose import Chosen
    from rocmlint.verify.result import Result

_EXIT_CODES = (
    "exit codes: 0 all proven, 1 something contradicted, 3 nothing contradicted but "
    "something unproven, 2 usage error or other error"
)

_FACTORY = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_LONGEST = 1e9
"""Seconds, which is for ever: a clock cannot count to what a float can hold."""


def help_of(arguments: str, description: str, more: str = "", *, command: bool = False) -> Help:
    """Make the help of a verb; ``more`` precedes the exit codes."""
    return Help(arguments, description, more + _EXIT_CODES, command)


def add_usual_arguments(parser: ArgumentParser, timeout: float = 120) -> None:
    """Add which interpreter is asked, and how results are printed."""
    add_interpreter_arguments(parser, timeout)
    add_report_arguments(parser)


def add_report_arguments(parser: ArgumentParser) -> None:
    """Add how results are printed."""
    add_output_format(parser, tuple(FORMATS))
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="when to use colors"
    )


def add_output_argument(parser: ArgumentParser) -> None:
    """Add the flag for where the report goes, for a verb whose command prints, too."""
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the report")


def add_interpreter_arguments(parser: ArgumentParser, timeout: float = 120) -> None:
    """Add which interpreter is asked, and how long that may take."""
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        help="the interpreter that runs the job, or the directory of its environment "
        "(default: the active environment, else .venv of the project)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=timeout,
        metavar="SECONDS",
        help=f"the time limit for an answer (default: {timeout:g})",
    )


def seconds(text: str) -> float:
    """Read a time limit. Raises ArgumentTypeError."""
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit >= 0:
        message = f"{text!r} is not a valid number of seconds"
        raise ArgumentTypeError(message)
    return min(limit, _LONGEST)


def refuse_wrong_factory(factory: str) -> None:
    """Raise ConfigError for what is not a PKG.MOD:FACTORY."""
    if not _FACTORY.fullmatch(factory):
        message = f"{factory!r}: must be PKG.MOD:FACTORY, for example my_model.build:tiny"
        raise ConfigError(message)


def interpreter_of(flags: SimpleNamespace, project: str = os.curdir) -> Interpreter:
    """Return the interpreter that the flags name, else that of the environment.

    With its first question stderr says which one it is, where no flag does. Raises ConfigError.
    """
    chosen = chosen_interpreter(flags.python, project, os.environ)
    announce = None if flags.python is not None else cache(partial(_say_which, chosen))
    return Interpreter(chosen.path, flags.timeout, announce=announce)


def _say_which(chosen: Chosen) -> None:
    say(*warnings_of(chosen), f"asking {chosen}")


def warnings_of(chosen: Chosen) -> Iterator[str]:
    """Yield what a user should know of how an interpreter was chosen."""
    yield from (f"warning: {each}" for each in chosen.passed_over)
    if chosen.is_own:
        yield (
            "warning: no environment is active and the project has no .venv; name the interpreter "
            "of the job with --python"
        )


def say(*lines: str) -> None:
    """Print lines on stderr; a full one is no reason to keep the results back."""
    with suppress(OSError):
        sys.stderr.writelines(f"{visible(each)}\n" for each in lines)
        sys.stderr.flush()


@contextmanager
def shown_progress() -> Iterator[Callable[[str], None] | None]:
    """Give what shows how far the work has come, on a terminal; it is gone at the end."""
    progress = Progress(shown=True)
    try:
        yield progress.show if sys.stderr.isatty() else None
    finally:
        progress.close()


def finish(results: Iterable[Result], flags: SimpleNamespace) -> int:
    """Print the results, or write them to ``--output``, and give the exit code.

    Where they cannot be written they are printed all the same. Raises ConfigError then.
    """
    results = list(results)
    output = getattr(flags, "output", None)
    color = in_color(flags.color, sys.stdout) and output is None
    width = _width() if output is None else None
    text = render(flags.output_format, results, color=color, width=width)
    if output is None:
        sys.stdout.writelines(text)
        return EXIT_CODES[overall(results)]
    report = "".join(text)
    try:
        write_atomically(output, report.encode(errors="backslashreplace"))
    except OSError as error:
        sys.stdout.write(report)
        message = f"--output {output}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
    return EXIT_CODES[overall(results)]


def _width() -> int | None:
    """Return the columns of the terminal that stdout is; None where it is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None
