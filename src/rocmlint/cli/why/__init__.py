"""``rocmlint why``: from an error message to its cause and what to do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.cli.parser import add_output_format
from rocmlint.cli.verbs import Help, run_verb
from rocmlint.cli.why import diary
from rocmlint.errors import ConfigError
from rocmlint.gpus.machine import Machine
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.why.diagnose import diagnose
from rocmlint.why.facts.context import Context
from rocmlint.why.host.examined import read_examination
from rocmlint.why.log.log_reader import UnreadableLogError, read_stream, read_text
from rocmlint.why.report import json_of, lines_of

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.why.entries.symptom import Symptom
    from rocmlint.why.host.host import Host
    from rocmlint.why.log.log_data import Log

HELP = Help(
    "[FILE | - | TEXT] [PATH] [flags] | [PATH] [flags] -- COMMAND ...",
    "Explain an error message, a traceback or a log: its cause, where to change what, what to do.\n"
    "Nothing of the project is run, nothing is changed, the network is not used.\n\n"
    "With -- COMMAND, run the command, pass its output through, and explain on stderr why it "
    "failed;\nnothing more is printed if it succeeds. Programs read the JSON from --output FILE.",
    "exit codes: 0 an answer, 3 unknown, 2 usage error, 1 a test of --test failed; with -- COMMAND "
    "that of\nthe command",
    command=True,
)
_NAMES_OF_LOGS = (".log", ".txt", ".out", ".err", ".ipynb", ".json", ".gz")


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint why``."""
    parser.add_argument(
        "log",
        nargs="?",
        default="-",
        metavar="FILE | - | TEXT",
        help="a log, - for standard input (the default), or the message in quotes",
    )
    parser.add_argument(
        "path",
        nargs="?",
        default=None,
        metavar="PATH",
        help="the directory of the project (default: .)",
    )
    parser.add_argument(
        "--python", metavar="PYTHON", help="the interpreter that ran the job, or its environment"
    )
    parser.add_argument(
        "--examination",
        metavar="FILE",
        help="a report of AMD's rocm examine --json, whose facts about the machine count",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the answer")
    diary.add_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint why``."""
    if diary.is_about_entries(flags):
        return diary.run(flags)
    if flags.command:
        return _run_command(flags)
    project = _project(os.curdir if flags.path is None else flags.path)
    python = _interpreter(flags.python)
    own = diary.own_of(project)
    examination = _examination(flags)
    context = _context(_read(flags.log, own), project, python)
    context.examination = examination
    if flags.add:
        return diary.add(context, own)
    return _answer(context, own, flags, to_stderr=False)


def _run_command(flags: SimpleNamespace) -> int:
    """Run the job, and explain its failure; the exit code is the job's own."""
    from rocmlint.cli.why.job import run_job  # noqa: PLC0415 - starts threads and processes

    if flags.path is not None:
        message = "why: only the directory of the project can come before --"
        raise ConfigError(message)
    project = _project(os.curdir if flags.log == "-" else flags.log)
    python = _interpreter(flags.python)
    own = diary.own_of(project)  # a mistake in them is reported before the job runs
    examination = _examination(flags)
    job = run_job(flags.command, _literals(own))
    if job.ending.code and job.ending.interrupted is None:
        context = _context(job.log, project, python, job.failed)
        context.examination = examination
        _answer(context, own, flags, to_stderr=True)
    return job.ending.code


def _context(
    log: Log, project: str, python: str | None, process: WitnessReport | None = None
) -> Context:
    """Return what the answer may look at; ``process`` is the one that failed, if it was watched."""
    chosen = chosen_interpreter(python, project, os.environ)
    context = Context(
        log, project, chosen.path, is_given=python is not None, is_assumed=chosen.is_own
    )
    if process is not None and python is None:
        context.python = str(process.facts["executable"])
        context.is_assumed = False
        folders = map(str, process.facts.get("path", ()))
        context.folders = tuple(filter(_has_packages, folders))
    elif chosen.is_own and os.access(log.binary, os.X_OK):  # as torchrun names it
        context.python, context.is_assumed = log.binary, False
    if process is not None:
        variables = {**os.environ, **process.facts.get("environment", {})}
        context.machine = Machine(environment=variables)
    return context


def _has_packages(folder: str) -> bool:
    """Return whether packages are installed into a directory; a script's own has none."""
    try:
        return any(each.endswith((".dist-info", ".egg-info")) for each in os.listdir(folder))
    except OSError:
        return False


def _answer(
    context: Context, own: Sequence[Symptom], flags: SimpleNamespace, *, to_stderr: bool
) -> int:
    """Print the answer or write it to ``--output``, and return its exit code."""
    answer = diagnose(context, own)
    is_json = flags.output_format == "json"
    text = json_of(answer, context) if is_json else "\n".join(lines_of(answer))
    if flags.output is None:
        print(text, file=sys.stderr if to_stderr else sys.stdout)
        return answer.exit_code
    from rocmlint.disk.write import write_atomically  # noqa: PLC0415 - few write a file

    try:
        write_atomically(flags.output, f"{text}\n".encode(errors="backslashreplace"))
    except OSError as error:
        print(text, file=sys.stderr if to_stderr else sys.stdout)
        message = f"--output {flags.output}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
    return answer.exit_code


def _examination(flags: SimpleNamespace) -> Host | None:
    return read_examination(flags.examination, Machine()) if flags.examination else None


def _project(path: str) -> str:
    if not os.path.isdir(path):
        message = f"{path}: not a directory; name the directory of the project"
        raise ConfigError(message)
    return path


def _interpreter(python: str | None) -> str | None:
    """Return the path of what ``--python`` names. Raises ConfigError if there is no such thing."""
    import shutil  # noqa: PLC0415 - few name an interpreter

    if python is None or os.path.exists(python):
        return python
    found = shutil.which(python)
    if found is None:
        message = f"--python {python}: no such interpreter or environment"
        raise ConfigError(message)
    return found


def _literals(own: Sequence[Symptom]) -> tuple[str, ...]:
    """Return what entries look for, so that a line with it is kept of a large log."""
    from rocmlint.why.entries.load import built_in  # noqa: PLC0415 - read where it is needed
    from rocmlint.why.facts.all import NAMES  # noqa: PLC0415

    return tuple(each.phrase for symptom in (*own, *built_in(NAMES)) for each in symptom.match)


def _read(source: str, own: Sequence[Symptom]) -> Log:
    if source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            message = "why: pipe a log into it, or name a file or a message"
            raise ConfigError(message)
        return _read_named("standard input", lambda: read_stream(sys.stdin.buffer, _literals(own)))
    if _is_path(source):
        return _read_named(source, lambda: _read_file(source, own))
    if not source.strip():
        message = "why: the message is empty"
        raise ConfigError(message)
    return read_text(source)


def _is_path(source: str) -> bool:
    """Return whether a word is a file, or is meant as one."""
    try:
        if os.path.lexists(source):
            return True
    except ValueError:  # a NUL
        return False
    is_word = not any(each.isspace() for each in source)
    return is_word and source.endswith(_NAMES_OF_LOGS) and ": " not in source


def _read_file(path: str, own: Sequence[Symptom]) -> Log:
    if os.path.isdir(path):
        message = "is a directory; name a log, or put the message in quotes"
        raise UnreadableLogError(message)
    with open(path, "rb") as file:
        return read_stream(file, _literals(own))


def _read_named(source: str, read: Callable[[], Log]) -> Log:
    """Read a log. Raises ConfigError with its name for what cannot be read."""
    try:
        return read()
    except UnreadableLogError as error:
        message = f"{source}: {error}"
        raise ConfigError(message) from error
    except OSError as error:
        message = f"{source}: cannot be read: {error.strerror or error}"
        raise ConfigError(message) from error


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint why`` with its arguments."""
    return run_verb("why", sys.modules[__name__], arguments)
