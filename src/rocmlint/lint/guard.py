"""Work in a child process: a crash of native code then ends the child, and is one result."""

from __future__ import annotations

import os
import pickle  # what is read was written by a fork of this process
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CAN_FORK = sys.platform == "linux" and hasattr(os, "fork")
"""A fork knows what this process knows; macOS' own libraries do not stand it, Windows has none."""
DEATH = "ended the process that linted it (out of memory, or a crash of the parser)"
"""What is said of a file whose work gave no result."""
Task = TypeVar("Task")
Result = TypeVar("Result")


def guarded(
    do: Callable[[Task], Result], tasks: Sequence[Task]
) -> Iterator[tuple[Task, Result | None]]:
    """Yield each task with its result, None for one that ended the process that did it.

    The tasks are done in order by a child process, and by this one where there can be none or
    where it has threads: a fork could wait for ever for what they hold. Raises what a task raises.
    """
    done = 0
    while done < len(tasks):
        results = _in_child(do, tasks[done:])
        if results is None:
            yield from unguarded(do, tasks[done:])
            return
        for result in results:
            done += 1
            yield tasks[done - 1], result
        if done < len(tasks):
            done += 1
            yield tasks[done - 1], None


def unguarded(
    do: Callable[[Task], Result], tasks: Sequence[Task]
) -> Iterator[tuple[Task, Result | None]]:
    """Yield each task with its result, all done by this process."""
    yield from ((each, do(each)) for each in tasks)


def _in_child(do: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result] | None:
    """Return the results of the first tasks, up to one that ends a child; None without a child."""
    if not CAN_FORK or _has_threads():
        return None
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):
            stream.flush()  # else a child would print it once more
    reading, writing = os.pipe()
    try:
        with no_interrupt():
            child = os.fork()
            if child == 0:
                _work(do, tasks, writing)
    except OSError:  # too many processes
        os.close(reading)
        os.close(writing)
        return None
    os.close(writing)
    return _results(child, reading)


def _has_threads() -> bool:
    try:
        return len(os.listdir("/proc/self/task")) > 1
    except OSError:
        return True


def _results(child: int, reading: int) -> Iterator[Result]:
    try:
        with os.fdopen(reading, "rb") as file, suppress(EOFError, pickle.UnpicklingError):
            while True:
                result, error = pickle.load(file)  # noqa: S301 - of a fork of this process
                if error is not None:
                    raise error
                yield result
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # where nobody asks for the rest
        os.waitpid(child, 0)


def _work(do: Callable[[Task], Result], tasks: Sequence[Task], writing: int) -> NoReturn:
    """Do the tasks and write each result; the end of the parent ends this, too."""
    with suppress(BaseException):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # end without a word; the parent answers
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        with os.fdopen(writing, "wb") as file:
            try:
                for task in tasks:
                    file.write(pickle.dumps((do(task), None)))
                    file.flush()
            except BaseException as error:  # noqa: BLE001 - the parent raises it
                file.write(pickle.dumps((None, error)))
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # a local rule may print
    os._exit(0)


@contextmanager
def no_interrupt() -> Iterator[None]:
    """Put off Ctrl-C while processes start: in the midst of it Python would print and forget it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
