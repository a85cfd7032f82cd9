"""A child process and all that it starts: begun as a group of its own, and ended as a whole."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Parts = SimpleQueue[tuple[Any, bytes]]

_GROUP_OF_WINDOWS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""Ctrl-C does not reach it, as it does not reach a session of its own elsewhere."""
_SECONDS = 10
_PIECE = 2**16


class Output:
    """The output of a child, read while it runs, and no more than ``limit`` bytes of it.

    ``printed`` is what each of its streams gave so far. A thread reads each: Windows can wait for
    sockets only.
    """

    def __init__(self, child: subprocess.Popen[bytes], limit: int) -> None:
        self._child = child
        self._limit = limit
        self._parts: Parts = SimpleQueue()
        self.printed = {each: bytearray() for each in (child.stdout, child.stderr) if each}
        self._open = len(self.printed)
        for stream in self.printed:
            own = os.dup(stream.fileno())  # nobody else closes it while the thread reads
            Thread(target=_read, args=(stream, own, self._parts), daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Read until the child has ended and closed its streams.

        Raises subprocess.TimeoutExpired after ``seconds``, to be called again or not, and
        OverflowError for a child that prints too much.
        """
        deadline = time.monotonic() + seconds
        while self._open:
            try:
                stream, data = self._parts.get(timeout=max(0, deadline - time.monotonic()))
            except Empty:
                raise subprocess.TimeoutExpired(self._child.args, seconds) from None
            self.printed[stream] += data
            self._open -= not data
            if sum(map(len, self.printed.values())) > self._limit:
                raise OverflowError
        self._child.wait(max(0, deadline - time.monotonic()))


def _read(stream: Any, descriptor: int, parts: Parts) -> None:
    """Pass on what a stream gives, read from its copy; at the end nothing, and close that."""
    with suppress(OSError):
        while data := os.read(descriptor, _PIECE):
            parts.put((stream, data))
    parts.put((stream, b""))
    os.close(descriptor)


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
