"""Work on many files in several processes: forks of this one, each with a share of the files."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST = 8
_LEAST = 100
"""Files from which a process pays for its start."""


def spread(do: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
    """Return what ``do`` returns for each task, in their order; JSON must be able to hold it."""
    number = min(_MOST, _processors(), len(tasks) // _LEAST)
    if number <= 1 or not sys.platform.startswith("linux"):
        return [do(each) for each in tasks]
    shares = [tasks[start::number] for start in range(number)]
    forks = [_Share(do, each).forked() for each in shares[1:]]
    answers = [[do(each) for each in shares[0]], *(each.answer() for each in forks)]
    return [answers[each % number][each // number] for each in range(len(tasks))]


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


@dataclass
class _Share:
    """Tasks for one fork. What it does not answer, because it was killed, is done here."""

    do: Callable[[Any], Any]
    tasks: Sequence[Any]
    child: int = 0
    reading: int = -1

    def forked(self) -> _Share:
        """Start the fork, if there can be another process."""
        reading, writing = os.pipe()
        try:
            self.child = os.fork()
        except OSError:
            os.close(reading)
        else:
            if self.child == 0:
                self._work(writing)
            self.reading = reading
        os.close(writing)
        return self

    def _work(self, writing: int) -> NoReturn:
        try:
            answer = json.dumps([self.do(each) for each in self.tasks])
            with os.fdopen(writing, "w", encoding="utf-8") as file:
                file.write(answer)
        finally:
            os._exit(0)

    def answer(self) -> list[Any]:
        """Wait for the fork, and return what was done."""
        text = ""
        if self.child:
            with os.fdopen(self.reading, encoding="utf-8") as file:
                text = file.read()
            os.waitpid(self.child, 0)
        try:
            found: list[Any] = json.loads(text)
        except ValueError:  # here whatever fails is raised
            return [self.do(each) for each in self.tasks]
        return found
