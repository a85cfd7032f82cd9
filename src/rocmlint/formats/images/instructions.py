"""The instructions of a Dockerfile: continued lines joined, comments left out, heredocs apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPE = re.compile(r"\A(?:\s*#[^\n]*\n)*?\s*#\s*escape\s*=\s*([\\`])\s*$", re.MULTILINE)
_COMMENT = re.compile(r"\s*#")
_NAME = re.compile(r"\s*([A-Za-z]+)(?:\s+|\Z)")
_HEREDOC = re.compile(r"<<(-?)\s*([\"']?)([A-Za-z_][\w.]*)\2")
_FLAG = re.compile(r"--[a-z][a-z-]*(?:=(?:\"[^\"]*\"|\S)*)?(?:\s+|\Z)")
_WITH_HEREDOCS = frozenset({"RUN", "COPY", "ADD"})


@dataclass(frozen=True)
class Heredoc:
    """A text that follows an instruction, and its mark (``EOF``)."""

    mark: str
    body: Excerpt


@dataclass(frozen=True)
class Instruction:
    """An instruction: its name in capitals, its flags, and what stands behind those."""

    name: str
    written: Excerpt
    """The name as it is written."""
    arguments: Excerpt
    flags: tuple[str, ...] = ()
    """As they are written: ``--from=build``."""
    heredocs: tuple[Heredoc, ...] = ()
    with_heredocs: Excerpt | None = None
    """The arguments and all behind them, as a shell would get it; None without heredocs."""


def instructions(excerpt: Excerpt) -> Iterator[Instruction]:
    """Yield the instructions in order. A first word that is not a word has the name ""."""
    directive = _ESCAPE.match(excerpt.text)
    escape = re.compile(re.escape(directive[1] if directive else "\\") + r"[ \t]*\Z")
    lines = list(_lines(excerpt))
    lines.reverse()
    while lines:
        pieces: list[Excerpt] = []
        while lines:
            line = lines.pop()
            if _COMMENT.match(line.text) or not line.text.strip():
                if pieces:
                    continue
                break
            more = escape.search(line.text)
            pieces.append(line.part(0, more.start()) if more else line)
            if more is None:
                break
        if pieces:
            yield _instruction(Excerpt.joined(excerpt.file, pieces), lines, excerpt)


def _lines(excerpt: Excerpt) -> Iterator[Excerpt]:
    start = 0
    for written in excerpt.text.split("\n"):
        yield excerpt.part(start, start + len(written))
        start += len(written) + 1


def _instruction(whole: Excerpt, lines: list[Excerpt], excerpt: Excerpt) -> Instruction:
    match = _NAME.match(whole.text)
    if match is None:
        return Instruction("", whole, whole)
    name, start = match[1].upper(), match.end()
    written = whole.part(*match.span(1))
    if name == "ONBUILD":
        return _instruction(whole.part(start, len(whole.text)), lines, excerpt)
    flags: list[str] = []
    while flag := _FLAG.match(whole.text, start):
        flags.append(flag[0].rstrip())
        start = flag.end()
    end = len(whole.text.rstrip())
    arguments = whole.part(start, max(end, start))
    marks = list(_HEREDOC.finditer(arguments.text)) if name in _WITH_HEREDOCS else []
    if not marks:
        return Instruction(name, written, arguments, tuple(flags))
    before = list(lines)
    heredocs = [_heredoc(mark, lines, excerpt) for mark in marks]
    taken = before[len(lines) :]
    script = _with_ends([arguments, *reversed(taken)], excerpt)
    return Instruction(name, written, arguments, tuple(flags), tuple(heredocs), script)


def _with_ends(lines: list[Excerpt], excerpt: Excerpt) -> Excerpt:
    """Join lines, each with its end, which stands where the line ends: places only grow."""
    pieces: list[Excerpt] = []
    end = next((line.starts[0] for line in lines if line.starts), 0)
    for line in lines:
        end = line.ends[-1] if line.ends else end
        pieces += [line, Excerpt.standing_for(excerpt.file, "\n", end, end)]
    return Excerpt.joined(excerpt.file, pieces)


def _heredoc(mark: re.Match[str], lines: list[Excerpt], excerpt: Excerpt) -> Heredoc:
    """Take the lines of a heredoc away."""
    body: list[Excerpt] = []
    while lines:
        line = lines.pop()
        if (line.text.lstrip("\t") if mark[1] else line.text) == mark[3]:
            break
        body.append(line)
    return Heredoc(mark[3], _with_ends(body, excerpt))
