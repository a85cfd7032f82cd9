"""A thread that looks when it is asked or a bell is rung, and is gone while the process forks.

A process that hangs writes nothing by itself, and one that is ended by a signal has no time to;
only a thread of it can still tell what it is made of. Python 3.12 and later warn of a fork beside
threads.
"""

from __future__ import annotations

import _thread
import os
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any
else:
    import _signal as signal  # the public one takes milliseconds to import

_TICK = 0.05
"""Seconds between two glances at the bell, which cost nothing: it is a byte in memory."""

_INTERVAL = 1.0
"""Seconds between two looks at the question, a file that may be on another machine."""

_ROUND = 5.0
"""Seconds between two looks at the process that nobody has asked for."""

_SURVIVED = 1.0
"""Seconds after which a process that was to be ended by a signal has not been: it blocks it."""

_SHARE = 100
"""How many times as long as such a look took the next one waits at least."""

_PATIENCE = 2.0
"""Seconds that a fork waits for an answer to be finished."""


_TRIES = 100
_TRY = 0.0005
"""Seconds; other threads may come at the same time, so counting is not waited for long."""


class Attendant:
    """Calls back at each new text in a file, at the bell, and regularly where wanted."""

    def __init__(
        self,
        *,
        on_question: Callable[[str], None],
        on_bell: Callable[[int], None],
        look: Callable[[], None],
        regularly: bool,
    ) -> None:
        """Take what to call with a question and the byte of a bell, and to look unasked."""
        self._on_question, self._on_bell, self._look = on_question, on_bell, look
        self._regularly = regularly
        self._question = ""
        self._runs = self._resumes = False

    def start(self, question: str, bell: str) -> None:
        """Start, with the paths of the file of questions and of the bell."""
        self._path = question
        self._bell = _mapped(bell)
        self._start()
        os.register_at_fork(before=self._before_fork, after_in_parent=self._after_fork)

    def _start(self) -> None:
        self._leave, self._left = _thread.allocate_lock(), _thread.allocate_lock()
        self._leave.acquire()
        self._left.acquire()
        # A signal that the program blocks must not find a thread that takes it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            _thread.start_new_thread(self._attend, (self._leave, self._left))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._runs = True

    def _attend(self, leave: _thread.LockType, left: _thread.LockType) -> None:
        asks = time.monotonic() + _INTERVAL
        looks = time.monotonic() + _ROUND if self._regularly else None
        while not leave.acquire(timeout=_TICK if self._bell else _INTERVAL):
            with suppress(Exception):
                if self._bell and self._bell[0]:
                    self._on_bell(self._bell[0])
                    self._bell[0] = 0
                    looks = time.monotonic() + _SURVIVED
                now = time.monotonic()
                if now >= asks:
                    asks = now + _INTERVAL
                    self._read()
                if looks is not None and now >= looks:
                    self._look()
                    pause = max(_ROUND, (time.monotonic() - now) * _SHARE)
                    looks = time.monotonic() + pause if self._regularly else None
        left.release()

    def _read(self) -> None:
        """Answer a question that is new."""
        with open(self._path, encoding="utf-8") as file:
            question = file.read()
        if question != self._question:
            self._question = question
            self._on_question(question)

    def _before_fork(self) -> None:
        self._resumes, self._runs = self._runs, False
        if not self._resumes:
            return
        threads = _threads()
        self._leave.release()
        if self._left.acquire(timeout=_PATIENCE):
            for _ in range(_TRIES):
                if not threads or _threads() < threads:
                    break
                time.sleep(_TRY)  # it has said good-bye, and is not gone yet

    def _after_fork(self) -> None:
        if self._resumes:
            self._start()


def _mapped(path: str) -> Any:
    """Make the file of a bell, and return it as memory; None where that cannot be."""
    try:
        from mmap import mmap  # noqa: PLC0415 - not needed in processes that nobody asks

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            os.write(descriptor, b"\0")
            return mmap(descriptor, 1)
        finally:
            os.close(descriptor)
    except (ImportError, OSError, ValueError):
        return None


def _threads() -> int:
    """Count the threads as Python does before it warns; 0 where the system does not tell."""
    with suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return 0
