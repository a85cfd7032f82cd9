"""Reading what a profiler wrote: which kernels ran, how often and how long; nothing else is kept.

Three forms are read, in bounded memory however long the file is:

- the Chrome JSON of ``torch.profiler`` (also gzipped). Kineto writes one complete event for each
  kernel, ``{"ph": "X", "cat": "kernel", "name": ..., "dur": microseconds, ...}``, on ROCm as on
  CUDA (libkineto/src/output_json.cpp, RocprofActivity_inl.h), and one of ``"cat": "cpu_op"`` for
  each operator.
- the kernel trace of rocprofv3: one row for each dispatch with ``Kernel_Name``,
  ``Start_Timestamp`` and ``End_Timestamp`` in nanoseconds (rocprofiler-sdk, generateCSV.cpp), and
  what rocprof 1 and 2 wrote in its place (``KernelName``, ``BeginNs``, ``EndNs``).
- its kernel statistics: one row for each kernel with ``Name``, ``Calls``, ``TotalDurationNs``.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from rocmlint.errors import RocmlintError
from rocmlint.verify.trace.events import BrokenError, events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from io import BufferedReader

    _RowReader = Callable[[list[str]], tuple[str, float, int] | None]
    """Gives name, nanoseconds and calls; None for what is not a kernel."""

_GZIP = b"\x1f\x8b"
_SQLITE = "SQLite format 3\0"
_BLOCK = 1 << 16
LARGEST_DECODED = 4 << 30
"""Bytes of a compressed trace; one that is not compressed may have any number."""
_LONGEST_FIELD = 1 << 24
"""Characters; Tensile and CK names pass the limit that Python's csv has by itself."""


class TraceError(RocmlintError):
    """A trace cannot be read, or is none."""


@dataclass(frozen=True)
class Ran:
    """A kernel that ran; ``nanoseconds`` is the time of all its calls together."""

    name: str
    calls: int
    nanoseconds: float


@dataclass(frozen=True)
class Trace:
    """What a profiler saw.

    ``kernels`` is in order of time, the longest first. ``operators`` counts the calls of each
    operator (``aten::bmm``) and ``launches`` those of the runtime functions that start kernels;
    both are empty for a CSV. ``cut`` says why the end is missing, and is empty where it is not.
    """

    path: str
    form: str
    kernels: tuple[Ran, ...]
    operators: Mapping[str, int] = field(default_factory=dict)
    launches: int = 0
    cut: str = ""

    @property
    def nanoseconds(self) -> float:
        """The time of all kernels together; those that overlap count twice."""
        return sum(each.nanoseconds for each in self.kernels)


def read(path: str) -> Trace:
    """Read a trace, as far as it goes. Raises TraceError for what is none."""
    try:
        with open(path, "rb") as file:
            return _read(path, file)
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}"
        raise TraceError(message) from error


def _read(path: str, file: BufferedReader) -> Trace:
    packed = file.peek(len(_GZIP)).startswith(_GZIP)  # a pipe cannot go back
    stream = _Characters(gzip.GzipFile(fileobj=file) if packed else file, path, packed=packed)
    head = stream.peek()
    start = head.lstrip()[:1]
    if not start:
        message = f"{path}: is empty{stream.reason()}: the profiler wrote nothing"
        raise TraceError(message)
    if head.startswith(_SQLITE):
        message = (
            f"{path}: is a database of rocprofv3 (rocpd): run it with --output-format csv, "
            "or convert it: rocpd convert -i FILE --output-format csv"
        )
        raise TraceError(message)
    return (_chrome if start in "{[" else _table)(path, stream)


class _Characters:
    """The text of a file; a compressed file that ends too early just ends."""

    def __init__(self, file: Any, path: str, *, packed: bool) -> None:
        self._file = file
        self._path = path
        self._left = LARGEST_DECODED if packed else None
        self._cut = ""
        first = self._block()
        encoding = "utf-8-sig"
        if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = self._decoder.decode(first, final=not first)

    def peek(self) -> str:
        """Return what the next read begins with."""
        return self._ready

    def reason(self) -> str:
        """Return why the file ended before its end, if it did."""
        return self._cut and f" ({self._cut})"

    def read(self) -> str:
        """Return some characters, none only at the end."""
        while not self._ready:
            block = self._block()
            self._ready = self._decoder.decode(block, final=not block)
            if not block:
                break
        ready, self._ready = self._ready, ""
        return ready

    def lines(self) -> Iterator[str]:
        """Yield the lines, with their ends."""
        rest = ""
        for block in iter(self.read, ""):
            *whole, rest = (rest + block).splitlines(keepends=True)
            yield from whole
            if len(rest) > _LONGEST_FIELD:
                message = f"a line is longer than {_LONGEST_FIELD:,} characters"
                raise csv.Error(message)
        if rest:
            yield rest

    def _block(self) -> bytes:
        try:
            block = bytes(self._file.read(_BLOCK))
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self._cut = "its compressed data stops in the middle"
            return b""
        if self._left is not None:
            self._left -= len(block)
            if self._left < 0:
                message = (
                    f"{self._path}: decompresses to more than {LARGEST_DECODED >> 30} GiB; "
                    "if that is intended, unpack it first (gunzip)"
                )
                raise TraceError(message)
        return block


class _Tally:
    """Adds up calls and time by kernel."""

    def __init__(self) -> None:
        self._of: dict[str, list[float]] = {}

    def add(self, name: str, nanoseconds: float, calls: int = 1) -> None:
        entry = self._of.setdefault(name, [0, 0.0])
        entry[0] += calls
        entry[1] += nanoseconds

    def kernels(self) -> tuple[Ran, ...]:
        ran = (Ran(name, int(calls), time) for name, (calls, time) in self._of.items())
        return tuple(sorted(ran, key=lambda each: (-each.nanoseconds, each.name)))


def _chrome(path: str, stream: _Characters) -> Trace:
    tally, operators, launches, cut, seen = _Tally(), Counter[str](), 0, "", 0
    try:
        for event in events(stream.read):
            seen += 1
            category, name = _kind(event)
            if category == "kernel":
                tally.add(name, 1000 * _number(event.get("dur")))
            elif category == "cpu_op":
                operators[name] += 1
            elif category in {"cuda_runtime", "cuda_driver"} and "Launch" in name:
                launches += 1
    except BrokenError as error:
        cut = f"the JSON stops after {seen:,} events: {error}"
    if not seen:
        message = (
            f"{path}: contains no traceEvents{stream.reason()}{cut and f' ({cut})'}: it is "
            "not a trace of torch.profiler (export_chrome_trace); for rocprofv3, use the "
            "CSV"
        )
        raise TraceError(message)
    return Trace(path, "torch.profiler", tally.kernels(), dict(operators), launches, cut)


def _kind(event: Any) -> tuple[str, str]:
    """Return the category and the name of an event that took time."""
    if not isinstance(event, dict) or event.get("ph") != "X":
        return "", ""
    category, name = event.get("cat"), event.get("name")
    return _word(category).lower(), _word(name)


def _word(value: Any) -> str:
    return str(value) if isinstance(value, (str, int, float)) else ""


_NAMES = ("kernel_name", "kernelname", "name")
_API = re.compile(r"(hip[A-Z]|__hip|hsa_|hsaKmt|roctx|[A-Z][A-Z_]+$)")
"""Names in the other statistics of rocprofv3: HIP and HSA functions, and kinds of activity."""


def _table(path: str, stream: _Characters) -> Trace:
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader(line.replace("\0", "") for line in stream.lines())
    try:
        columns = {name.strip().lower(): at for at, name in enumerate(next(rows))}
        row_of, form = _reader_of(columns, path)
        tally, broken = _tally_of(rows, row_of)
    except csv.Error as error:
        message = f"{path}: is not a valid CSV file: {error}"
        raise TraceError(message) from error
    kernels = tally.kernels()
    if form.endswith("statistics") and kernels and all(_API.match(each.name) for each in kernels):
        message = f"{path}: counts function calls: use the file *_kernel_stats.csv next to it"
        raise TraceError(message)
    # Only the last row of a profiler that was killed may be half a row.
    cut = f"{broken} of its rows cannot be read" if broken else stream.reason().strip(" ()")
    return Trace(path, form, kernels, cut=cut)


def _tally_of(rows: Iterator[list[str]], row_of: _RowReader) -> tuple[_Tally, int]:
    tally, broken = _Tally(), 0
    for row in rows:
        try:
            if row and (read := row_of(row)):
                tally.add(*read)
        except (IndexError, ValueError):
            broken += 1
    return tally, broken


def _reader_of(columns: Mapping[str, int], path: str) -> tuple[_RowReader, str]:
    """Return what reads a row, and what the file is."""
    name = next((columns[each] for each in _NAMES if each in columns), None)
    if name is not None and {"calls", "totaldurationns"} <= columns.keys():
        calls, total = columns["calls"], columns["totaldurationns"]
        return lambda row: (row[name], float(row[total]), int(row[calls])), "kernel statistics"
    for begin, end in (("start_timestamp", "end_timestamp"), ("beginns", "endns")):
        if name is not None and {begin, end} <= columns.keys():
            reader = _dispatches(name, columns[begin], columns[end], columns.get("kind"))
            return reader, "kernel trace"
    message = (
        f"{path}: is not a known trace format: neither Chrome JSON of torch.profiler nor a "
        "*_kernel_trace.csv or *_kernel_stats.csv of rocprofv3"
    )
    raise TraceError(message)


def _dispatches(name: int, begin: int, end: int, kind: int | None) -> _RowReader:
    def read_row(row: list[str]) -> tuple[str, float, int] | None:
        if kind is not None and row[kind] != "KERNEL_DISPATCH":
            return None
        nanoseconds = float(row[end]) - float(row[begin])
        if nanoseconds < 0:  # half a number at the end of half a row
            raise ValueError(nanoseconds)
        return row[name], nanoseconds, 1

    return read_row


def _number(value: Any) -> float:
    """Return a number that can be added to others; 0 for anything else."""
    try:
        number = float(value) if isinstance(value, (int, float)) else 0.0
    except OverflowError:
        return 0.0
    return number if isfinite(number) else 0.0
