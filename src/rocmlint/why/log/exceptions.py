"""The exceptions of one process: tracebacks of Python, IPython, pytest and rich, and single lines.

A reader goes through the lines once. It keeps the frames since the last exception, and the
exception whose message may go on in the next line.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.why.log import lines
from rocmlint.why.log.log_data import Chain, LogFrame, Raised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_FRAMES, _MOST_MESSAGE, _MOST_STRAY = 400, 60, 40
_OWN_FRAMES = ("user code", "Stack (most recent call last)")
"""A message that ends like this shows frames of what it is about."""
_GOES_ON = (
    "from user code", "Caused by", "User Stack", "Potential framework code", "Set TORCH",
    "For more information", "The following call", "-- Process",
)  # fmt: skip
"""How a paragraph begins that belongs to the message above a blank line."""
_ONLY_ENDINGS = frozenset({
    "Exit", "Interrupt", "Iteration", "Violation", "Failure", "Timeout", "NotFound", "Invalid",
    "Error", "Expired", "Group", "Refused", "Fault", "Died", "Warning",
})  # fmt: skip
_WRAPPED = re.compile(
    r"because of the following error(?: \(look up to see its traceback\))?:\s*(?P<message>.+)",
    re.DOTALL,
)


class Numbered(NamedTuple):
    """A line of one process, and its number in the log."""

    number: int
    text: str
    rank: int | None = None
    is_record: bool = False


def chains_in(numbered: Iterable[Numbered]) -> Iterator[Chain]:
    """Yield the chains of exceptions of one process, each innermost cause first."""
    reader = _Reader()
    for each in numbered:
        reader.take(each)
    reader.close()
    for chain in reader.chains:
        yield Chain(tuple(_with_wrapped(chain)))


def _with_wrapped(chain: list[Raised]) -> Iterator[Raised]:
    """Put in front of an exception the one that its message quotes."""
    for each in chain:
        found = _WRAPPED.search(each.message)
        if found is not None:
            inner = found["message"].strip()
            raised = lines.raised_in(inner.partition("\n")[0])
            kind = raised.type if raised else _kind_of(inner)
            message = raised.message if raised else inner
            first = message.partition("\n")[0]
            if not any(other.message.startswith(first) for other in chain):
                yield replace(each, type=kind, message=message)
        yield each


def _kind_of(message: str) -> str:
    if message.startswith("No module named"):
        return "ModuleNotFoundError"
    is_import = message.startswith("cannot import name") or "undefined symbol" in message
    return "ImportError" if is_import or "cannot open shared object" in message else "Exception"


@dataclass
class _Open:
    """An exception whose message may go on."""

    type: str
    message: list[str]
    frames: tuple[LogFrame, ...]
    rank: int | None
    line: int
    is_record: bool = False
    indent: int = 0
    """Blanks in front of the traceback, and so of each line of the message."""
    is_of_pytest: bool = False
    blanks: int = 0

    @property
    def last(self) -> str:
        return self.message[-1].rstrip()

    @property
    def quotes(self) -> bool:
        """Whether what follows is what the message quotes."""
        return self.last.endswith(":") or self.type.rpartition(".")[2].startswith("RayTaskError")

    @property
    def shows_frames(self) -> bool:
        return self.last.endswith(":") and any(each in self.last for each in _OWN_FRAMES)


@dataclass
class _Reader:
    """The state of the reader after the lines so far."""

    chains: list[list[Raised]] = field(default_factory=list)
    _frames: deque[LogFrame] = field(default_factory=lambda: deque(maxlen=_MOST_FRAMES))
    _places: deque[LogFrame] = field(default_factory=lambda: deque(maxlen=20))
    """Frames of pytest since its last exception."""
    _open: _Open | None = None
    _in_traceback: bool = False
    _indent: int = 0
    _strays: int = 0
    _is_joined: bool = False
    _is_quoted: bool = False
    """Whether the next exception is one that the message before quotes."""
    _in_group: bool = False
    _is_first_of_group: bool = False
    _position: int = -1
    """Where the last exception is in its chain."""
    _thrown: str = ""

    def take(self, line: Numbered) -> None:
        """Read one line."""
        text = lines.without_box(line.text)
        if "Exception Group Traceback" in text:
            self._in_group = True
        if self._in_group and self._take_rule(text):
            return
        if self._in_group:
            text = lines.without_bars(text)
        if not text.strip(" \t,[]{}") or text.startswith("```"):
            self._take_blank()
        elif any(each in text for each in lines.CAUSES):
            self.close()
            self._is_joined = True
        elif lines.START in text:
            self._begin(text)
        else:
            self._take_text(text, line)

    def close(self) -> None:
        """End the exception whose message may go on, and put it into its chain."""
        found, self._open = self._open, None
        if found is None:
            return
        message = "\n".join(found.message).strip()
        raised = Raised(found.type, message, found.frames, found.rank, found.line)
        chain = self.chains[-1] if self.chains else []
        if self._is_joined and chain:
            self._position += 1
            chain.insert(self._position, raised)
        elif self._is_quoted and chain:
            chain.insert(self._position, raised)
        elif self._is_first_of_group and chain:
            self._position = 0
            chain.insert(0, raised)
        else:
            self.chains.append([raised])
            self._position = 0
        self._is_joined = self._is_quoted = self._is_first_of_group = False

    def _take_rule(self, text: str) -> bool:
        """Read a line between two exceptions of a group."""
        number = lines.group_rule(text)
        if number is None:
            return False
        self.close()
        self._is_first_of_group = number == "1"
        return True

    def _take_blank(self) -> None:
        if self._open is not None:
            self._open.blanks += 1

    def _begin(self, text: str) -> None:
        is_quoted = self._open is not None and (self._open.quotes or "Original Tr" in text)
        self.close()
        self._is_quoted = is_quoted
        before = text[: text.find(lines.START)]
        self._indent = 0 if before.strip(" +") else len(text) - len(text.lstrip(" "))
        self._enter()

    def _enter(self) -> None:
        self._frames.clear()
        self._places.clear()
        self._in_traceback, self._strays = True, 0

    def _take_text(self, text: str, line: Numbered) -> None:
        indented = text
        if self._indent and self._in_traceback and not text[: self._indent].strip():
            text = text[self._indent :]
        frame = lines.frame_in(text)
        if frame is not None:
            self._take_frame(frame, text, line)
        elif self._in_traceback:
            self._take_in_traceback(text, line)
        elif text.startswith("E  "):
            self._take_pytest(text[1:].strip(), line)
        elif not self._goes_on(text, line):
            self._take_single(indented, line)

    def _take_frame(self, frame: LogFrame, text: str, line: Numbered) -> None:
        if self._open is not None and self._open.shows_frames and text.startswith(" "):
            self._open.frames = (*self._open.frames, frame)[-_MOST_FRAMES:]
            return
        if not self._in_traceback:
            is_quoted = self._open is not None and self._open.quotes
            self.close()
            self._is_quoted = is_quoted
            self._indent = max(0, len(text) - len(text.lstrip(" ")) - 2)
            self._enter()
        self._strays = 0
        rest = text[text.find(", in ") + 5 :] if ", in " in text else ""
        pasted = lines.raised_in_prose(rest) if ": " in rest else None
        if pasted is not None:
            end = rest.find(pasted.type)
            frame = replace(frame, function=rest[:end].split()[0] if rest[:end].split() else "")
        self._frames.append(frame)
        if pasted is not None:
            self._raise(pasted, line, tuple(self._frames))

    def _take_in_traceback(self, text: str, line: Numbered) -> None:
        found = lines.raised_after_frames(text) if self._frames else lines.raised_in(text)
        if found is not None:
            self._raise(found, line, tuple(self._frames))
            return
        arrow = lines.arrow_in(text)
        if arrow is not None and self._frames:
            last = self._frames[-1]
            self._frames[-1] = replace(last, line=last.line or arrow[0], code=arrow[1])
        elif self._frames and text.startswith("    ") and not self._frames[-1].code:
            self._frames[-1] = replace(self._frames[-1], code=text.strip()[:1000])
        elif not text.startswith(" "):
            self._strays += 1
            if self._strays > _MOST_STRAY:
                self._in_traceback = False

    def _take_pytest(self, shown: str, line: Numbered) -> None:
        """Read a line of an exception as pytest shows it, behind an E."""
        if self._open is not None and self._open.is_of_pytest:
            if len(self._open.message) < _MOST_MESSAGE:
                self._open.message.append(shown)
            return
        found = lines.raised_in(shown)
        if found is not None:
            self._raise(found, line, tuple(self._places))
            if self._open is not None:
                self._open.is_of_pytest = True

    def _goes_on(self, text: str, line: Numbered) -> bool:
        """Take a line that belongs to the message above it."""
        of = self._open
        if of is None:
            return False
        place = lines.pytest_frame(text)
        if of.is_of_pytest:
            if place is not None:
                of.frames = (*of.frames, place)
            self.close()
            self._places.clear()
            return place is not None
        is_outside = bool(text[: of.indent].strip())
        text = text[of.indent :]
        if is_outside or lines.ends_message(text):
            self.close()
            return False
        is_indented = text[:1] in {" ", "\t"}
        is_other = line.is_record and not of.is_record
        if is_other or (of.blanks and not (is_indented or text.startswith(_GOES_ON))):
            self.close()
            return False
        shown = text if is_indented else lines.without_level(text)
        if lines.raised_in(shown) is not None or len(of.message) >= _MOST_MESSAGE:
            return False
        of.message.append(text)
        of.blanks = 0
        return True

    def _take_single(self, text: str, line: Numbered) -> None:
        """Read an exception without frames, as in a log or a sentence."""
        place = lines.pytest_frame(text)
        if place is not None:
            self._places.append(place)
            return
        self._thrown = lines.thrown_in(text) or self._thrown
        what = lines.what_in(text) if self._thrown else None
        if what is not None:
            self._raise(lines.ExceptionLine(self._thrown, what), line, ())
            self._thrown = ""
            return
        found = lines.raised_in(lines.without_level(text.strip()))
        if found is not None and found.type in _ONLY_ENDINGS:
            return
        is_quoted = self._open is not None and self._open.quotes
        prose = None if found is not None else lines.raised_in_prose(text)
        if found is not None or prose is not None:
            self.close()
            self._is_quoted = is_quoted and prose is None
            self._raise(found or prose or lines.ExceptionLine("", ""), line, ())
            if prose is not None:
                self.close()

    def _raise(
        self, found: lines.ExceptionLine, line: Numbered, frames: tuple[LogFrame, ...]
    ) -> None:
        is_quoted = self._is_quoted
        self.close()
        self._is_quoted = is_quoted
        self._open = _Open(
            found.type, [found.message], frames, line.rank, line.number, line.is_record
        )
        self._open.indent = self._indent if self._in_traceback else 0
        self._in_traceback = False
        self._frames.clear()
