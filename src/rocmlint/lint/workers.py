"""Linting files that no cache knows: here, or in a pool of processes if there is much to do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.files import ON_DISK
from rocmlint.disk.read import MAXIMUM_READ
from rocmlint.disk.state import digest
from rocmlint.errors import ConfigError
from rocmlint.formats import PYTHON
from rocmlint.lint.by_settings import BySettings
from rocmlint.lint.cache.serialized import to_stored
from rocmlint.lint.file_result import FileResult
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.guard import CAN_FORK, DEATH, guarded, no_interrupt, unguarded
from rocmlint.lint.linter import Linter
from rocmlint.lint.rule_fault import internal_error
from rocmlint.lint.shared_disk import shared_disk

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from rocmlint.disk.files import Files
    from rocmlint.disk.searches import Searches
    from rocmlint.lint.discovery.discover import FileToLint
    from rocmlint.lint.linter import Analysis

POOL_FROM = 400_000
"""Bytes of files with work in them from which a pool pays for its start."""
CHUNK = 400_000
"""Bytes of files that a worker is given at once, at least; in most of them is nothing to do."""
CHUNKS_EACH = 8
"""How many chunks each worker gets of many files: to hand one out takes its time, too."""
START_METHOD = "fork" if CAN_FORK else "spawn"
MOST_WORKERS = 61
"""Windows waits for no more handles at once, and ProcessPoolExecutor refuses more workers there."""


class _Work(NamedTuple):
    """A file to lint, and its bytes; ``linter`` is an index.

    The state is from before the reading: a change meanwhile must not look known later. There is
    none where the result is not to be cached.
    """

    path: str
    linter: int
    size: int
    stat: os.stat_result | None


def lint_files(  # noqa: PLR0913 - each says what a result has
    files: Sequence[FileToLint],
    jobs: int | None,
    among: Files = ON_DISK,
    *,
    claims: bool = False,
    excused: bool = False,
    cached: bool = False,
    searches: Searches | None = None,
    only: str = "",
) -> Iterator[FileResult]:
    """Yield a result for each file, in no fixed order; with ``claims`` what its code claims too.

    With one job the files that need a closer look are linted in their order, and only as far as
    somebody takes the results.
    With ``excused`` also what the excuses of rules kept back. ``only`` as for the linter. What
    ``searches`` of earlier runs have found is not searched for again.

    Only where results are to be ``cached`` have they a digest. What is ``among`` files in memory is
    linted by this process.

    Raises ConfigError where no file has settings that can be used; a problem names those of some.
    """
    disk = shared_disk(among, noted=cached, searches=searches)
    linters = BySettings(
        lambda settings: Linter(settings, disk, claims=claims, excused=excused, only=only)
    )
    jobs = (jobs or processors()) if among is ON_DISK else 1
    files, refused = _usable(files, linters)
    yield from refused
    unseen = (
        _work(each.path, linters.index(each.settings), among, cached=cached) for each in files
    )
    guard = guarded if among is ON_DISK else unguarded
    waiting: list[_Seen] = []
    waiting_bytes = 0
    for work in unseen:
        seen = _at_first_sight(work, linters.made)
        if isinstance(seen, FileResult):
            yield seen
        else:
            waiting.append(seen)
            waiting_bytes += work.size
        if waiting_bytes >= POOL_FROM:
            load_for_all()
            # To look at all that is unseen here would keep the pool waiting.
            left = [*(each.work for each in waiting), *unseen]
            if jobs > 1:
                left.sort(key=lambda work: work.size, reverse=True)
                yield from _in_pool(left, linters.made, jobs)
                return
            results = guard(lambda work: _lint(work, linters.made), left)
            yield from (_known(work, result, linters.made) for work, result in results)
            disk.forget()
            return
    if any(each.work.path.endswith(PYTHON) for each in waiting):
        load_for_all()  # a run with another rule would load it again
    for seen, result in guard(_Seen.result, waiting):
        yield _known(seen.work, result, linters.made)
    disk.forget()


def _usable(
    files: Sequence[FileToLint], linters: BySettings[Linter]
) -> tuple[Sequence[FileToLint], Sequence[FileResult]]:
    """Return the files whose rules can be loaded, and a problem for each set of other settings."""
    refused: dict[int, FileResult] = {}
    usable = []
    error: ConfigError | None = None
    for each in files:
        if id(each.settings) in refused:
            continue
        try:
            linters.index(each.settings)
        except ConfigError as wrong:
            error = wrong
            problem = f"{error}; nothing in {each.settings.root} was linted"
            refused[id(each.settings)] = FileResult(each.path, problems=[problem])
        else:
            usable.append(each)
    if error is not None and not usable:
        raise error
    return usable, [*refused.values()]


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _work(path: str, linter: int, among: Files, *, cached: bool) -> _Work:
    try:
        if among is not ON_DISK:
            return _Work(path, linter, among.size(path), None)
        about = os.stat(path)
    except OSError:
        return _Work(path, linter, 0, None)
    return _Work(path, linter, about.st_size, about if cached else None)


class _Seen(NamedTuple):
    """A file that was read and needs a closer look."""

    linter: Linter
    opened: Opened
    work: _Work

    def result(self) -> FileResult:
        """Lint the file."""
        return _done(self.work, self.linter.analyse(self.opened), self.opened.data)


def _at_first_sight(work: _Work, linters: Sequence[Linter]) -> FileResult | _Seen:
    """Read a file; return its result where no rule can find anything."""
    linter = linters[work.linter]
    if work.size > MAXIMUM_READ:
        return _result(work.path, linter.too_large(work.path, work.size))
    try:
        data = linter.files.read(work.path, MAXIMUM_READ)
    except OSError as error:
        return _unread(work.path, linter, f"cannot be read: {error.strerror}")
    except Exception as error:  # noqa: BLE001 - above all too little memory
        return FileResult(work.path, problems=[internal_error(work.path, error)])
    seen = linter.first_sight(work.path, data)
    if isinstance(seen, Opened):
        return _Seen(linter, seen, work)
    return _done(work, seen, data)


def _lint(work: _Work, linters: Sequence[Linter]) -> FileResult:
    seen = _at_first_sight(work, linters)
    return seen if isinstance(seen, FileResult) else seen.result()


def _known(work: _Work, result: FileResult | None, linters: Sequence[Linter]) -> FileResult:
    """Return the result of a file; without any the file ended the process that linted it."""
    if result is not None:
        return result
    return _unread(work.path, linters[work.linter], DEATH)


def _done(work: _Work, analysis: Analysis, data: bytes) -> FileResult:
    return _result(work.path, analysis, None if work.stat is None else digest(data), work.stat)


def _unread(path: str, linter: Linter, reason: str) -> FileResult:
    result = _result(path, linter.unreadable(path, reason))
    return result._replace(problems=[f"{path}: {reason}"], unread=())


def _result(
    path: str, analysis: Analysis, content: str | None = None, stat: os.stat_result | None = None
) -> FileResult:
    findings = [to_stored(finding) for finding in analysis.findings]
    return FileResult(
        path,
        findings,
        list(analysis.problems),
        dict(analysis.consulted),
        content,
        stat,
        analysis.text if findings else None,
        list(analysis.claims),
        list(analysis.unread),
        list(analysis.faults),
        [] if analysis.kept_back is None else analysis.kept_back.excused,
        list(analysis.versions),
    )


def _in_pool(
    waiting: Sequence[_Work], linters: Sequence[Linter], jobs: int
) -> Iterator[FileResult]:
    """Lint in a pool; where a worker dies, find the file that kills it and report that one."""
    share = sum(work.size for work in waiting) // (jobs * CHUNKS_EACH)
    chunks = list(_chunks(waiting, max(CHUNK, share)))
    left = yield from _pool(chunks, linters, jobs)
    while left:
        # One worker takes the files in order, so the first that is lost killed it.
        left = yield from _pool([[work] for work in left], linters, 1)
        for killer in left[:1]:
            yield _known(killer, None, linters)
        left = left[1:]


def _chunks(waiting: Sequence[_Work], most: int) -> Iterator[list[_Work]]:
    chunk: list[_Work] = []
    size = 0
    for work in waiting:
        chunk.append(work)
        size += work.size
        if size >= most:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _pool(
    chunks: Sequence[list[_Work]], linters: Sequence[Linter], jobs: int
) -> Generator[FileResult, None, list[_Work]]:
    """Yield the results of the chunks; return the files that were lost with a worker."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - small runs need none
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    context = get_context(START_METHOD)
    lost: list[_Work] = []
    is_done = False
    pool = ProcessPoolExecutor(min(jobs, MOST_WORKERS), context, _start_worker, (linters,))
    try:
        with no_interrupt():
            futures = [(pool.submit(_lint_chunk, chunk), chunk) for chunk in chunks]
        for future, chunk in futures:
            try:
                yield from future.result()
            except BrokenProcessPool:
                lost += chunk
        is_done = True
    finally:
        # What is cut short ends at once; else the end of Python would race with that of the pool.
        pool.shutdown(wait=is_done, cancel_futures=True)
    return lost


def load_for_all() -> None:
    """Load what every worker needs before they are forked."""
    import libcst  # noqa: PLC0415 - small runs parse nothing

    from rocmlint.lint import check, lint_file, suppress  # noqa: F401, PLC0415
    from rocmlint.source import python  # noqa: F401, PLC0415

    libcst.parse_module("")  # it is loaded when it is first used


_worker_linters: list[Linter] = []


def _start_worker(linters: Sequence[Linter]) -> None:
    """Prepare a process; where it was forked its linters know what they knew before."""
    import gc  # noqa: PLC0415
    import signal  # noqa: PLC0415
    import threading  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end without a word; the parent answers
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)  # trees are many small objects that live together
    _worker_linters[:] = linters


def _end_with_parent() -> None:
    """Wait for the parent to end: if it was killed, nobody else would end this process."""
    from multiprocessing import parent_process  # noqa: PLC0415

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _lint_chunk(chunk: Sequence[_Work]) -> list[FileResult]:
    return [_lint(work, _worker_linters) for work in chunk]
