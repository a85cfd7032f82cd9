"""Running a program of ROCm: within a time limit, whatever it starts, and never a traceback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.interpreter.child import Output, end_group, start_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDERS = ("/opt/rocm/bin", "/opt/rocm/core/bin")
"""Where ROCm installs programs: until 7.2, and in TheRock's packages (7.9 and later)."""
_SECONDS = 30
_MAXIMUM_OUTPUT = 10_000_000
"""Bytes; what prints more is broken, and would fill the memory."""


@dataclass(frozen=True)
class Printed:
    """Output of a program, and in ``problem`` why that is not an answer; empty if it may be."""

    stdout: str = ""
    problem: str = ""


def ask_program(
    command: Sequence[str],
    *,
    folders: Sequence[str] = FOLDERS,
    environment: Mapping[str, str] | None = None,
    seconds: float = _SECONDS,
) -> Printed:
    """Run a program from PATH or the folders. What it leaves running is ended with it.

    Neither it nor what it imports may come from the folder of a project: a relative part of PATH
    is left out, and it runs in the folder where it is.
    """
    environment = os.environ if environment is None else environment
    on_path = environment.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(each for each in (*on_path, *folders) if os.path.isabs(each))
    program = shutil.which(command[0], path=path)
    if program is None:
        return Printed(problem="is not installed")
    try:
        child = start_group([program, *command[1:]], environment, folder=os.path.dirname(program))
    except OSError as error:
        return Printed(problem=f"cannot be started: {error.strerror} ({program})")
    try:
        output = Output(child, _MAXIMUM_OUTPUT)
        output.wait(seconds)
    except subprocess.TimeoutExpired:
        return Printed(problem=f"did not answer within {seconds:g} s ({program})")
    except OverflowError:
        return Printed(problem=f"printed more than {_MAXIMUM_OUTPUT:,} bytes ({program})")
    finally:
        end_group(child)
    stdout, stderr = (each.decode(errors="replace") for each in output.printed.values())
    return Printed(stdout, _failure(child.returncode, stdout, stderr))


def _failure(code: int, stdout: str, stderr: str) -> str:
    if not code:
        return ""
    how = f"was killed by {_signal(-code)}" if code < 0 else f"failed with exit code {code}"
    said = (stderr.strip() or stdout.strip()).splitlines()
    return f"{how}: {said[-1].strip()}" if said else how


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
