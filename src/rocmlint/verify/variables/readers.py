"""Which installed files read an environment variable: one search over all bytes for all names."""

from __future__ import annotations

import mmap
import os
import re
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ahocorasick_rs import BytesAhoCorasick

from rocmlint.verify.variables.reading import PythonFile, Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_LIBRARY = re.compile(r"\.so(\.[0-9.]+)?$")
_NO_CODE = frozenset({"__pycache__", "rocmlint", "rocmlint_inside", ".git", "node_modules"})
"""Folders that hold no readers; rocmlint knows the names, but reads none."""
_TRIALS = frozenset({"benchmark", "benchmarks", "doc", "docs", "example", "examples"})
_TESTS = frozenset({"test", "tests", "testing"})
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_PARSED_AT_MOST = 8 * 2**20
"""Bytes; a larger Python file is data, and would take seconds to parse."""

Doubt = Literal["", "may read", "only mentions", "test"]


@dataclass(frozen=True)
class Reader:
    """A file that has to do with a variable; without ``reading`` it is a library.

    ``doubt`` says why it may be no reader.
    """

    path: str
    reading: Reading | None = None
    doubt: Doubt = ""

    @property
    def place(self) -> str:
        """The path, and the line where there is one."""
        return f"{self.path}:{self.reading.line}" if self.reading else self.path


@dataclass
class Search:
    """What a search over the installed files found."""

    readers: dict[str, list[Reader]] = field(default_factory=dict)
    """By variable: the files that read it, or that may."""
    libraries: set[str] = field(default_factory=set)
    """The names of all shared libraries that were searched (``libMIOpen.so.1``)."""
    packages: set[str] = field(default_factory=set)
    """What lies directly in the folders that were searched (``torch``)."""
    files: int = 0
    size: int = 0
    """Bytes."""
    unreadable: list[str] = field(default_factory=list)


def search(names: Iterable[str], folders: Iterable[str], libraries: Iterable[str]) -> Search:
    """Search the Python files and libraries below the folders, and the libraries themselves.

    A library reads a variable when it holds its name as a C string (ended by NUL). Bytes are
    mapped, not read into memory.
    """
    names = list(dict.fromkeys(names))
    found = Search()
    if not names:
        return found
    folders = list(folders)
    automaton = BytesAhoCorasick([name.encode("utf-8", "surrogateescape") for name in names])
    seen: set[tuple[int, int]] = set()
    for path in (*_files(folders, found), *libraries):
        _search_file(path, names, automaton, found, seen)
    return found


def _files(folders: Collection[str], found: Search) -> Iterator[str]:
    def failed(error: OSError) -> None:
        found.unreadable.append(f"{error.filename}: {error.strerror}")

    for folder in folders:
        if os.path.isfile(folder):
            yield folder
            continue
        for root, below, files in os.walk(folder, onerror=failed):
            if root == folder:
                found.packages.update(name.partition(".")[0] for name in (*below, *files))
            below[:] = sorted(name for name in below if name not in _NO_CODE)
            for name in files:
                if name.endswith(".py") or _LIBRARY.search(name):
                    yield os.path.join(root, name)


def _search_file(
    path: str,
    names: list[str],
    automaton: BytesAhoCorasick,
    found: Search,
    seen: set[tuple[int, int]],
) -> None:
    is_library = not path.endswith(".py")
    try:
        status = os.stat(path)
        if is_library:
            found.libraries.add(os.path.basename(path))
        identity = (status.st_dev, status.st_ino)
        if not status.st_size or not stat.S_ISREG(status.st_mode) or identity in seen:
            return
        seen.add(identity)
        found.files += 1
        found.size += status.st_size
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            hits = _whole_names(data, automaton, is_library=is_library)
            source = data[:_PARSED_AT_MOST] if hits and not is_library else b""
    except FileNotFoundError:  # a link to nothing
        return
    except (OSError, ValueError) as error:  # ValueError: it was emptied meanwhile
        found.unreadable.append(f"{path}: {getattr(error, 'strerror', error)}")
        return
    file_names = [names[index] for index in sorted(hits)]
    if is_library:
        for name in file_names:
            found.readers.setdefault(name, []).append(Reader(path))
    elif file_names:
        for reader_name, reader in _in_python(path, source, file_names):
            found.readers.setdefault(reader_name, []).append(reader)


def _whole_names(data: mmap.mmap, automaton: BytesAhoCorasick, *, is_library: bool) -> set[int]:
    """Return which names stand there whole: as a word in Python, as a C string in a library."""
    hits: set[int] = set()
    with memoryview(data) as view:
        for index, start, end in automaton.find_matches_as_indexes(view, overlapping=True):
            before = view[start - 1] if start else 0
            after = view[end] if end < len(view) else 0
            if before not in _WORD and (after == 0 if is_library else after not in _WORD):
                hits.add(index)
    return hits


def _in_python(path: str, source: bytes, names: list[str]) -> Iterator[tuple[str, Reader]]:
    """Yield each name and what the file does with it."""
    # A look-up needs the name as a text of its own; documentation is not worth a parse.
    quoted = [name for name in names if re.search(rb"['\"]%b['\"]" % name.encode(), source)]
    yield from ((name, Reader(path, None, "only mentions")) for name in names if name not in quoted)
    if not quoted:
        return
    try:
        file = PythonFile(source)
        readings = {name: file.readings(name) for name in quoted}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from ((name, _unparsed(path, source, name)) for name in quoted)
        return
    trial = _is_trial(path)
    for name in quoted:
        found = readings[name] or _generated(source, name)
        if not found:
            yield name, Reader(path, None, "only mentions")
        for each in found:
            doubt: Doubt = "may read" if each.kind == "may read" else ""
            yield name, Reader(path, each, "test" if trial else doubt)


def _unparsed(path: str, source: bytes, name: str) -> Reader:
    text = "in Python that the interpreter of rocmlint cannot parse"
    line = _line(source, source.find(name.encode()))
    return Reader(path, Reading("may read", line, "when called", text), "may read")


def _generated(source: bytes, name: str) -> list[Reading]:
    """Return the look-up in C++ that Python code writes down, to be compiled later."""
    hit = re.search(rb"getenv\(\\?\"%b\\?\"\)" % name.encode(), source)
    if not hit:
        return []
    line = _line(source, hit.start())
    return [Reading("may read", line, "when called", f"{hit[0].decode()} in generated code")]


def _line(source: bytes, position: int) -> int:
    return source.count(b"\n", 0, position) + 1


def _is_trial(path: str) -> bool:
    """Return whether only tests, documentation or benchmarks run a file."""
    *folders, name = path.split(os.sep)
    if name == "conftest.py" or name.startswith("test_") or name.endswith("_test.py"):
        return True
    packaged = folders
    for root in ("site-packages", "dist-packages"):
        if root in folders:
            packaged = folders[folders.index(root) + 1 :]
            return not (_TESTS | _TRIALS).isdisjoint(packaged)
    return not (_TESTS | _TRIALS).isdisjoint(packaged[-2:])
