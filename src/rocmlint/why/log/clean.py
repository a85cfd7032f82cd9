"""The lines of a log without colors, secrets, times and the prefixes of launchers.

The source of each line is kept: a rank, a process or a container. Each has tracebacks of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.secrets import without_credentials, without_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE)"
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_DATE = r"(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[-/]\d\d[-/]\d{4}|\d\d[-/]\d\d)"
_SOURCES = re.compile(
    r"\s{0,8}(?P<source>"
    r"\[(?:default|[Rr]ank[ :=]{0,2})(?P<rank>\d{1,6})\]:?(?:\[[^\]\n]{0,60}\]:?)?"
    r"|\[(?P<bare>\d{1,6})\]:"
    r"|\[\d{1,9},(?P<mpi>\d{1,6})\]<std(?:err|out)>:"
    r"|\((?:[\w.:-]{1,60}[ ,]\s?){0,4}pid=\d{1,9}(?:, ?[\w.:= -]{1,60}){0,3}\)"
    r"|\(EngineCore[\w ]{0,20}\)"
    r"|[\w.-]{1,60}[-_]\d{1,4}\s{1,60}\|"
    r"|\[pod/[\w./-]{1,250}\]"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d [\w.-]{1,80} [\w./@-]{1,80}\[\d{1,9}\]:"
    r")\s?"
)
_RECORD = re.compile(
    r"\s{0,8}(?:"
    rf"\[?{_DATE}[T ]{_TIME}\]?(?:\s?[-|:>])?"
    rf"|\[?{_TIME}\]?(?:\s?[-|])?"
    rf"|{_LEVEL}[: ]\s?{_DATE} {_TIME}"
    rf"|\[{_LEVEL}(?:\|[\w.:-]{{1,100}})?\](?:\s?-)?"
    rf"|{_LEVEL}\s{{0,8}}[-|](?!-)"
    rf"|[\w.]{{1,120}} - {_LEVEL} -"
    r"|\[?[IWEFCDV]\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?\s{1,4}(?:\d{1,9} )?[\w./:-]{1,200}\]"
    r"|\[?[\w./<>-]{1,120}:\d{1,6}(?::[\w.<>]{1,80})?\]"
    r"|[\w.]{1,120}:[\w.<>]{1,80}:\d{1,6} -"
    r"|std(?:err|out)(?::| [FP](?= |$)|(?= ))"
    r"|#\d{1,4} \d{1,6}\.\d{1,3}(?= )"
    r"|\d{1,6}\.\d{3}(?= )"
    r"|##\[error\]"
    r"|[\w ./()-]{1,100}\t[\w ./()-]{1,100}\t\ufeff?(?=\d{4}-)"
    r"|(?:> ?){0,4}>"
    r")\s?"
)
_LEVEL_ALONE = re.compile(rf"{_LEVEL}\s{{1,8}}(?=\S)")
"""A level without a colon, as behind a time. With one it may be pip's "ERROR:", which stays."""
_NAMED = re.compile(
    r"(?P<name>\d{1,6}|[\w.-]{0,60}\d[\w.-]{0,60}): {1,2}(?:Traceback \(|  File \")"
)
_PREFIXES = 8
_LONGEST = 4000
"""Characters of a line that are kept: a message that is longer says no more."""


class LogLine(NamedTuple):
    """A line as a program printed it. ``source`` is the process that printed it, "" if unknown."""

    text: str
    source: str = ""
    rank: int | None = None
    is_record: bool = False
    """Whether a logger wrote it, with a time or a level."""


def cleaned(lines: Iterable[str]) -> list[LogLine]:
    """Take colors, controls, prefixes and secrets from all lines of a log."""
    plain = [_without_controls(each) for each in lines]
    named = {found["name"] for found in map(_NAMED.match, plain) if found is not None}
    return [_without_prefixes(each, named) for each in plain]


def _without_controls(line: str) -> str:
    line = line.rstrip("\r")
    line = line[line.rfind("\r") + 1 :][: 2 * _LONGEST]
    if "\x1b" in line:
        line = _ESCAPE.sub("", line)
    return line if line.isprintable() else _CONTROL.sub("", line)


def _without_prefixes(line: str, named: set[str]) -> LogLine:
    """Take all prefixes from a line; ``named`` are those of ``srun --label``."""
    sources: list[str] = []
    rank = None
    is_record = False
    at = 0
    if named:
        name, colon, _ = line[:64].partition(": ")
        if colon and name in named:
            rank = int(name) if name.isdecimal() else None
            sources.append(name)
            at = len(name) + len(colon)
    for _ in range(_PREFIXES):
        found = _SOURCES.match(line, at)
        if found is not None:
            number = found["rank"] or found["bare"] or found["mpi"]
            rank = rank if number is None else int(number)
            sources.append(f"rank {number}" if number else found["source"])
        else:
            found = _RECORD.match(line, at) or (_LEVEL_ALONE.match(line, at) if at else None)
            is_record = is_record or found is not None
        if found is None:
            break
        at = found.end()
    text = without_tokens(without_credentials(line[at:]))[:_LONGEST].rstrip()
    return LogLine(text, " ".join(sources), rank, is_record)
