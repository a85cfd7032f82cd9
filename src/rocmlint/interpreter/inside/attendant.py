"""A thread that looks for a question once in a while, and is gone while the process forks.

A rank that hangs writes nothing by itself; only a thread of it can still tell what it is made of.
Python 3.12 and later warn of a fork beside threads.
"""

from __future__ import annotations

import _thread
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_INTERVAL = 1.0
"""Seconds between two looks."""

_PATIENCE = 2.0
"""Seconds that a fork waits for an answer to be finished."""


_TRIES = 100
_TRY = 0.0005
"""Seconds; other threads may come at the same time, so counting is not waited for long."""


class Attendant:
    """Calls ``answer(question)`` for each new text in a file."""

    def __init__(self, path: str, answer: Callable[[str], None]) -> None:
        """Start at once."""
        self._path = path
        self._answer = answer
        self._question = ""
        self._runs = self._resumes = False
        self._start()
        os.register_at_fork(before=self._before_fork, after_in_parent=self._after_fork)

    def _start(self) -> None:
        self._leave, self._left = _thread.allocate_lock(), _thread.allocate_lock()
        self._leave.acquire()
        self._left.acquire()
        _thread.start_new_thread(self._attend, (self._leave, self._left))
        self._runs = True

    def _attend(self, leave: _thread.LockType, left: _thread.LockType) -> None:
        while not leave.acquire(timeout=_INTERVAL):
            with suppress(Exception):
                with open(self._path, encoding="utf-8") as file:
                    question = file.read()
                if question != self._question:
                    self._question = question
                    self._answer(question)
        left.release()

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


def _threads() -> int:
    """Count the threads as Python does before it warns; 0 where the system does not tell."""
    with suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return 0
