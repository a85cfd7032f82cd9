"""The lines of a log without colors, times and the prefixes of launchers; the rank stays known."""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_RANK = r"\[(?:default|rank|Rank )?(?P<rank>\d{1,6})\]:?(?:\[[^\]\n]{0,60}\]:?)?"
_PREFIXES = re.compile(
    r"\s{0,8}(?:"
    rf"{_RANK}\s?"
    r"|\((?:[\w.-]{1,60}[ _])?pid=\d{1,9}(?:, ip=[\d.]{1,40})?\)\s?"
    r"|\(EngineCore[\w ]{0,20}(?:pid=\d+)?\)\s?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\s?"
    r"|(?:INFO|WARN(?:ING)?|ERROR|CRITICAL|DEBUG|FATAL)[: ]\s?\d\d-\d\d \d\d:\d\d:\d\d\s?"
    r"|\[[\w./-]{1,80}:\d{1,6}\]\s?"
    r"|(?:stderr|stdout)[: ]\s?"
    r"|[\w.-]{1,60}-\d{1,4}\s{1,4}\|\s?"
    r")"
)
_LEVEL = re.compile(
    r"\s{0,8}(?:\[?(?:INFO|WARN(?:ING)?|ERROR|CRITICAL|DEBUG|FATAL)\]?)[:\s]\s?-?\s?"
)
_LONGEST = 4000
"""Characters of a line that are kept: a message that is longer says no more."""


class Line(NamedTuple):
    """A line as a program printed it, and the rank that did, where a launcher says so."""

    text: str
    rank: int | None


def clean(line: str) -> Line:
    """Take colors, controls and prefixes away."""
    line = line[: 2 * _LONGEST]
    if "\x1b" in line:
        line = _ESCAPE.sub("", line)
    line = _CONTROL.sub("", line.rpartition("\r")[2] or line)
    rank = None
    for _ in range(6):
        found = _PREFIXES.match(line)
        if found is None or not found[0].strip():
            break
        if found["rank"] is not None:
            rank = int(found["rank"])
        line = line[found.end() :]
    return Line(line[:_LONGEST].rstrip(), rank)


def without_level(text: str) -> str:
    """Take a level such as ``ERROR:`` away from the begin of a line."""
    return _LEVEL.sub("", text, count=1)
