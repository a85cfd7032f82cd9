"""The server's side of the child that lints: started when needed, ended when it hangs."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TYPE_CHECKING, Any

from rocmlint.editors.server.messages import LENGTH, framed
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from rocmlint.editors.server.messages import Options

    Child = subprocess.Popen[bytes]

LIMIT = 60.0
"""Seconds for a start, and for one request: nothing that is linted takes so long."""
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")


class WorkerError(RocmlintError):
    """The child could not answer: it was ended, or what it was asked failed."""


class Worker:
    """Asks a child process, one request at a time."""

    def __init__(self, options: Options, limit: float = LIMIT) -> None:
        """Take the options for the session of the child. Nothing is started."""
        self._options = options
        self._limit = limit
        self._child: Child | None = None
        self._refusal: WorkerError | None = None
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1)  # waits for answers, which asyncio cannot everywhere

    async def ask(self, task: str, *arguments: object) -> Any:
        """Return what a method of the child's session returns. Raises WorkerError.

        Whoever is cancelled while waiting for its turn is never asked for.
        """
        async with self._turn:
            asked = asyncio.ensure_future(self._ask(task, arguments))
            try:
                return await asyncio.shield(asked)
            finally:  # else the next would read the answer to this one
                if not asked.done():
                    await asyncio.wait([asked])

    async def start(self, options: Options) -> None:
        """Start the child, or a new one in place of it. Raises WorkerError."""
        async with self._turn:
            self._options, self._refusal = options, None
            self.end()
            await self._started()

    def end(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()

    async def _ask(self, task: str, arguments: tuple[object, ...]) -> Any:
        child = self._child or await self._started()
        return await self._exchange(child, task, arguments, self._limit)

    async def _started(self) -> Child:
        """Start the child; what cannot be started is not tried again before :meth:`start`."""
        if self._refusal is not None:
            raise self._refusal
        try:
            self._child = _started()
            await self._exchange(self._child, "", (self._options,), LIMIT)
        except OSError as error:
            message = f"the process that lints cannot be started: {error.strerror}"
            self._refusal = WorkerError(message)
            raise self._refusal from error
        except WorkerError as error:
            self._refusal = error
            self.end()  # without a session it would take the next request for its options
            raise
        return self._child

    async def _exchange(
        self, child: Child, task: str, arguments: tuple[object, ...], limit: float
    ) -> Any:
        loop = asyncio.get_running_loop()
        answer = loop.run_in_executor(self._thread, _answer, child, (task, arguments))
        try:
            result, failure = await asyncio.wait_for(answer, limit)
        except asyncio.TimeoutError as error:
            self.end()
            message = f"took longer than {limit:g} seconds"
            raise WorkerError(message) from error
        except (EOFError, OSError) as error:
            self.end()
            code = child.returncode
            message = f"ended the process that lints (exit code {code}): out of memory, or a crash"
            raise WorkerError(message) from error
        if failure is not None:
            raise WorkerError(failure)
        return result


def _started() -> Child:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, _CHILD], stdin=pipe, stdout=pipe)


def _answer(child: Child, request: object) -> Any:
    """Return the answer to a request. Raises EOFError and OSError where none will come."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(framed(request))
    child.stdin.flush()
    (length,) = LENGTH.unpack(_read(child.stdout, LENGTH.size))
    return pickle.loads(_read(child.stdout, length))  # noqa: S301 - the child's own


def _read(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
