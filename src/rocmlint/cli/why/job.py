"""The job of ``why -- COMMAND``: passes its output on at once, and keeps what an answer needs."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside.job.witness import VARIABLE
from rocmlint.verify.job.processes import execute
from rocmlint.verify.job.watch import Watch
from rocmlint.verify.job.witnesses import WitnessError, prepare, read
from rocmlint.why.log.log_reader import KeptLines, read_kept
from rocmlint.why.log.order import with_ranks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.job.processes import Ending
    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.why.log.log_data import Log

_BLOCK = 1 << 16
_PATIENCE = 2.0
"""Seconds for what the job has written and nobody has read yet, after its end."""


@dataclass(frozen=True)
class WatchedJob:
    """How a job ended, what it printed, and what was seen of its Python processes."""

    ending: Ending
    log: Log
    witnesses: Sequence[WitnessReport]

    @property
    def failed(self) -> WitnessReport | None:
        """The Python process that failed first, as far as that is known; else one of the job."""
        chain = next(iter(self.log.chains), None)
        last = chain.raised[-1].type.rpartition(".")[2] if chain else ""
        rank = chain.rank if chain else None

        def key(witness: WitnessReport) -> tuple[bool, bool, bool, float]:
            failure = witness.facts.get("failure")
            written = float(witness.facts.get("written") or 0)
            is_other = rank is not None and witness.rank != rank
            return is_other, failure != last, not failure, written

        known = [each for each in self.witnesses if each.facts.get("executable")]
        return min(known, key=key, default=None)


def run_job(command: Sequence[str], literals: Sequence[str]) -> WatchedJob:
    """Run a command to its end, as ``verify run`` does.

    Raises ConfigError, CommandError and WitnessError.
    """
    if not sys.platform.startswith("linux"):
        message = (
            "why -- COMMAND requires Linux; elsewhere, pipe the output: COMMAND 2>&1 | rocmlint why"
        )
        raise ConfigError(message)
    with tempfile.TemporaryDirectory(prefix="rocmlint-", ignore_cleanup_errors=True) as folder:
        environment = prepare(folder, Watch(), os.environ)
        with _passed_on(literals) as channels:
            outputs = (channels[0].write_end, channels[-1].write_end)
            ending = execute(command, environment, VARIABLE, None, outputs=outputs)
        try:
            witnesses, _ = read(folder)
        except WitnessError:  # the answer needs none
            witnesses = []
    log = read_kept([each.kept for each in reversed(channels)])
    failures: dict[int, str] = {}
    for each in witnesses:
        if each.rank is not None and each.facts.get("failure"):
            failures.setdefault(each.rank, str(each.facts["failure"]))
    return WatchedJob(ending, with_ranks(log, failures), witnesses)


@contextmanager
def _passed_on(literals: Sequence[str]) -> Iterator[list[_Channel]]:
    """Give channels in place of stdout and stderr: one where both go to the same place."""
    targets = [1, 2]
    with suppress(OSError):
        if os.path.samestat(os.fstat(1), os.fstat(2)):
            targets = [1]
    sys.stdout.flush()
    sys.stderr.flush()
    channels = [_Channel(each, KeptLines(literals)) for each in targets]
    with _without_signals():
        for each in channels:
            each.start()
    try:
        yield channels
    finally:
        for each in channels:
            each.finish()


@contextmanager
def _without_signals() -> Iterator[None]:
    """Block all signals for the threads that start here: they are for the main thread."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass
class _Channel:
    """A pipe, or a terminal where the target is one, that is read by a thread."""

    target: int
    kept: KeptLines
    read_end: int = -1
    write_end: int = -1
    _last: bytes = b"\n"
    _is_over: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread = field(default_factory=threading.Thread)

    def start(self) -> None:
        self.read_end, self.write_end = _terminal(self.target) or os.pipe()
        self._thread = threading.Thread(target=self._pass_on, daemon=True)
        self._thread.start()

    def _pass_on(self) -> None:
        with suppress(OSError):  # the target is closed, or nobody has the terminal any more
            while block := os.read(self.read_end, _BLOCK):
                _write(self.target, block)
                self._last = block[-1:]
                with self._lock:
                    if not self._is_over:
                        self.kept.add(block)
        # As a job that writes to a closed pipe ends, so does this one.
        os.close(self.read_end)

    def finish(self) -> None:
        """Wait for what is left, and end a line that has no end."""
        self._thread.join(_PATIENCE)
        with self._lock:  # a process that the job left behind may write on
            self._is_over = True
        if self._last != b"\n":
            with suppress(OSError):
                _write(self.target, b"\n" if os.isatty(self.target) else b"")


def _write(target: int, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[os.write(target, view) :]


def _terminal(target: int) -> tuple[int, int] | None:
    """Open a terminal like that of the target, which changes nothing that is written to it."""
    if not os.isatty(target):
        return None
    import fcntl  # noqa: PLC0415 - no such modules on Windows
    import termios  # noqa: PLC0415
    import tty  # noqa: PLC0415

    read_end, write_end = os.openpty()
    tty.setraw(write_end)
    with suppress(OSError):
        size = fcntl.ioctl(target, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(write_end, termios.TIOCSWINSZ, size)
    os.set_inheritable(read_end, False)
    return read_end, write_end
