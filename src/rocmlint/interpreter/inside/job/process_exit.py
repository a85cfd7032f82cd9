"""Sees the ends of a process that ``atexit`` is not told of, in time to look at it once more.

``os._exit``, ``os.abort`` and ``os.exec*`` end a program at once, and a signal ends it without a
word; so what calls ``os.kill`` rings the bell of the process that it is about to end, and waits
for a moment. What ends a process in another way (C code, another user, the kernel) is not seen.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any
else:
    import _signal as signal  # the public one takes milliseconds to import

EXIT, EXEC, SIGNAL = ENDS = ("exit", "exec", "signal")
"""The moments after which there is nothing left to see of a program."""

_PATIENCE = 5.0
"""Seconds that a process which is to be ended has to look; few machines are so busy."""
_STEP = 0.005
_ENDING = {
    getattr(signal, f"SIG{name}", None) for name in ("HUP", "INT", "QUIT", "ABRT", "KILL", "TERM")
}
"""The signals by which one process ends another; the rest is for programs to talk to each other."""


class _Wrapper:
    """Calls what it stands for, after ``before``; ``survived`` if it comes back from an end.

    An object and not a function: as an attribute of a class it must not become a method either.
    """

    def __init__(
        self, original: Any, before: Callable[..., bool], survived: Callable[[], None]
    ) -> None:
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(self, name, getattr(original, name, None))
        self.__wrapped__ = original
        self._before, self._survived = before, survived

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        told = False
        with suppress(Exception):  # what is wrong with the arguments is the original's to say
            told = self._before(*arguments, **named)
        try:
            return self.__wrapped__(*arguments, **named)
        finally:
            if told:
                self._survived()

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce__(self) -> str:
        """Have pickle find it by its name, as a built-in function."""
        return str(self.__name__)  # type: ignore[attr-defined]


def watch(bells: str, look: Callable[[str], None]) -> None:
    """Call ``look(moment)`` before this process, or a child of it, ends by one of these calls."""

    def leave(*_: Any, **__: Any) -> bool:
        look(EXIT)
        return True

    def become(program: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(program, int) and not os.access(program, os.X_OK):
            return False  # os.execvp tries one folder after the other
        look(EXEC)
        return True

    def end(pid: int, number: int) -> bool:
        if number in _ENDING:
            group = -pid if pid < 0 else 0 if pid else os.getpgrp()
            _ring(bells, _group(bells, group) if group else [pid], number)
            if pid == os.getpid() or group == os.getpgrp():
                look(moment_of(number))
                return True  # it may have blocked the signal
        return False

    def end_group(group: int, number: int) -> bool:
        return end(-group, number)

    befores: dict[str, Callable[..., bool]] = {
        **dict.fromkeys(("_exit", "abort"), leave),
        **dict.fromkeys(("execv", "execve"), become),
        "kill": end,
        "killpg": end_group,
    }
    for name, before in befores.items():
        original = getattr(os, name, None)
        if original is None:
            continue
        wrapper = _Wrapper(original, before, lambda: look("running"))
        for module in (os, sys.modules.get("posix")):
            if getattr(module, name, None) is original:
                setattr(module, name, wrapper)


def moment_of(number: int) -> str:
    """Return what a signal is for this process: its end, or something that it handles."""
    ends = number == signal.SIGKILL or (
        number in _ENDING and signal.getsignal(number) == signal.SIG_DFL
    )
    return SIGNAL if ends else "running"


def is_about_to_exec() -> bool:
    """Return whether this child of a fork is the one of ``subprocess`` that has a preexec_fn.

    C code makes another program of it, of which ``os`` knows nothing.
    """
    caller = _caller()
    return caller is not None and caller.f_globals.get("__name__") == "subprocess"


def is_called_by_program() -> bool:
    """Return whether Python code called this; at the end of a program the interpreter does."""
    return _caller() is not None


def _caller() -> Any:
    """Return the frame that called this package; None where no Python code did."""
    frame: Any = sys._getframe()  # noqa: SLF001 - hooks are told nothing else
    own = __package__.rpartition(".")[0]
    while frame is not None and str(frame.f_globals.get("__package__")).startswith(own):
        frame = frame.f_back
    return frame


def bell_of(folder: str, pid: int) -> str:
    """Return the path of the bell of a process: a file of one byte, the signal that it will get."""
    return os.path.join(folder, str(pid))


def _group(bells: str, group: int) -> list[int]:
    """Return the processes of a group that listen."""
    found = []
    for name in os.listdir(bells) if bells else ():
        try:
            if int(name) != os.getpid() and os.getpgid(int(name)) == group:
                found.append(int(name))
        except (OSError, ValueError):
            continue  # it is gone, and has left its bell
    return found


def _ring(bells: str, pids: list[int], number: int) -> None:
    """Have processes look again, and wait until they have; those that do not listen are left out.

    The byte of a bell is 0 again when its process has looked.
    """
    if not bells:
        return
    waiting = []
    for path in (bell_of(bells, pid) for pid in pids):
        try:
            if path != bell_of(bells, os.getpid()):
                with open(path, "r+b", buffering=0) as bell:
                    bell.write(bytes([number]))
                waiting.append(path)
        except OSError:
            continue
    until = time.monotonic() + _PATIENCE
    while waiting and time.monotonic() < until:
        time.sleep(_STEP)
        waiting = [path for path in waiting if not (_is_quiet(path) or _is_dead(path))]
    for path in waiting:
        with suppress(OSError):
            os.unlink(path)  # what does not listen is not waited for again


def _is_quiet(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as bell:
            return bell.read(1) == b"\0"
    except OSError:
        return True


def _is_dead(path: str) -> bool:
    """Return whether the process of a bell has ended, and only its parent has not heard of it."""
    try:
        with open(f"/proc/{os.path.basename(path)}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True
