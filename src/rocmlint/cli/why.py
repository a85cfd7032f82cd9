"""``rocmlint why``: from an error message to its cause and what to do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.cli import why_diary
from rocmlint.cli.parser import add_output_format
from rocmlint.cli.verbs import Help, run_verb
from rocmlint.errors import ConfigError
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.why.diagnose import diagnose
from rocmlint.why.facts.context import Context
from rocmlint.why.host.examined import read_examination
from rocmlint.why.log.read import read_stream, read_text
from rocmlint.why.report import json_of, lines_of

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

    from rocmlint.why.log.shapes import Log

HELP = Help(
    "[FILE | - | TEXT] [PATH] [--python PYTHON] [--examination FILE]",
    "Explain an error message, a traceback or a log: its cause, where to change what, what to do.\n"
    "Nothing of the project is run, nothing is changed, the network is not used.",
    "exit codes: 0 an answer, 1 a test failed, 3 unknown, 2 usage error",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint why``."""
    parser.add_argument("log", nargs="?", default="-", metavar="FILE | - | TEXT", help="the error")
    parser.add_argument("path", nargs="?", default=os.curdir, metavar="PATH", help="the project")
    parser.add_argument("--python", metavar="PYTHON", help="the interpreter that ran the job")
    parser.add_argument(
        "--examination",
        metavar="FILE",
        help="a report of AMD's rocm examine --json, whose facts about the machine count",
    )
    why_diary.add_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint why``."""
    if why_diary.is_about_entries(flags):
        return why_diary.run(flags)
    log = _read(flags.log)
    if not os.path.isdir(flags.path):
        message = f"{flags.path}: not a directory; name the directory of the project"
        raise ConfigError(message)
    chosen = chosen_interpreter(flags.python, flags.path, os.environ)
    context = Context(
        log,
        flags.path,
        chosen.path,
        is_given=flags.python is not None,
        is_assumed=chosen.is_own,
    )
    if flags.examination is not None:
        context.examination = read_examination(flags.examination, context.machine)
    if flags.add:
        return why_diary.add(context)
    answer = diagnose(context, why_diary.own_of(flags.path))
    if flags.output_format == "json":
        print(json_of(answer, context))
    else:
        print("\n".join(lines_of(answer)))
    return answer.exit_code


def _read(source: str) -> Log:
    if source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            message = "why: pipe a log into it, or name a file or a message"
            raise ConfigError(message)
        return read_stream(sys.stdin.buffer)
    if os.path.exists(source):
        try:
            with open(source, "rb") as file:
                return read_stream(file)
        except OSError as error:
            message = f"{source}: cannot be read: {error.strerror}"
            raise ConfigError(message) from error
    return read_text(source)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint why`` with its arguments."""
    return run_verb("why", sys.modules[__name__], arguments)
