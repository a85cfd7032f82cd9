"""What lies in a cache: each kernel with the GPU that it is kept for and the code that it has."""

from __future__ import annotations

import bz2
import json
import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from rocmlint.disk.read import read_small
from rocmlint.gpus.target import DEVICES
from rocmlint.verify.code_objects import device_elf
from rocmlint.verify.code_objects.errors import UnreadableError
from rocmlint.verify.code_objects.file import FileReport, read_file
from rocmlint.verify.code_objects.find import find_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.target import Target
    from rocmlint.verify.caches.places import Cache

_LARGEST_METADATA = 1_000_000
_MOST_ROWS = 1000
"""Of a database of MIOpen, that are looked into."""
_MOST_STEPS = 20_000
"""Of SQLite's machine, times a thousand: enough to count millions of kernels."""
_ONE_BLOCK = 1_000_000
"""Bytes of compressed code that suffice for its beginning: bzip2 has blocks of at most 900 kB."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that is kept in a file."""

    path: str
    kept_for: str
    """The processor that it is looked up for; "" where that is not written down."""
    report: FileReport
    compiler: str = ""
    """The version of what compiled it, where that is written down."""


def kernels_in(cache: Cache) -> Iterator[Kernel]:
    """Yield what a cache of Triton, Inductor or aiter keeps."""
    folders = [cache.folder] if os.path.isdir(cache.folder) else []  # made when first used
    if cache.kind == "aiter":
        folder = os.path.normpath(cache.folder)
        for each in find_files(folders, lambda path: path.endswith(".so")):
            if os.path.dirname(each.path) == folder:  # below are the objects it is linked from
                yield Kernel(each.path, "", read_file(each.path))
        return
    for each in find_files(folders, lambda path: path.endswith(".hsaco")):
        processor, compiler = _metadata(f"{os.path.splitext(each.path)[0]}.json")
        yield Kernel(each.path, processor, read_file(each.path), compiler)


def _metadata(path: str) -> tuple[str, str]:
    """Return the processor and the version of Triton that stand beside a kernel of it."""
    try:
        told = json.loads(read_small(path, _LARGEST_METADATA))
    except (OSError, ValueError, RecursionError):
        return "", ""
    if not isinstance(told, dict):
        return "", ""
    target, version = told.get("target"), told.get("triton_version")
    processor = target.get("arch") if isinstance(target, dict) else None
    return (
        processor.partition(":")[0] if isinstance(processor, str) else "",
        version if isinstance(version, str) else "",
    )


@dataclass(frozen=True)
class Database:
    """A database of kernels that MIOpen keeps for one kind of GPU."""

    path: str
    processor: str
    """Which its name begins with, as in ``gfx942130.ukdb``: then the number of compute units."""
    rows: int = 0
    targets: frozenset[Target] = frozenset()
    error: str = ""


def databases_in(cache: Cache) -> Iterator[Database]:
    """Yield the databases of a cache of MIOpen."""
    folders = [cache.folder] if os.path.isdir(cache.folder) else []
    for each in find_files(folders, lambda path: path.endswith(".ukdb")):
        name = os.path.basename(each.path)
        processor = max((it for it in DEVICES if name.startswith(it)), key=len, default="")
        try:
            rows, targets = _rows_of(each.path)
        except (sqlite3.Error, OSError) as error:
            yield Database(each.path, processor, error=f"cannot be read: {error}")
        else:
            yield Database(each.path, processor, rows, frozenset(targets))


def _rows_of(path: str) -> tuple[int, set[Target]]:
    """Return how many kernels a database has, and what the first of them are for.

    Nothing is written beside the database, and nothing that it defines is run for long. Raises
    OSError, sqlite3.Error.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would block
        message = "is not a regular file"
        raise OSError(message)
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        steps = iter(range(_MOST_STEPS))
        database.set_progress_handler(lambda: next(steps, None) is None, 1000)
        database.execute("PRAGMA trusted_schema = OFF")
        (rows,) = database.execute("SELECT count(*) FROM kern_db").fetchone()
        query = "SELECT substr(kernel_blob, 1, ?), uncompressed_size FROM kern_db LIMIT ?"
        found = set()
        for blob, size in database.execute(query, (_ONE_BLOCK, _MOST_ROWS)):
            if isinstance(blob, bytes) and (target := _target_of(blob, is_packed=bool(size))):
                found.add(target)
    return int(rows), found


def _target_of(blob: bytes, *, is_packed: bool) -> Target | None:
    """Return what a kernel of MIOpen is for; None for what is not an ELF for AMD GPUs."""
    try:
        head = bz2.BZ2Decompressor().decompress(blob, device_elf.SIZE) if is_packed else blob
        return device_elf.read_head(head[: device_elf.SIZE]).target
    except (OSError, EOFError, UnreadableError):
        return None
