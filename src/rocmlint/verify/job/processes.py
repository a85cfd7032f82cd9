"""Running a command as if it had been started directly, and knowing the processes it starts.

For Linux: the processes are those below this one in /proc. An orphan stays below, since this
process asks to be the one that orphans fall to (PR_SET_CHILD_SUBREAPER, prctl(2)).
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.errors import RocmlintError
from rocmlint.interpreter.inside.job.process import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

INTERVAL = 0.1
"""Seconds between two looks at the processes; what lives shorter may not be seen."""

GRACE = 30.0
"""Seconds that a command has to end after SIGTERM; torchrun gives its workers as much."""

_LAST_LOOK = 1.0
"""Seconds for what ends a little later than the command, as multiprocessing's helpers do."""

_ENDING = {getattr(signal, f"SIG{name}", 0) for name in ("INT", "TERM", "HUP", "QUIT")}
_FORWARDED = _ENDING | {getattr(signal, f"SIG{name}", 0) for name in ("USR1", "USR2", "CONT")}
_SUBREAPER = 36
_PYTHON = re.compile(r"(python|pypy)[\d.]*[a-z]?")


class CommandError(RocmlintError):
    """The command could not be started."""


@dataclass(frozen=True)
class Python:
    """A Python process that was seen from outside.

    ``witnessed`` says whether its environment has the variable that lets a witness in (None where
    that could not be read), ``embedded`` that it is another program with libpython in it.
    """

    pid: int
    command: tuple[str, ...]
    witnessed: bool | None
    embedded: bool


@dataclass(frozen=True)
class Ending:
    """How a command ended: ``code`` as a shell has it (128 + signal), and what was seen of it."""

    code: int
    signal: int | None
    timed_out: bool
    interrupted: int | None
    """The signal that this process was asked to end with."""
    pythons: tuple[Python, ...]
    left: tuple[int, ...]
    """The processes that were still running when it had ended."""


def execute(  # noqa: PLR0913 - a command has so many parts
    command: Sequence[str],
    environment: Mapping[str, str],
    mark: str,
    timeout: float | None,
    before_the_end: Callable[[], None] = lambda: None,
    *,
    outputs: tuple[int, int] | None = None,
) -> Ending:
    """Run a command to its end; ``mark`` is the variable whose absence makes a process unseen.

    ``before_the_end`` is called when the time limit is over, before the command is asked to end.
    Its streams are those of this process, or ``outputs`` for what it prints, which are closed here
    when it has them. A signal from the terminal goes to it as to every process of the group; one
    that only this process gets is forwarded. After the time limit, or after a signal to end, none
    of its processes is left. Raises CommandError.
    """
    if not sys.platform.startswith("linux"):
        message = "verify run requires Linux: it reads the processes of a job from /proc"
        raise CommandError(message)
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with _blocked() as before:
        child = _started(command, environment, before, outputs)
        return _Run(child, mark, timeout, before_the_end).to_the_end()


@contextmanager
def _blocked() -> Iterator[set[signal.Signals]]:
    """Keep the signals until they are asked for, but for those that are ignored anyway."""
    wanted = {each for each in _FORWARDED if signal.getsignal(each) != signal.SIG_IGN}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, wanted | {signal.SIGCHLD})
    try:
        yield {signal.Signals(each) for each in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _started(
    command: Sequence[str],
    environment: Mapping[str, str],
    mask: set[signal.Signals],
    outputs: tuple[int, int] | None,
) -> subprocess.Popen[bytes]:
    stdout, stderr = outputs or (None, None)
    try:
        return subprocess.Popen(
            command,
            env=environment,
            stdout=stdout,
            stderr=stderr,
            close_fds=False,  # a shell's <(...) is one of them
            preexec_fn=partial(signal.pthread_sigmask, signal.SIG_SETMASK, mask),  # noqa: PLW1509
        )
    except (OSError, ValueError) as error:
        message = f"{command[0]}: cannot be started: {getattr(error, 'strerror', None) or error}"
        raise CommandError(message) from error
    finally:
        for each in {*(outputs or ())}:
            os.close(each)


@dataclass
class _Run:
    child: subprocess.Popen[bytes]
    mark: str
    timeout: float | None
    before_the_end: Callable[[], None]
    interrupted: int | None = None
    timed_out: bool = False
    _status: int | None = None
    _kill_at: float | None = None

    def __post_init__(self) -> None:
        self._descendants = _Descendants(self.mark)
        self._began = time.monotonic()

    def to_the_end(self) -> Ending:
        while self._status is None:
            self._turn(INTERVAL)
        last = time.monotonic() + _LAST_LOOK
        if self.interrupted or self.timed_out:
            self._end_all(signal.SIGTERM)
        while self._descendants.alive and time.monotonic() < last:
            self._turn(INTERVAL / 2)
        if self.interrupted or self.timed_out:
            self._end_all(signal.SIGKILL)
        killed = -self._status if self._status < 0 else None
        code = self._status if killed is None else 128 + killed
        left = tuple(sorted(self._descendants.alive))
        pythons = tuple(self._descendants.pythons())
        return Ending(code, killed, self.timed_out, self.interrupted, pythons, left)

    def _turn(self, seconds: float) -> None:
        """Wait a little or until something happens, and see to it."""
        signals = {*_FORWARDED, signal.SIGCHLD}
        received = signal.sigtimedwait(signals, seconds)
        if received is not None and received.si_signo != signal.SIGCHLD:
            self._hand_on(received)
        self._reap()
        self._descendants.update()
        self._limit()

    def _hand_on(self, received: Any) -> None:
        if received.si_signo in _ENDING:
            self.interrupted = received.si_signo
        # si_code > 0: by the kernel, for the terminal; the whole group has got it.
        if received.si_code <= 0 and self._status is None:
            os.kill(self.child.pid, received.si_signo)
        if received.si_signo == signal.SIGTERM and self._kill_at is None:
            self._kill_at = time.monotonic() + GRACE

    def _limit(self) -> None:
        now = time.monotonic()
        if self._status is not None:
            return
        if self.timeout is not None and now - self._began > self.timeout and not self.timed_out:
            self.timed_out = True
            self.before_the_end()
            self._kill_at = time.monotonic() + GRACE
            os.kill(self.child.pid, signal.SIGTERM)
        if self._kill_at is not None and now > self._kill_at:
            self._end_all(signal.SIGKILL)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self.child.pid:
                    self._status = self.child.returncode = os.waitstatus_to_exitcode(status)

    def _end_all(self, number: signal.Signals) -> None:
        """Send a signal to all; killing goes on until nobody is left who could start another."""
        self._descendants.update()
        while self._descendants.alive:
            for pid in self._descendants.alive:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            if number != signal.SIGKILL:
                return
            time.sleep(INTERVAL / 10)
            self._reap()
            self._descendants.update()


@dataclass
class _Sighting:
    python: Python | None = None
    copied: bool = False
    """Whether it looks like its parent, as a child does between fork and exec."""
    times: int = 0


@dataclass
class _Descendants:
    """The processes below this one, and which of them were Python."""

    mark: str
    alive: set[int] = field(default_factory=set)
    _others: set[int] = field(default_factory=set)
    _sightings: defaultdict[tuple[int, tuple[str, ...]], _Sighting] = field(
        default_factory=partial(defaultdict, _Sighting)
    )
    _parents: dict[int, int] = field(default_factory=dict)

    def update(self) -> None:
        """Look at all processes; of those seen before only whether they are still there."""
        present = {int(name) for name in os.listdir("/proc") if name.isdecimal()}
        self._others &= present
        self.alive &= present
        new = {pid: _parent(pid) for pid in present - self._others - self.alive}
        ours = {os.getpid()} | self.alive
        while found := {pid for pid, parent in new.items() if parent in ours}:
            self.alive |= found
            ours |= found
            self._parents.update((pid, new.pop(pid) or 0) for pid in found)
        self._others |= {pid for pid, parent in new.items() if parent is not None}
        for pid in tuple(self.alive):
            self._see(pid)

    def pythons(self) -> Iterator[Python]:
        """Yield what was Python, but for what may only have been about to become another."""
        for each in self._sightings.values():
            if each.python and (each.times > 1 or not each.copied):
                yield each.python

    def _see(self, pid: int) -> None:
        command = _command(pid)
        if not command:  # a zombie: nothing that runs
            self.alive.discard(pid)
            self._others.add(pid)
            return
        seen = self._sightings[pid, command]
        seen.times += 1
        # A program may load libpython late: ask again, at longer and longer intervals.
        if seen.python is None and seen.times & (seen.times - 1) == 0:
            kind = _kind(pid)
            if kind is not None:
                seen.python = Python(pid, command, _marked(pid, self.mark), kind == "embedded")
                seen.copied = command == _command(self._parents.get(pid, 0))


def _read(pid: int, name: str) -> bytes:
    with suppress(OSError), open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()
    return b""


def _parent(pid: int) -> int | None:
    """Return the parent; None for a process that is gone."""
    _, _, fields = _read(pid, "stat").rpartition(b")")  # the name before it may hold anything
    return int(fields.split()[1]) if fields else None


def _command(pid: int) -> tuple[str, ...]:
    words = (os.fsdecode(each) for each in _read(pid, "cmdline").split(b"\0")[:-1])
    return tuple(without_secrets(words))  # as a witness has it


def _kind(pid: int) -> str | None:
    """Return whether a process is a Python, or another program with Python in it."""
    with suppress(OSError):
        name = os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
        if _PYTHON.fullmatch(name):
            return "python"
        return "embedded" if b"/libpython" in _read(pid, "maps") else None
    return None


def _marked(pid: int, variable: str) -> bool | None:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            found = file.read().split(b"\0")
    except OSError:
        return None
    return any(each.startswith(f"{variable}=".encode()) for each in found)


def isolation(command: Sequence[str]) -> str | None:
    """Return the flag with which Python takes no notice of PYTHONPATH or of sitecustomize."""
    arguments = iter(command[1:])
    for each in arguments:
        if not re.fullmatch(r"-[A-Za-z].*", each, re.DOTALL):
            if each == "--check-hash-based-pycs":
                next(arguments, None)
                continue
            return None
        for at, letter in enumerate(each[1:], 2):
            if letter in "IES":
                return f"-{letter}"
            if letter in "cm":
                return None
            if letter in "WX":
                if not each[at:]:
                    next(arguments, None)
                break
    return None
