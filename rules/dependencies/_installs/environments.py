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
_CONDAS = frozenset({"conda", "mamba", "micromamba"})
_SEES_OTHERS = "--system-site-packages"
"""With this option an environment has what the system's has, too."""
_PYTHONS = frozenset({"--python", "-p", "--prefix", "--name", "-n"})


@once_per_file
def _environment_of(command: Command, file: File) -> str:
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
    for each, activated in _activating(file):
        if each.span >= command.span:
            break
        if each.step.number == command.step.number:
            found = activated
    return found


def is_made_between(one: Command, two: Command, file: File) -> bool:
    """Return whether the environment of a command is made only behind an earlier one."""
    environment = _environment_of(two, file)
    if not environment or environment == _environment_of(one, file):
        return False
    between = (made for each, made in _making(file) if one.span < each.span < two.span)
    return any(environment in made for made in between)


@once_per_file
def _activating(file: File) -> list[tuple[Command, str]]:
    """Return the commands that change which environment is active, and to which one."""
    found = ((each, _activated(each)) for each in file.parts.commands)
    return [(each, activated) for each, activated in found if activated is not None]


@once_per_file
def _making(file: File) -> list[tuple[Command, set[str]]]:
    """Return the commands that may make environments."""
    return [(each, made) for each in file.parts.commands if (made := _made(each))]


def _made(command: Command) -> set[str]:
    """Return what may be the environment that a command makes: its words behind the program."""
    program, *words = [each.text for each in command.words]
    program = posixpath.basename(program)
    makes = program == "virtualenv" or "venv" in words[:2] or "virtualenv" in words[:2]
    if _SEES_OTHERS in words or not (makes or (program in _CONDAS and "create" in words)):
        return set()
    return {".venv", *map(_folder, words)}


def _activated(command: Command) -> str | None:
    words = [each.text for each in command.words]
    if words[0] in {"source", "."} and len(words) > 1 and (match := _ACTIVATE.match(words[1])):
        return _folder(match[1])
    if words[0] in _CONDAS and words[1:2] == ["activate"]:
        return words[-1] if len(words) > 2 else ""
    return "" if words == ["deactivate"] else None


def _folder(path: str) -> str:
    return posixpath.normpath(path) if path else ""
