"""The data that reading a log gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LogFrame:
    """One line of a traceback. ``code`` is the source line where the log shows it."""

    file: str
    line: int
    function: str = ""
    code: str = ""


@dataclass(frozen=True)
class Raised:
    """An exception as a log shows it: ``type`` as printed ("torch.OutOfMemoryError").

    ``frames`` are in the order of the traceback, the innermost last; none for a single line.
    ``rank`` is that of a distributed job, None where the log does not say.
    """

    type: str
    message: str
    frames: tuple[LogFrame, ...] = ()
    rank: int | None = None
    line: int = 0
    """Its line in the log, from 1."""

    @property
    def text(self) -> str:
        """The exception as Python prints it."""
        return f"{self.type}: {self.message}" if self.message else self.type


@dataclass(frozen=True)
class Chain:
    """Exceptions of which each caused the next: the innermost cause is the first."""

    raised: tuple[Raised, ...]

    @property
    def rank(self) -> int | None:
        """The rank that raised it."""
        return next((each.rank for each in self.raised if each.rank is not None), None)


@dataclass(frozen=True)
class LogFailure:
    """The first failure of a job as its launcher reports it: torchrun's root cause, or srun's."""

    rank: int
    exit_code: int | None = None
    """Negative for a signal."""
    pid: int | None = None


@dataclass(frozen=True)
class Log:
    """A log after reading. ``lines`` are those worth looking at, without colors and prefixes.

    ``chains`` begin with that of the rank that failed first; what only follows from another
    failure comes last. ``cut`` says that lines were left out in the middle.
    """

    chains: tuple[Chain, ...]
    lines: tuple[str, ...]
    sha256: str
    size: int
    cut: bool = False
    failure: LogFailure | None = None
    binary: str = ""
    """The interpreter of the workers, where torchrun names it ("of binary: ...")."""
