"""A child process and all that it starts: begun as a group of its own, and ended as a whole."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_GROUP_OF_WINDOWS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""Ctrl-C does not reach it, as it does not reach a session of its own elsewhere."""
_SECONDS = 10


def start_group(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    stderr: int = subprocess.PIPE,
    before: Callable[[], None] | None = None,
    folder: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program with no input, whose output is read from pipes.

    ``folder`` is its current directory. ``before`` is called in the child before the program
    begins, on POSIX only. Raises OSError.
    """
    return subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,  # Windows passes over it
        creationflags=_GROUP_OF_WINDOWS,
        preexec_fn=before,  # noqa: PLW1509 - the caller answers for it
    )


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End the child and whatever it left running, one of which may hold its output open.

    Windows knows only what a child that still runs has started.
    """
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        _end_tree(child)
    with child:  # closes its pipes, which a process out of reach may hold for long
        child.wait()


def _end_tree(child: subprocess.Popen[bytes]) -> None:
    command = ["taskkill", "/T", "/F", "/PID", str(child.pid)]
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    with suppress(OSError):
        child.kill()
