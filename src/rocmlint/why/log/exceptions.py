"""Tracebacks in lines: of Python, IPython and pytest, chained and of several ranks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.why.log.clean import Line, without_level
from rocmlint.why.log.shapes import Chain, Frame, Raised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_START = "Traceback (most recent call last)"
_FRAME = re.compile(
    r"\s*File [\"'](?P<file>[^\"'\n]{1,1000})[\"'], line (?P<line>\d{1,9})"
    r"(?:, in (?P<function>.+))?"
)
_IPYTHON = re.compile(
    r"(?:File )?(?P<file>[~/.\w<][^\n:()]{0,500}\.(?:py|pyx|ipynb)[^\n:()]{0,40})"
    r"(?::(?P<line>\d{1,9}))?,? in (?P<function>[\w.<>]+)\("
)
_PYTEST = re.compile(r"(?P<file>[\w./\\-]{1,500}\.py):(?P<line>\d{1,9}): (?P<function>.*)")
_RAISED = re.compile(
    r"(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*"
    r"(?:Error|Exception|Exit|Interrupt|Unsupported|Iteration|Warning|Violation|SymNode|Failure"
    r"|Timeout|NotFound|Invalid|Backend\w*Failed|UserError))(?:: ?(?P<message>.*))?$"
)
_CAUSES = (
    "The above exception was the direct cause of the following exception",
    "During handling of the above exception, another exception occurred",
)
_WRAPPED = re.compile(
    r"because of the following error(?: \(look up to see its traceback\))?:\s*(?P<message>.+)",
    re.DOTALL,
)
_MOST_FRAMES, _MOST_MESSAGE = 400, 60


def chains_in(lines: Sequence[Line]) -> tuple[Chain, ...]:
    """Return the chains of exceptions, each innermost cause first, in the order of the log."""
    found: list[list[Raised]] = []
    joins: dict[int | None, bool] = {}
    last: dict[int | None, list[Raised]] = {}
    for raised, is_joined in _raised_in(lines):
        chain = last.get(raised.rank)
        if is_joined and chain is not None:
            chain.append(raised)
        else:
            chain = [raised]
            found.append(chain)
        last[raised.rank] = chain
        joins.pop(raised.rank, None)
    return tuple(Chain(tuple(_with_wrapped(each))) for each in found)


def _with_wrapped(chain: list[Raised]) -> Iterator[Raised]:
    """Put in front of an exception the one that its message quotes."""
    for each in chain:
        found = _WRAPPED.search(each.message)
        if found is not None:
            inner = found["message"].strip()
            raised = _RAISED.match(inner.partition("\n")[0])
            kind = raised["type"] if raised else _kind_of(inner)
            message = (raised["message"] or "") if raised else inner
            if not any(other.message == message for other in chain):
                yield replace(each, type=kind, message=message)
        yield each


def _kind_of(message: str) -> str:
    if message.startswith("cannot import name"):
        return "ImportError"
    if message.startswith("No module named"):
        return "ModuleNotFoundError"
    return "Exception"


def _raised_in(lines: Sequence[Line]) -> Iterator[tuple[Raised, bool]]:
    """Yield each exception, and whether the one before it in its rank caused it."""
    joined: set[int | None] = set()
    index = 0
    while index < len(lines):
        text, rank = lines[index]
        if any(each in text for each in _CAUSES):
            joined.add(rank)
        elif _START in text:
            raised, index = _traceback(lines, index)
            if raised is not None:
                yield raised, raised.rank in joined
                joined.discard(raised.rank)
            continue
        else:
            raised, index = _single(lines, index)
            if raised is not None:
                yield raised, raised.rank in joined
                joined.discard(raised.rank)
            continue
        index += 1


def _traceback(lines: Sequence[Line], start: int) -> tuple[Raised | None, int]:
    """Read a traceback of one rank; lines of other ranks may stand between its own."""
    rank = lines[start].rank
    indent = len(lines[start].text) - len(lines[start].text.lstrip(" |+-"))
    frames: list[Frame] = []
    index = start + 1
    while index < len(lines):
        text, of = lines[index]
        index += 1
        if of != rank:
            if rank is None and of is not None:
                index -= 1
                break
            continue
        text = text[indent:] if not text[:indent].strip(" |") else text
        frame = _frame(text)
        if frame is not None:
            if len(frames) < _MOST_FRAMES:
                frames.append(frame)
            continue
        raised = _RAISED.match(text) or (_plain(text) if frames else None)
        if raised is not None and not text.startswith(" "):
            message, index = _message(raised["message"] or "", lines, index, rank, indent)
            return Raised(raised["type"], message, tuple(frames), rank, start + 1), index
        if _START in text:
            return None, index - 1
        if frames and text.strip() and text.startswith("    ") and not frames[-1].code:
            frames[-1] = replace(frames[-1], code=text.strip())
    return None, index


def _plain(text: str) -> re.Match[str] | None:
    """Return what follows the last frame where its type has none of the usual endings."""
    return re.match(r"(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (?P<message>.*))?$", text)


def _frame(text: str) -> Frame | None:
    found = _FRAME.match(text)
    if found is None:
        found = _IPYTHON.match(text.lstrip())
    if found is None:
        return None
    return Frame(found["file"], int(found["line"] or 0), (found["function"] or "").strip())


def _message(
    first: str, lines: Sequence[Line], index: int, rank: int | None, indent: int
) -> tuple[str, int]:
    """Return a message with the lines that continue it, and where it ends."""
    message = [first]
    while index < len(lines) and len(message) < _MOST_MESSAGE:
        text, of = lines[index]
        if of != rank:
            break
        text = text[indent:] if not text[:indent].strip(" |") else text
        if not text.strip() or _START in text or any(each in text for each in _CAUSES):
            break
        if _RAISED.match(text) or _frame(text) is not None:
            break
        message.append(text)
        index += 1
    return "\n".join(message).strip(), index


def _single(lines: Sequence[Line], index: int) -> tuple[Raised | None, int]:
    """Read an exception that stands alone, as in a log or below a traceback of pytest."""
    text, rank = lines[index]
    is_of_pytest = text.startswith("E  ")
    shown = without_level(text[1:].strip() if is_of_pytest else text.strip())
    raised = _RAISED.match(shown)
    if raised is None:
        return None, index + 1
    message, end = raised["message"] or "", index + 1
    if is_of_pytest:
        while end < len(lines) and lines[end].text.startswith("E  "):
            message += "\n" + lines[end].text[1:].strip()
            end += 1
        frames = tuple(_pytest_frames(lines, index, end))
        return Raised(raised["type"], message.strip(), frames, rank, index + 1), end
    message, end = _message(message, lines, end, rank, 0)
    return Raised(raised["type"], message, (), rank, index + 1), end


def _pytest_frames(lines: Sequence[Line], start: int, end: int) -> Iterator[Frame]:
    """Yield the places that pytest prints before and after the line of an exception."""
    for text, _ in [*lines[max(0, start - 200) : start], *lines[end : end + 3]]:
        found = _PYTEST.match(text.strip())
        if found is not None:
            yield Frame(found["file"], int(found["line"]), "")
