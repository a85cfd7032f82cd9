"""Which installed files read an environment variable: one search over all bytes for all names."""

from __future__ import annotations

import mmap
import os
import re
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ahocorasick_rs import BytesAhoCorasick

from rocmlint.verify.variables import computed, sources
from rocmlint.verify.variables.modules import Modules
from rocmlint.verify.variables.reading import Reading
from rocmlint.verify.variables.writes_before_read import Write, writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_LIBRARY = re.compile(r"\.so(\.[0-9.]+)?$")
_NO_CODE = frozenset({"__pycache__", "rocmlint", "rocmlint_inside", ".git", "node_modules"})
"""Folders that hold no readers; rocmlint knows the names, but reads none."""
_TRIALS = frozenset({"benchmark", "benchmarks", "doc", "docs", "example", "examples"})
_TESTS = frozenset({"test", "tests", "testing"})
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_RUST = b"/rustc/"
"""In the libraries of Rust, where texts do not end with NUL and share their bytes."""
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
    is_own: bool = False
    """Whether it is a file that the user named, and not an installed one."""

    @property
    def place(self) -> str:
        """The path, and the line where there is one."""
        return f"{self.path}:{self.reading.line}" if self.reading else self.path


@dataclass(frozen=True)
class Writer:
    """A file that sets a variable, or may."""

    path: str
    write: Write
    is_own: bool
    """Whether it is a file that the user named, and not an installed one."""

    @property
    def place(self) -> str:
        """The path and the line."""
        return f"{self.path}:{self.write.line}"


@dataclass
class Search:
    """What a search over the installed files found."""

    readers: dict[str, list[Reader]] = field(default_factory=dict)
    """By variable: the files that read it, or that may."""
    writers: dict[str, list[Writer]] = field(default_factory=dict)
    """By variable: the files that set it to something else."""
    libraries: set[str] = field(default_factory=set)
    """The names of all shared libraries that were searched (``libMIOpen.so.1``)."""
    packages: set[str] = field(default_factory=set)
    """What lies directly in the folders that were searched (``torch``)."""
    files: int = 0
    size: int = 0
    """Bytes."""
    unreadable: list[str] = field(default_factory=list)


def search(
    variables: Mapping[str, str],
    folders: Iterable[str],
    libraries: Iterable[str],
    own: Iterable[str] = (),
    others: Mapping[str, str] | None = None,
) -> Search:
    """Search the code below the folders, those that are the user's ``own``, and the libraries.

    ``variables`` are the names to look for, and their values; ``others`` are all variables of the
    environment, where they are known. A library reads a variable when it
    holds its name as a C string (ended by NUL). Bytes are mapped, not read into memory.
    """
    searcher = _Searcher(variables, others)
    if not variables:
        return searcher.found
    for path in (*searcher.files(folders), *libraries):
        searcher.look_into(path, is_own=False)
    for path in searcher.files(own, sources.is_source):
        searcher.look_into(path, is_own=True)
    searcher.look_for_computed_names()
    return searcher.found


class _Searcher:
    """One search over all files."""

    def __init__(self, variables: Mapping[str, str], others: Mapping[str, str] | None) -> None:
        self.found = Search()
        self._variables = variables
        self._names = list(variables)
        wanted = (*self._names, *computed.WORDS)
        self._automaton = BytesAhoCorasick(
            [each.encode("utf-8", "surrogateescape") for each in wanted]
        )
        self._seen: set[tuple[int, int]] = set()
        self._computing: list[tuple[str, bool]] = []
        self._modules = Modules(others)

    def files(
        self, folders: Iterable[str], is_source: Callable[[str], bool] = sources.is_code
    ) -> Iterator[str]:
        """Yield the files below some folders that may be readers."""

        def failed(error: OSError) -> None:
            self.found.unreadable.append(f"{error.filename}: {error.strerror}")

        for folder in folders:
            if os.path.isfile(folder):
                yield folder
                continue
            for root, below, files in os.walk(folder, onerror=failed):
                if root == folder:
                    names = (name.partition(".")[0] for name in (*below, *files))
                    self.found.packages.update(names)
                below[:] = sorted(name for name in below if name not in _NO_CODE)
                for name in files:
                    if name.endswith(".py") or _LIBRARY.search(name) or is_source(name):
                        yield os.path.join(root, name)

    def look_into(self, path: str, *, is_own: bool) -> None:
        """Take in what a file has to do with the variables."""
        is_python = path.endswith(".py")
        is_library = not is_python and not sources.is_source(path)
        try:
            status = os.stat(path)
            if is_library:
                self.found.libraries.add(os.path.basename(path))
            identity = (status.st_dev, status.st_ino)
            if not status.st_size or not stat.S_ISREG(status.st_mode) or identity in self._seen:
                return
            self._seen.add(identity)
            self.found.files += 1
            self.found.size += status.st_size
            with (
                open(path, "rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
            ):
                hits, loose = _whole_names(data, self._automaton, is_library=is_library)
                is_rust = bool(loose) and is_library and data.find(_RUST) >= 0
                source = data[:_PARSED_AT_MOST] if hits and not is_library else b""
        except FileNotFoundError:  # a link to nothing
            return
        except (OSError, ValueError) as error:  # ValueError: it was emptied meanwhile
            self.found.unreadable.append(f"{path}: {getattr(error, 'strerror', error)}")
            return
        named = [self._names[index] for index in sorted(hits) if index < len(self._names)]
        if is_library:
            for name in named:
                self._add(name, Reader(path))
            for index in sorted(loose - hits) if is_rust else ():
                if index < len(self._names):
                    self._add(self._names[index], Reader(path, None, "may read"))
        elif is_python:
            if named:
                self._python(path, source, named, is_own=is_own)
            if len(named) < len(hits):
                self._computing.append((path, is_own))
        else:
            for name in named:
                self._source(path, source, name, is_own=is_own)

    def _add(self, name: str, reader: Reader) -> None:
        self.found.readers.setdefault(name, []).append(reader)

    def _source(self, path: str, source: bytes, name: str, *, is_own: bool) -> None:
        for each in sources.mentions(path, source, name):
            if each.does == "may read":
                reading = Reading("may read", each.line, "when called", each.text, name)
                self._add(name, Reader(path, reading, "test" if _is_trial(path) else "may read"))
            elif each.value != self._variables[name] and not _is_trial(path):
                write = Write(each.line, each.value, is_certain=False, text=each.text)
                writer = Writer(path, write, is_own)
                self.found.writers.setdefault(name, []).append(writer)

    def _python(self, path: str, source: bytes, names: list[str], *, is_own: bool) -> None:
        """Take in what a Python file does with each name."""
        # A look-up needs the name as a text of its own; documentation is not worth a parse.
        quoted = [
            name for name in names if re.search(rb"['\"]%b['\"]" % re.escape(name.encode()), source)
        ]
        for name in names:
            if name not in quoted:
                self._add(name, Reader(path, None, "only mentions"))
        if not quoted:
            return
        trial = _is_trial(path)
        try:
            file = self._modules.parsed(path, source)
            readings = {name: file.readings(name) for name in quoted}
            written = {name: list(writes(file, name, self._variables[name])) for name in quoted}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            for name in quoted:
                self._add(name, _unparsed(path, source, name))
            return
        for name in quoted:
            found = readings[name] or _generated(source, name)
            if not found:
                self._add(name, Reader(path, None, "only mentions"))
            for each in found:
                doubt: Doubt = "may read" if each.kind == "may read" else ""
                self._add(name, Reader(path, each, "test" if trial else doubt, is_own))
            if not trial:
                self.found.writers.setdefault(name, []).extend(
                    Writer(path, each, is_own) for each in written[name]
                )

    def look_for_computed_names(self) -> None:
        """Look for what may read the variables that no file reads by their names."""
        unread = [name for name in self._names if not self._has_reader(name)]
        for path, is_own in self._computing if unread else ():
            if _is_trial(path):
                continue
            try:
                with open(path, "rb") as opened:
                    source = opened.read(_PARSED_AT_MOST)
                names = [
                    each for each in unread if is_own or computed.is_worth_a_look(source, each)
                ]
                if not names:
                    continue
                file = self._modules.parsed(path, source)
                for name in names:
                    found = list(computed.readings(file, name, is_own=is_own))
                    if is_own:
                        found += computed.passed_on(file, name)
                    for each in found:
                        doubt: Doubt = "may read" if each.kind == "may read" else ""
                        self._add(name, Reader(path, each, doubt, is_own))
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                continue

    def _has_reader(self, name: str) -> bool:
        return any(each.doubt in {"", "may read"} for each in self.found.readers.get(name, ()))


def _whole_names(
    data: mmap.mmap, automaton: BytesAhoCorasick, *, is_library: bool
) -> tuple[set[int], set[int]]:
    """Return which names stand there whole: as a word in Python, as a C string in a library.

    The other names are those that stand there as a part of something.
    """
    hits: set[int] = set()
    loose: set[int] = set()
    with memoryview(data) as view:
        for index, start, end in automaton.find_matches_as_indexes(view, overlapping=True):
            before = view[start - 1] if start else 0
            after = view[end] if end < len(view) else 0
            is_whole = before not in _WORD and (after == 0 if is_library else after not in _WORD)
            (hits if is_whole else loose).add(index)
    return hits, loose


def _unparsed(path: str, source: bytes, name: str) -> Reader:
    text = "in Python that the interpreter of rocmlint cannot parse"
    line = _line(source, source.find(name.encode()))
    return Reader(path, Reading("may read", line, "when called", text), "may read")


def _generated(source: bytes, name: str) -> list[Reading]:
    """Return the look-up in C++ that Python code writes down, to be compiled later."""
    hit = re.search(rb"getenv\(\\?\"%b\\?\"\)" % re.escape(name.encode()), source)
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
