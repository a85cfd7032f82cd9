"""Which Python environment a command installs into, as far as the file says."""

from __future__ import annotations

import posixpath
from itertools import pairwise
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

_ACTIVATE = compile_lazily(r"(.*?)/?(?:bin|Scripts)/activate(?:\.\w+)?\Z")
_PROGRAM = compile_lazily(r"(.+)/(?:bin|Scripts)/[^/]+\Z")
_SYSTEM = frozenset({"/usr", "/usr/local", ""})
_SOURCES = frozenset({"source", "."})
_PYTHONS = frozenset({"--python", "-p", "--prefix", "--name", "-n"})


@once_per_file
def environment_of(command: Command, file: File) -> str:
    """Return the folder or name of the environment of a command; "" for that of the system.

    That is the one whose program it calls, that an option names, or that the same shell has
    activated last.
    """
    words = command.words
    program = _PROGRAM.match(words[0].text)
    if program is not None:
        return "" if program[1] in _SYSTEM else _folder(program[1])
    for word, following in pairwise(words):
        if word.text in _PYTHONS:
            inside = _PROGRAM.match(following.text)
            return _folder(following.text if inside is None else inside[1])
    found = ""
    for each in file.parts.commands:
        if each.span >= command.span:
            break
        if each.step.number == command.step.number:
            found = _activated(each, found)
    return found


def _activated(command: Command, before: str) -> str:
    words = [each.text for each in command.words]
    if words[0] in _SOURCES and len(words) > 1 and (match := _ACTIVATE.match(words[1])):
        return _folder(match[1])
    if words[0] in {"conda", "mamba", "micromamba"} and words[1:2] == ["activate"]:
        return words[-1] if len(words) > 2 else ""
    return "" if words == ["deactivate"] else before


def _folder(path: str) -> str:
    return posixpath.normpath(path) if path else ""
