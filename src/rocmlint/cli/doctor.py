"""``rocmlint doctor``: whether this machine, the environment and the project are right."""

from __future__ import annotations

import os
import re
import shutil
import sys
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from rocmlint.cli.output import in_color
from rocmlint.cli.parser import add_output_format
from rocmlint.cli.progress import Progress
from rocmlint.cli.verbs import Help, run_verb
from rocmlint.cli.verify.common import add_output_argument, say, seconds
from rocmlint.cli.verify.run import watched_run
from rocmlint.config.configuration import Configuration
from rocmlint.disk.write import write_atomically
from rocmlint.doctor.examine import ExaminedSubject, examine
from rocmlint.doctor.job import manifests_of, take, watch_for
from rocmlint.doctor.report import json_of, json_of_error, lines_of
from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.gpus.machine import Machine
from rocmlint.interpreter.choose import Chosen, chosen_interpreter

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

    from rocmlint.doctor.examine import Examined

HELP = Help(
    "[PATH] [--python PYTHON] [-v] [-- COMMAND ...]",
    "Look at this machine, the environment and the project, and print on one page what is wrong "
    "and what\nto do first. With -- COMMAND, also run the job and watch what its processes "
    "execute.\nNothing is changed, and the network is not used.",
    "exit codes: 0 all right, 1 something is wrong, 3 nothing is wrong but something cannot be "
    "told here,\n2 usage error or other error",
    command=True,
)
_SECONDS = 60.0
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
_SHEBANG = 200


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint doctor``."""
    parser.add_argument("path", nargs="?", default=os.curdir, metavar="PATH", help="the project")
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        help="the interpreter that runs the job, or the directory of its environment (default: "
        "that of the command, else the active environment, else .venv of the project)",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="also print the evidence")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=_SECONDS,
        metavar="SECONDS",
        help=f"the time limit, without that of the command (default: {_SECONDS:g}); what was "
        "found by then is printed",
    )
    parser.add_argument(
        "--no-local-rules",
        dest="local_rules",
        action="store_false",
        help="do not load the local rules in `rules` of [tool.rocmlint], which runs their code",
    )
    add_output_format(parser)
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="when to use colors"
    )
    add_output_argument(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint doctor``."""
    if not os.path.isdir(flags.path):
        message = f"{flags.path}: not a directory; name the directory of the project"
        raise ConfigError(message)
    chosen = _of_command(flags) or chosen_interpreter(flags.python, flags.path, os.environ)
    if chosen.is_own:
        say("warning: no environment is active and the project has no .venv: --python names one")
    options = {} if flags.local_rules else {"local-rules": False}
    progress = Progress(shown=True)
    subject = ExaminedSubject(
        flags.path,
        chosen,
        Configuration(options),
        flags.timeout,
        Machine(),
        progress.show,
        progress,
    )
    try:
        examined = examine(subject)
    finally:
        progress.close()
    if flags.command:
        _run_job(flags.command, examined)
    code = _print(examined, flags)
    if examined.is_cut:
        # What still runs in a thread must not hold up the end; its children end with this process.
        sys.stdout.flush()
        os._exit(code)
    return code


def _of_command(flags: SimpleNamespace) -> Chosen | None:
    """Return the interpreter that a command begins with, or whose script it is; None if neither."""
    program = shutil.which(flags.command[0]) if flags.command and flags.python is None else None
    if program is None:
        return None
    if _PYTHON.fullmatch(os.path.basename(program)):
        return Chosen(program, "runs the command")
    try:
        with open(program, "rb") as file:
            first = file.read(_SHEBANG).partition(b"\n")[0].decode(errors="replace")
    except OSError:
        return None
    word = first.removeprefix("#!").strip()
    is_python = first.startswith("#!") and _PYTHON.fullmatch(os.path.basename(word))
    return Chosen(word, "runs the command") if is_python and os.path.exists(word) else None


def _run_job(command: Sequence[str], examined: Examined) -> None:
    """Run the job, watched for what the project patches. Raises RocmlintError."""
    try:
        watch = watch_for(manifests_of(examined))
    except RocmlintError as error:
        first = str(error).partition("\n")[0]
        examined.page.found.unanswered.append(f"what to watch in the job: {first}")
        watch = watch_for([])
    take(watched_run(command, watch), command, examined)


def _print(examined: Examined, flags: SimpleNamespace) -> int:
    page = examined.page
    if flags.output_format == "json":
        text = json_of(page) + "\n"
    else:
        color = in_color(flags.color, sys.stdout) and flags.output is None
        rows = lines_of(page, verbose=flags.verbose, color=color)
        text = "".join(f"{each}\n" for each in rows)
    if flags.output is None:
        sys.stdout.write(text)
        return page.exit_code
    try:
        write_atomically(flags.output, text.encode(errors="backslashreplace"))
    except OSError as error:
        sys.stdout.write(text)
        message = f"--output {flags.output}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
    return page.exit_code


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint doctor`` with its arguments.

    Where JSON was asked for, an error is a document, too. Raises RocmlintError.
    """
    own = list(takewhile(lambda each: each != "--", arguments))
    flag = "--output-format"
    try:
        return run_verb("doctor", sys.modules[__name__], arguments)
    except RocmlintError as error:
        if f"{flag}=json" in own or (flag, "json") in pairwise(own):
            print(json_of_error(str(error)))
        raise
