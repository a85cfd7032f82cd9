"""Fetching newer tables into the user's data folder: the work of ``rocmlint stack update``.

Only what package indexes have can be fetched. A table is written whole or not at all, after all of
it was read, and one update runs at a time.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import IO, TYPE_CHECKING

from rocmlint.disk.write import replace, without_waiting
from rocmlint.errors import RocmlintError
from rocmlint.published import (
    amd_wheels,
    requirement_lines,
    requirements,
    rocm_wheels,
    tables,
)
from rocmlint.stack.indexes import newer_requirements, newer_wheels
from rocmlint.stack.indexes.amd_index import refreshed
from rocmlint.stack.indexes.fetch import FetchError, IndexReader
from rocmlint.text.json import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rocmlint.published.ages import Table

FETCHED: dict[Table, str] = {
    "requirements": requirement_lines.NAME,
    "rocm_wheels": rocm_wheels.NAME,
    "amd_wheels": amd_wheels.NAME,
}
"""The tables that can be fetched, and their files."""
NOT_FETCHED: dict[Table, str] = {
    "names": "which names a release has is proven by importing it in an environment of its own",
    "deprecated": "read from torch's wheels, and proven by calling the functions",
    "deepspeed": "read from DeepSpeed's sources",
    "variables": "found by searching the files of a whole stack",
}
"""The other tables, and why no index has them."""


class UpdateError(RocmlintError):
    """Nothing could be fetched or written; the message says why."""


@dataclass(frozen=True)
class Updated:
    """The result of updating a table."""

    table: Table
    before: str
    """The day of its newest row until now."""
    date: str
    """And from now on."""
    new: tuple[str, ...]
    """Releases that were not known before: "transformers 5.24.0", "torch 2.15 for ROCm 10.0"."""
    problems: tuple[str, ...] = ()
    """Errors of what could not be read, a line each."""
    reached: bool = True
    """Whether anything could be read."""


@dataclass(frozen=True)
class TableSources:
    """Where tables are fetched from; AMD's own indexes are in its table."""

    index: str
    """The index of packages."""
    server: str
    """The address in front of the names of PyTorch's indexes."""


def update(
    reader: IndexReader,
    sources: TableSources,
    wanted: Iterable[Table],
    progress: Callable[[str], None],
) -> tuple[Updated, ...]:
    """Fetch what indexes have and write it. Raises UpdateError, also where no index has anything.

    ``progress`` is called with each package that was asked for.
    """
    with _alone() as folder:
        done = tuple(_FETCHERS[each](reader, sources, folder, progress) for each in wanted)
    if not any(each.reached for each in done):
        why = dict.fromkeys(problem for each in done for problem in each.problems)
        message = f"nothing could be read: {'; '.join(why)}"
        raise UpdateError(message)
    return done


def reset() -> tuple[str, ...]:
    """Delete the fetched tables, and return their paths. Raises UpdateError."""
    there = tuple(filter(os.path.lexists, fetched_paths()))
    if not there:
        return ()
    with _alone():
        for path in there:
            with _disk_errors(path, "deleted"), suppress(FileNotFoundError):
                os.unlink(path)
    return there


def fetched_paths() -> tuple[str, ...]:
    """Return the paths of fetched tables, which need not exist."""
    return tuple(os.path.join(tables.data_folder(), name) for name in FETCHED.values())


def _requirements(
    reader: IndexReader, sources: TableSources, folder: str, progress: Callable[[str], None]
) -> Updated:
    before = requirements.AS_OF
    found = newer_requirements.find_newer(reader, sources.index, progress)
    problems = tuple(f"{each.package}: {each.problem}" for each in found if each.problem)
    new = tuple(f"{each.package} {version}" for each in found for version in each.new)
    reached = len(problems) < len(found)
    problems = problems if reached else problems[:1]
    day = newer_requirements.newest_day(found, before)
    lines = {each.package: each.line for each in found}
    if lines != requirements.lines() or day != before:
        _write(folder, requirement_lines.NAME, requirement_lines.packed(day, lines))
    return Updated("requirements", before, day, new, problems, reached)


def _wheels(
    reader: IndexReader, sources: TableSources, folder: str, progress: Callable[[str], None]
) -> Updated:
    before, known = rocm_wheels.as_of(), rocm_wheels.rows()
    progress("torch")
    try:
        rows = newer_wheels.find_wheels(reader, sources.server.rstrip("/"))
    except FetchError as error:
        return Updated("rocm_wheels", before, before, (), (str(error),), reached=False)
    _write(folder, rocm_wheels.NAME, newer_wheels.written(rows))
    pairs = {(each.torch, rocm, each.status) for each in known for rocm in each.rocm}
    new = tuple(
        f"torch {each.torch} for ROCm {rocm}{'' if each.status == 'release' else ' (nightly)'}"
        for each in rows
        for rocm in each.rocm
        if (each.torch, rocm, each.status) not in pairs
    )
    return Updated("rocm_wheels", before, max(each.date for each in rows), new)


def _amd_wheels(
    reader: IndexReader, sources: TableSources, folder: str, progress: Callable[[str], None]
) -> Updated:
    del sources  # they are in the table

    def page(url: str) -> str:
        try:
            return reader.get(url, {"Accept": "text/html"}).content.decode(errors="replace")
        except FetchError as error:
            raise OSError(str(error).removeprefix(f"{url}: ")) from error

    before, known = amd_wheels.as_of(), amd_wheels.data()
    progress("torch")
    today = datetime.now(timezone.utc).date().isoformat()
    found, problems = refreshed(known, page, today)
    reached = found["sources"] != known["sources"]
    if reached:
        _write(folder, amd_wheels.NAME, dumps(found, indent=1).encode())
    of = {(each["torch"], each["rocm"], each["system"]) for each in known["builds"]}
    new = tuple(
        f"torch {each['torch']} for ROCm {each['rocm']} ({each['system']})"
        for each in found["builds"]
        if (each["torch"], each["rocm"], each["system"]) not in of
    )
    return Updated("amd_wheels", before, found["as_of"], new, tuple(problems), reached)


_FETCHERS: dict[Table, Callable[..., Updated]] = {
    "requirements": _requirements,
    "rocm_wheels": _wheels,
    "amd_wheels": _amd_wheels,
}


def _write(folder: str, name: str, content: bytes) -> None:
    path = os.path.join(folder, name)
    with _disk_errors(path, "written"):
        replace(path, content)


@contextmanager
def _alone() -> Iterator[str]:
    """Make the folder, and hold its lock. Raises UpdateError where another update does."""
    folder = tables.data_folder()
    path = os.path.join(folder, "update.lock")
    with _disk_errors(path, "opened"):
        os.makedirs(folder, exist_ok=True)
        file = open(path, "ab", opener=without_waiting)  # noqa: SIM115 - closed below, which gives the lock back
    with file:
        if not _locked(file):
            message = "another rocmlint stack update is running"
            raise UpdateError(message)
        yield folder


def _locked(file: IO[bytes]) -> bool:
    """Take the lock of a file; say whether nobody had it."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - of this system alone

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl  # noqa: PLC0415 - of the others

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@contextmanager
def _disk_errors(path: str, done: str) -> Iterator[None]:
    """Turn what the disk says into a line. Raises UpdateError."""
    try:
        yield
    except OSError as error:
        message = f"{path} cannot be {done}: {error.strerror or error}"
        raise UpdateError(message) from error
