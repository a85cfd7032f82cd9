"""Kinds of lines in a log: a frame, an exception, the begin of a traceback, a separator."""

from __future__ import annotations

import re
from typing import NamedTuple

from rocmlint.why.log.log_data import LogFrame

START = "Traceback (most recent call last)"
CAUSES = (
    "The above exception was the direct cause of the following exception",
    "During handling of the above exception, another exception occurred",
)
_PYTHON = re.compile(
    r"\s{0,200}File [\"'](?P<file>[^\"'\n]{1,1000})[\"'], line (?P<line>\d{1,9})"
    r"(?:, in (?P<function>.{1,300}))?"
)
_IPYTHON = re.compile(
    r"\s{0,8}(?:File )?(?P<file>(?:[~/.\w]|[A-Za-z]:\\)[^\n:()]{0,500}\.(?:py|pyx|ipynb)"
    r"|<ipython-input-[\w-]{1,80}>)"
    r"(?::(?P<line>\d{1,9}))?,? in (?P<function>[\w.<>]{1,200})(?:\(|$)"
)
_CELL = re.compile(
    r"\s{0,8}(?:Input |Cell )(?P<file>In ?\[\d{1,6}\])(?:, (?:in )?(?:line )?|:)?"
    r"(?P<line>\d{1,9})?"
)
_RICH = re.compile(
    r"(?P<file>[/~.\w][^\n:]{0,500}\.py):(?P<line>\d{1,9}) in (?P<function>\S{1,200})"
)
_PYTEST = re.compile(
    r"(?P<file>[\w./\\~-]{1,500}\.py):(?P<line>\d{1,9}): ?(?P<function>in \S{1,200}|[\w.]{0,200})$"
)
_ARROW = re.compile(r"-{1,8}> ?(?P<line>\d{1,9})\s(?P<code>.*)")
_ENDINGS = (
    "Error|Exception|Exit|Interrupt|Unsupported|Iteration|Warning|Violation|SymNode|Failure|Timeout"
    r"|NotFound|Invalid|Backend\w{0,40}Failed|Expired|ExceptionGroup|Group|Refused|Fault|Died"
)
_NAME = r"(?:[A-Za-z_]\w{0,120}\.){0,12}"
_RAISED = re.compile(
    rf"(?P<type>{_NAME}(?:[A-Za-z_]\w{{0,120}}?)?(?:{_ENDINGS})(?:\([\w.]{{1,200}}\))?)"
    r"(?:: ?(?P<message>.*))?$"
)
_PLAIN = re.compile(
    r"(?P<type>(?:[A-Za-z_][\w<>]{0,120}\.){1,12}[A-Za-z_]\w{0,120}|[A-Z]\w{0,120})"
    r"(?:: (?P<message>.*))?$"
)
_IN_PROSE = re.compile(
    r"(?<![\w.@/-])(?P<type>(?:(?:[A-Za-z_]\w{0,120}\.){1,12}(?:[A-Z]\w{0,80}?)?|[A-Z]\w{0,80}?)"
    r"(?:Error|Exception|Unsupported|SymNode)): (?P<message>\S.*)"
)
_LEVELS = re.compile(
    r"\s{0,8}(?:\[?(?:TRACE|INFO|WARN(?:ING)?|ERROR|CRITICAL|DEBUG|FATAL)\]?|error|E)[:\s]\s?-?\s?"
)
_NOT_TYPES = frozenset(
    {"INFO", "WARN", "WARNING", "ERROR", "CRITICAL", "DEBUG", "FATAL", "TRACE", "NOTE", "Hint"}
)
_GROUP_BARS = re.compile(r"\s{0,60}(?:\+ (?=Exception Group Traceback)|\| ?)")
_GROUP_RULE = re.compile(r"\s{0,60}\+(?:-\+)?-{4,}(?: (?P<number>\d{1,6}|\.\.\.) -{4,})?\s*$")
_BOX = re.compile(r"\s{0,20}[│┃|] ?(?P<text>.*?)\s*[│┃|]?$")
_PROGRESS = re.compile(r"\s{0,8}(?:\S.{0,100}?: {0,4})?\d{1,3}%\|")
_CPLUSPLUS = re.compile(r"terminate called after throwing an instance of '(?P<type>[^'\n]{1,200})'")
_WHAT = re.compile(r"\s{0,8}what\(\):\s{0,4}(?P<message>.*)")


class ExceptionLine(NamedTuple):
    """The type and the first line of the message of an exception."""

    type: str
    message: str


def frame_in(text: str) -> LogFrame | None:
    """Return the frame that a line of a traceback shows: of Python, IPython, a cell or rich."""
    if "ile " in text or " in " in text or "In" in text:
        found = _PYTHON.match(text) or _IPYTHON.match(text) or _CELL.match(text)
        found = found or _RICH.match(text.lstrip())
        if found is not None:
            function = found.groupdict().get("function") or ""
            return LogFrame(found["file"], int(found["line"] or 0), function.strip())
    return None


def pytest_frame(text: str) -> LogFrame | None:
    """Return the place that pytest prints below the code of a function: ``path.py:12: Error``."""
    found = _PYTEST.match(text.strip()) if ".py:" in text else None
    return None if found is None else LogFrame(found["file"], int(found["line"]))


def arrow_in(text: str) -> tuple[int, str] | None:
    """Return the line and the code behind IPython's arrow."""
    found = _ARROW.match(text.lstrip()) if "> " in text else None
    return None if found is None else (int(found["line"]), found["code"].strip())


def raised_in(text: str) -> ExceptionLine | None:
    """Return the exception that a line begins with, by the usual endings of types."""
    found = _RAISED.match(text)
    return None if found is None else ExceptionLine(found["type"], found["message"] or "")


def raised_after_frames(text: str) -> ExceptionLine | None:
    """Return the exception below the last frame, whatever its type is called."""
    found = _RAISED.match(text) or _PLAIN.match(text)
    if found is None or found["type"] in _NOT_TYPES:
        return None
    return ExceptionLine(found["type"], found["message"] or "")


def raised_in_prose(text: str) -> ExceptionLine | None:
    """Return an exception in the middle of a line, without the quotes of Markdown."""
    found = _IN_PROSE.search(text) if ": " in text else None
    if found is None:
        return None
    message = found["message"]
    before = text[: found.start()].rstrip(" ")[-1:]
    if before and before in "`'\"" and before in message:
        message = message[: message.rindex(before)]
    return ExceptionLine(found["type"], message)


def ends_message(text: str) -> bool:
    """Return whether a line belongs to no message: a progress bar, or the end of pip's quote."""
    return text.startswith("[end of output]") or _PROGRESS.match(text) is not None


def without_level(text: str) -> str:
    """Take a level such as ``ERROR:`` away from the begin of a line."""
    found = _LEVELS.match(text)
    return text if found is None else text[found.end() :]


def without_bars(text: str) -> str:
    """Take away what draws the tree of an exception group."""
    found = _GROUP_BARS.match(text)
    return text if found is None else text[found.end() :]


def group_rule(text: str) -> str | None:
    """Return the number between two exceptions of a group, "" at its end; None for other lines."""
    found = _GROUP_RULE.match(text) if "+-" in text else None
    return None if found is None else found["number"] or ""


def without_box(text: str) -> str:
    """Take away the box that rich draws around a traceback."""
    if text.lstrip()[:1] not in {"│", "┃"}:
        return text
    found = _BOX.match(text)
    return found["text"] if found is not None else text


def thrown_in(text: str) -> str:
    """Return the type of an exception of C++ that ended the program; else empty."""
    found = _CPLUSPLUS.search(text) if "terminate called" in text else None
    return "" if found is None else found["type"]


def what_in(text: str) -> str | None:
    """Return the message of an exception of C++."""
    found = _WHAT.match(text) if "what()" in text else None
    return None if found is None else found["message"]
