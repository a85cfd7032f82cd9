"""``rocmlint verify run``: runs a command and says what each Python process of it ran."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_output_argument,
    add_report_arguments,
    finish,
    help_of,
    seconds,
)
from rocmlint.cli.verify.ranks import add_watch_arguments
from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside.job.witness import VARIABLE
from rocmlint.verify.job.processes import execute
from rocmlint.verify.job.run import LIMITS, judge
from rocmlint.verify.job.watch import watch_of
from rocmlint.verify.job.witnesses import ANSWER, WitnessError, ask, folder_in, prepare, read

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.result import Result

HELP = help_of(
    "[--manifest M] [--module NAME] [flags] -- COMMAND ...",
    "Run a command with a witness in each Python process that it starts, then report for "
    f"each\nprocess whether it runs the right code.\n\n{LIMITS}",
    command=True,
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify run``."""
    add_watch_arguments(parser)
    parser.add_argument(
        "--keep",
        metavar="DIR",
        help="keep the witnesses here (shared by the nodes of a job), for verify ranks DIR",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="stop the command after this time (default: never)",
    )
    add_report_arguments(parser)
    add_output_argument(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify run``."""
    if not flags.command:
        message = (
            "verify run: the command is missing; put it after --, as in: verify run -- python x.py"
        )
        raise ConfigError(message)
    watch = watch_of(flags.manifest, flags.module, flags.variable)
    return finish(watched_run(flags.command, watch, flags.timeout, flags.keep), flags)


def watched_run(
    command: Sequence[str], watch: Watch, timeout: float | None = None, kept: str | None = None
) -> Iterator[Result]:
    """Run a command with witnesses, and return what is known of its processes.

    Raises RocmlintError where it cannot be started.
    """
    with _folder(kept) as folder:
        questions: list[str] = []
        look_again = partial(_ask_all, folder, questions)
        with _private() as bells:
            environment = prepare(folder, watch, os.environ, bells)
            ending = execute(command, environment, VARIABLE, timeout, look_again)
        try:
            witnesses, problems = read(folder, *questions)
        except WitnessError as error:  # how the command ended must be told all the same
            witnesses, problems = [], [str(error)]
    return judge(watch, witnesses, problems, ending)


def _ask_all(folder: str, questions: list[str]) -> None:
    """Have the processes of a job that is to be ended look again: it may hang."""
    with suppress(WitnessError):
        questions.append(ask(read(folder)[0], ANSWER))


@contextmanager
def _folder(kept: str | None) -> Iterator[str]:
    if kept is not None:
        yield folder_in(kept)
        return
    with _private() as folder:
        yield folder


def _private() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="rocmlint-", ignore_cleanup_errors=True)
