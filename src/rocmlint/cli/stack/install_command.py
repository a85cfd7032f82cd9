"""``rocmlint stack install-command``: prints the command that installs torch, or runs it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.cli.stack.chosen import (
    HERE,
    add_rocm_arguments,
    add_wheel_arguments,
    tell,
    wanted_of,
)
from rocmlint.cli.stack.common import (
    Help,
    add_output_format,
    interpreter_at,
    managed,
    print_document,
)
from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.stack.installed.distributions import read_environment
from rocmlint.stack.upgrade.changes import is_triton
from rocmlint.stack.upgrade.steps import Steps
from rocmlint.stack.wheels.install import COMPANIONS, INSTALLERS, enumerated
from rocmlint.stack.wheels.triton import triton_of
from rocmlint.stack.wheels.wheel_sources import installation

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.stack.wheels.install import Installation

HELP = Help(
    "[--rocm VERSION] [--gpu GFX] [--torch VERSION] [--torchvision] [--torchaudio] [--run]",
    "Print the command that installs torch for a ROCm version. With --run, also run it.",
    "exit codes: 0 printed, 2 there are no such wheels, or usage error; with --run the "
    "exit code of the command, or 128 + N if signal N ended it",
)
_INSTEAD = {"uv": "; pip install uv, or omit --installer uv"}
_BY_SIGNAL = 128
"""Shells add this to the number of the signal that ended a command."""


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack install-command``."""
    if flags.run and flags.system not in {None, HERE}:
        message = "--run installs here: omit --system"
        raise ConfigError(message)
    if flags.run and flags.output_format == "json":
        message = "--run prints the installer's output: omit --output-format json"
        raise ConfigError(message)
    if flags.run and flags.python is None:
        chosen = chosen_interpreter(None, os.curdir, os.environ)
        tell([f"installing into {chosen}"])
        flags.python = chosen.path
    wanted, found = wanted_of(flags)
    companions = tuple(each for each in COMPANIONS if getattr(flags, each))
    made = installation(
        replace(wanted, companions=companions),
        source=flags.source,
        url=flags.index_url,
        installer=flags.installer,
        python=flags.python,
    )
    into = flags.python or ""
    notes = (*found, *made.notes, *(_of_environment(into, made) if into else ()))
    if flags.output_format == "json":
        return print_document(
            "install-command",
            0,
            rocm=made.wheels.rocm,
            index_url=made.wheels.url,
            source=made.wheels.source,
            gpus=wanted.gpus,
            system=made.wheels.system,
            packages=dict(made.packages),
            command=made.command,
            words=made.words,
            notes=notes,
        )
    tell(notes)
    print(made.command, flush=True)
    return _run(made.words, flags.python) if flags.run else 0


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack install-command``."""
    add_rocm_arguments(parser)
    add_wheel_arguments(parser)
    parser.add_argument(
        "--torch", metavar="VERSION", help="such as 2.10 or 2.10.0 (default: the newest)"
    )
    for each in COMPANIONS:
        parser.add_argument(
            f"--{each}",
            action="store_true",
            help="also install the version that belongs to this torch",
        )
    parser.add_argument("--installer", choices=INSTALLERS, default="pip", help="the installer")
    parser.add_argument(
        "--python", type=interpreter_at, metavar="PYTHON", help="the interpreter to install into"
    )
    parser.add_argument("--run", action="store_true", help="run the command after printing it")
    add_output_format(parser)


def _of_environment(python: str, made: Installation) -> Iterator[str]:
    """Say what blocks an install: no pip, or a triton that stays under torch's own."""
    try:
        environment = read_environment(Interpreter(python))
    except InterpreterError:  # a command can be made for an interpreter that is not here
        return
    yield from managed(environment)
    if environment.get("pip") is None and made.words[1:3] == ("-m", "pip"):
        yield _without_pip(python)
    torch, brought = environment.get("torch"), triton_of(made)
    if not brought or (torch is not None and torch.version == made.build):
        return
    tritons = [each for each in environment.distributions if is_triton(each.name)]
    there = [each for each in tritons if each.name != brought]  # that one is replaced
    if there:
        first = Steps(environment).uninstall(each.name for each in there)
        yield (
            f"{enumerated(map(str, there))} would stay, and share files with the triton that torch "
            f"installs; remove it first: {first}"
        )


def _run(words: Sequence[str], python: str | None) -> int:
    """Run the command and give its exit code, in the way of a shell where a signal ended it."""
    program = words[0]
    if shutil.which(program) is None:
        message = f"{program}: cannot be started: no such program{_INSTEAD.get(program, '')}"
        raise RocmlintError(message)
    try:
        code = subprocess.run(words, check=False).returncode
    except OSError as error:
        message = f"{program}: cannot be started: {error.strerror}"
        raise RocmlintError(message) from error
    asked = f" --python {shlex.quote(python)}" if python else ""
    if code < 0:
        name = signal.Signals(-code).name
        why = f"the installer was stopped by {name}; torch may be partly installed"
    elif code:
        why = _reason(words)
    else:
        print(f"installed; check the result: rocmlint stack survived{asked}", file=sys.stderr)
        return 0
    print(f"error: not installed: {why}", file=sys.stderr)
    return _BY_SIGNAL - code if code < 0 else code


def _reason(words: Sequence[str]) -> str:
    """Return why an installer may have failed, in addition to its own words."""
    if words[1:3] == ("-m", "pip") and not _has_pip(words[0]):
        return _without_pip(words[0])
    return (
        "see the installer's message above; if no version was found, the index is unreachable or "
        "has no wheel for this Python"
    )


def _without_pip(python: str) -> str:
    return f"{python} has no pip: run {shlex.quote(python)} -m ensurepip, or use --installer uv"


def _has_pip(python: str) -> bool:
    asked = subprocess.run([python, "-m", "pip", "--version"], check=False, capture_output=True)
    return asked.returncode == 0
