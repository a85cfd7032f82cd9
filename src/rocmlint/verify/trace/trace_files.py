"""Reading what a profiler wrote: which kernels ran, how often and how long; nothing else is kept.

Four forms are read, in bounded memory however long the file is:

- the Chrome JSON of ``torch.profiler`` (also gzipped). Kineto writes one complete event for each
  kernel, ``{"ph": "X", "cat": "kernel", "name": ..., "dur": microseconds, ...}``, on ROCm as on
  CUDA (libkineto/src/output_json.cpp, RocprofActivity_inl.h), and one of ``"cat": "cpu_op"`` for
  each operator.
- the JSON of rocprofv3 (also gzipped): one record for each dispatch, with the id of its kernel and
  nanoseconds, and the names of all kernels of the process (see events.py).
- the kernel trace of rocprofv3 as CSV: one row for each dispatch with ``Kernel_Name``,
  ``Start_Timestamp`` and ``End_Timestamp`` in nanoseconds (rocprofiler-sdk, generateCSV.cpp), and
  what rocprof 1 and 2 wrote in its place (``KernelName``, ``BeginNs``, ``EndNs``).
- its kernel statistics: one row for each kernel with ``Name``, ``Calls``, ``TotalDurationNs``.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from rocmlint.errors import RocmlintError
from rocmlint.text.words import counted
from rocmlint.verify.trace.events import entries
from rocmlint.verify.trace.gunzip import DAMAGED, MAGIC, WRONG_SUM, Gunzip
from rocmlint.verify.trace.json_stream import BrokenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from io import BufferedReader

    _RowReader = Callable[[list[str]], tuple[str, float, int] | None]
    """Gives name, nanoseconds and calls; None for what is not a kernel."""

_SQLITE = "SQLite format 3\0"
_BLOCK = 1 << 16
LARGEST_DECODED = 4 << 30
"""Bytes of a compressed trace; one that is not compressed may have any number."""
_LONGEST_FIELD = 1 << 24
"""Characters; Tensile and CK names pass the limit that Python's csv has by itself."""


class TraceError(RocmlintError):
    """A trace cannot be read, or is none."""


@dataclass(frozen=True)
class RanKernel:
    """A kernel that ran; ``nanoseconds`` is the time of all its calls together."""

    name: str
    calls: int
    nanoseconds: float


@dataclass(frozen=True)
class Trace:
    """The kernels, operators and launches in a profile.

    ``kernels`` is in order of time, the longest first. ``operators`` counts the calls of each
    operator (``aten::bmm``) and ``launches`` those of the runtime functions that start kernels;
    both are empty for a CSV. ``cut`` says why the end is missing, and is empty where it is not.
    """

    path: str
    form: str
    kernels: tuple[RanKernel, ...]
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
    is_packed = file.peek(len(MAGIC)).startswith(MAGIC)  # a pipe cannot go back
    stream = _Characters(path, file, Gunzip(file) if is_packed else None)
    head = stream.peek()
    start = head.lstrip()[:1]
    if not start:
        why = f"{stream.problem}, before the first event" if stream.problem else "is empty"
        message = f"{path}: {why}: the profiler did not finish writing it"
        raise TraceError(message)
    if head.startswith(_SQLITE):
        message = (
            f"{path}: is a database of rocprofv3 (rocpd): run it with --output-format csv, "
            "or convert it: rocpd convert -i FILE --output-format csv"
        )
        raise TraceError(message)
    return (_json if start in "{[" else _table)(path, stream)


class _Characters:
    """The text of a file; a compressed file that ends too early just ends."""

    def __init__(self, path: str, file: BufferedReader, packed: Gunzip | None) -> None:
        self._path = path
        self._file = packed or file
        self._packed = packed
        self._left = LARGEST_DECODED
        first = self._block()
        encoding = "utf-8-sig"
        if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = self._decoder.decode(first, final=not first)

    def peek(self) -> str:
        """Return what the next read begins with."""
        return self._ready

    @property
    def problem(self) -> str:
        """The error in the compressed data, if any."""
        return self._packed.problem if self._packed else ""

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
        block = self._file.read(_BLOCK)
        if self._packed:
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

    def kernels(self) -> tuple[RanKernel, ...]:
        ran = (RanKernel(name, int(calls), time) for name, (calls, time) in self._of.items())
        return tuple(sorted(ran, key=lambda each: (-each.nanoseconds, each.name)))


def _json(path: str, stream: _Characters) -> Trace:
    tally, dispatches, seen, broken = _Tally(), _Dispatches(), 0, ""
    operators, launches = Counter[str](), 0
    try:
        for kind, entry in entries(stream.read):
            if kind != "event":
                seen += dispatches.took(kind, entry)
                continue
            seen += 1
            category, name = _kind(entry)
            if category == "kernel":
                tally.add(name, 1000 * _number(entry.get("dur")))
            elif category == "cpu_op":
                operators[name] += 1
            elif category in {"cuda_runtime", "cuda_driver"} and "Launch" in name:
                launches += 1
    except BrokenError as error:
        broken = str(error)
    if not seen and not (dispatches.processes and not broken):
        why = stream.problem or (broken and f"the JSON stops before the first event: {broken}")
        message = (
            f"{path}: contains no traceEvents{why and f' ({why})'}: it is not a trace of "
            "torch.profiler (export_chrome_trace) or rocprofv3 (--kernel-trace)"
        )
        raise TraceError(message)
    dispatches.add_to(tally)
    form = "rocprofv3" if dispatches.processes else "torch.profiler"
    cut = _cut(stream.problem, broken, seen)
    return Trace(path, form, tally.kernels(), dict(operators), launches, cut)


def _cut(problem: str, broken: str, seen: int) -> str:
    """Say why a trace in JSON is not complete; the reason behind a broken text goes first."""
    events = counted(seen, "event")
    if problem and broken:
        # A wrong sum of what is no JSON is damage somewhere before.
        problem = DAMAGED if problem == WRONG_SUM else problem
        return f"{problem}; {events} before it {'was' if seen == 1 else 'were'} read"
    if problem == WRONG_SUM:
        return f"{problem}, so its {events} may be damaged too"
    return broken and f"the JSON stops after {events}: {broken}"


_SYMBOL = re.compile(r"(\.kd| \[clone \.kd\])$")
_SYMBOL_NAMES = ("demangled_kernel_name", "formatted_kernel_name", "kernel_name")
"""The first is not truncated, whatever rocprofv3 is set to write elsewhere."""


class _Dispatches:
    """Adds up the dispatches of rocprofv3 by the id that a kernel has in its process."""

    def __init__(self) -> None:
        self.processes = 0
        self._names: dict[tuple[int, Any], str] = {}
        self._of: dict[tuple[int, Any], list[float]] = {}

    def took(self, kind: str, entry: Any) -> bool:
        """Take an entry; say whether it is a dispatch."""
        if kind == "process":
            self.processes += 1
        elif kind == "symbol" and isinstance(entry, dict):
            name = next((_word(entry[each]) for each in _SYMBOL_NAMES if entry.get(each)), "")
            self._names[self._key(entry)] = _SYMBOL.sub("", name)
        elif kind == "dispatch" and isinstance(entry, dict):
            info = entry.get("dispatch_info")
            begin, end = entry.get("start_timestamp"), entry.get("end_timestamp")
            # As whole numbers: a float does not hold the nanoseconds since 1970.
            if isinstance(begin, int) and isinstance(end, int):
                begin, end = 0, end - begin
            time = _number(end) - _number(begin)
            total = self._of.setdefault(self._key(info if isinstance(info, dict) else {}), [0, 0.0])
            total[0] += 1
            total[1] += max(time, 0.0)
            return True
        return False

    def add_to(self, tally: _Tally) -> None:
        """Name each kernel; in a trace that is cut off, or a broken one, a name may be missing."""
        for key, (calls, time) in self._of.items():
            name = self._names.get(key) or f"kernel_id {key[1]} of process {key[0]} (no name)"
            tally.add(name, time, int(calls))

    def _key(self, entry: Mapping[str, Any]) -> tuple[int, Any]:
        return self.processes, _word(entry.get("kernel_id"))


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
    cut = f"{broken} of its rows cannot be read" if broken else stream.problem
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
        f"{path}: is not a known trace format: not the JSON of torch.profiler or rocprofv3, nor a "
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
