"""The server's side of the child that lints: started when needed, ended when it hangs."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rocmlint.editors.server.messages import LENGTH, framed
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from asyncio.subprocess import Process

    from rocmlint.editors.server.messages import Options

LIMIT = 60.0
"""Seconds for one request; nothing that is linted takes so long (docs/running.md)."""
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")


class WorkerError(RocmlintError):
    """The child could not answer: it was ended, or what it was asked failed."""


class Worker:
    """Asks a child process, one request at a time."""

    def __init__(self, options: Options, limit: float = LIMIT) -> None:
        """Take the options for the session of the child. Nothing is started."""
        self._options = options
        self._limit = limit
        self._child: Process | None = None
        self._turn = asyncio.Lock()

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

    async def start(self, options: Options | None = None) -> None:
        """Start the child, or a new one in place of it. Raises WorkerError."""
        async with self._turn:
            self._options = options or self._options
            self.stop()
            await self._started()

    def stop(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError):
                child.kill()

    async def _ask(self, task: str, arguments: tuple[object, ...]) -> Any:
        child = self._child or await self._started()
        return await self._exchange(child, task, arguments)

    async def _started(self) -> Process:
        pipe = asyncio.subprocess.PIPE
        try:
            child = await asyncio.create_subprocess_exec(
                sys.executable, _CHILD, stdin=pipe, stdout=pipe
            )
        except OSError as error:
            message = f"the process that lints cannot be started: {error.strerror}"
            raise WorkerError(message) from error
        self._child = child
        try:
            await self._exchange(child, "", (self._options,))
        except WorkerError:
            self.stop()  # one without a session would take the next request for its options
            raise
        return child

    async def _exchange(self, child: Process, task: str, arguments: tuple[object, ...]) -> Any:
        try:
            answer = await asyncio.wait_for(_answer(child, (task, arguments)), self._limit)
        except asyncio.TimeoutError as error:
            self.stop()
            message = f"took longer than {self._limit:g} seconds"
            raise WorkerError(message) from error
        except (asyncio.IncompleteReadError, OSError) as error:
            self.stop()
            code = await child.wait()
            message = f"ended the process that lints (exit code {code}): out of memory, or a crash"
            raise WorkerError(message) from error
        result, failure = answer
        if failure is not None:
            raise WorkerError(failure)
        return result


async def _answer(child: Process, request: object) -> Any:
    if child.stdin is None or child.stdout is None:
        raise BrokenPipeError
    child.stdin.write(framed(request))
    await child.stdin.drain()
    head = await child.stdout.readexactly(LENGTH.size)
    data = await child.stdout.readexactly(*LENGTH.unpack(head))
    return pickle.loads(data)  # noqa: S301 - the child's own
