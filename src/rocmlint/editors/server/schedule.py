"""When documents are linted: the one that changed last first, and never a text that is gone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.editors.server.messages import Linted
from rocmlint.editors.server.process import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.editors.server.documents import Documents
    from rocmlint.editors.server.messages import Unsaved
    from rocmlint.editors.server.process import Worker


class Result(NamedTuple):
    """What was found in a subject, and the text of it in which that holds."""

    file: Unsaved | None
    linted: Linted
    number: int
    """Counts results, so that each has an identity."""


class Schedule:
    """Keeps a result for each open document or notebook, and sees to it that it is the newest."""

    def __init__(
        self,
        documents: Callable[[], Documents],
        worker: Worker,
        tell: Callable[[str, Result], None],
    ) -> None:
        """Take the open documents, who lints them, and what is called with each new result."""
        self._documents = documents
        self._worker = worker
        self._tell = tell
        self._wanted: dict[str, None] = {}
        self._waiting: dict[str, list[asyncio.Future[Result]]] = {}
        self._results: dict[str, Result] = {}
        self._running: asyncio.Task[None] | None = None
        self._forgets = False
        self._count = 0

    def want(self, subject: str) -> None:
        """Lint a subject before all others."""
        self._wanted.pop(subject, None)
        self._wanted[subject] = None
        if self._running is None or self._running.done():
            self._running = asyncio.ensure_future(self._run())

    def want_all(self) -> None:
        """Lint everything again: what it was found by has changed. The last one shown is first."""
        self._forgets = True
        self._results = {uri: each._replace(file=None) for uri, each in self._results.items()}
        known = [each for each in self._results if each not in self._wanted]
        for each in [*known, *self._wanted]:
            self.want(each)

    def drop(self, subject: str) -> None:
        """Forget a subject that was closed."""
        self._wanted.pop(subject, None)
        self._results.pop(subject, None)
        for each in self._waiting.pop(subject, ()):
            each.cancel()

    def depends(self) -> frozenset[str]:
        """Return the files and folders that the settings of the results were read from."""
        return frozenset(path for each in self._results.values() for path in each.linted.depends)

    async def result_of(self, subject: str) -> Result:
        """Return the result for a subject as it is now; wait for it if there is none yet."""
        known = self._results.get(subject)
        file = self._documents().unsaved(subject)
        if known is not None and known.file == file and file is not None:
            return known
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(subject, []).append(future)
        self.want(subject)
        return await future

    async def _run(self) -> None:
        while self._wanted:
            subject, _ = self._wanted.popitem()
            file = self._documents().unsaved(subject)
            linted = await self._lint(file)
            if subject not in self._wanted:  # else it has changed meanwhile
                self._conclude(subject, file, linted)

    async def _lint(self, file: Unsaved | None) -> Linted:
        if file is None:
            return Linted()
        try:
            if self._forgets:
                self._forgets = False
                await self._worker.ask("forget")
            linted: Linted = await self._worker.ask("lint", file)
        except WorkerError as error:
            return Linted(problems=(f"{file.path}: {error}",))
        return linted

    def _conclude(self, subject: str, file: Unsaved | None, linted: Linted) -> None:
        self._count += 1
        result = self._results[subject] = Result(file, linted, self._count)
        for each in self._waiting.pop(subject, ()):
            if not each.done():
                each.set_result(result)
        self._tell(subject, result)
