"""Which Python environment a command installs into, as far as the file says."""

from __future__ import annotations

import posixpath
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Branch
    from rocmlint.rule import Command, File, Word

_ACTIVATE = compile_lazily(r"(.*?)/?(?:bin|Scripts)/activate(?:\.\w+)?\Z")
_PROGRAM = compile_lazily(r"(.+)/(?:bin|Scripts)/[^/]+\Z")
_SYSTEM = frozenset({"/usr", "/usr/local", ""})
_SOURCES = frozenset({"source", "."})
_CONDAS = frozenset({"conda", "mamba", "micromamba"})
_MODULES = frozenset({"venv", "virtualenv"})
_SEES_OTHERS = "--system-site-packages"
"""With this option an environment has what the system's has, too."""
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
    for each in _activating(file):
        if each.span >= command.span:
            break
        if each.step.number == command.step.number:
            found = _activated(each, found)
    return found


class Place(NamedTuple):
    """Where a command runs: the image and its stage, the environment, and the innermost branch."""

    stage: str
    image: Word | None
    environment: str
    branch: Branch | None


def place_of(command: Command, file: File) -> Place:
    """Return where a command runs."""
    step, branches = command.step, command.branches
    branch = branches[-1] if branches else None
    return Place(step.stage, step.image, environment_of(command, file), branch)


def places_around(command: Command, file: File) -> Iterator[Place]:
    """Yield the places whose commands run wherever one does: those of the branches around it."""
    own = place_of(command, file)
    yield from (own._replace(branch=each) for each in (None, *command.branches))


@once_per_file
def commands_at(file: File) -> dict[Place, list[Command]]:
    """Return the commands of a file by the places where they run, in their order."""
    found: dict[Place, list[Command]] = {}
    for each in file.parts.commands:
        found.setdefault(place_of(each, file), []).append(each)
    return found


def before_in_place(command: Command, file: File) -> list[Command]:
    """Return what has run when a command does, and installs into the same environment."""
    places = places_around(command, file)
    found = (each for place in places for each in commands_at(file).get(place, ()))
    return sorted((each for each in found if each.span < command.span), key=lambda each: each.span)


def is_made_between(one: Command, two: Command, file: File) -> bool:
    """Return whether the environment of a command is made only behind an earlier one."""
    environment = environment_of(two, file)
    if not environment or environment == environment_of(one, file):
        return False
    between = (made for each, made in _making(file) if one.span < each.span < two.span)
    return any(environment in made for made in between)


@once_per_file
def _activating(file: File) -> list[Command]:
    """Return the commands that change which environment is active."""
    commands = file.parts.commands
    return [each for each in commands if _activated(each, "") == _activated(each, "other")]


@once_per_file
def _making(file: File) -> list[tuple[Command, set[str]]]:
    """Return the commands that may make environments."""
    return [(each, made) for each in file.parts.commands if (made := _made(each))]


def _made(command: Command) -> set[str]:
    """Return what may be the environment that a command makes: its words behind the program."""
    program, *words = [each.text for each in command.words]
    program = posixpath.basename(program)
    if _SEES_OTHERS in words:
        return set()
    if program == "uv" and words[:1] == ["venv"]:
        return {_folder(each) for each in words[1:] if not each.startswith("-")} or {".venv"}
    is_module = words[:1] == ["-m"] and words[1:2] and words[1] in _MODULES
    if is_module or program == "virtualenv" or (program in _CONDAS and "create" in words):
        return {_folder(each) for each in words}
    return set()


def _activated(command: Command, before: str) -> str:
    words = [each.text for each in command.words]
    if words[0] in _SOURCES and len(words) > 1 and (match := _ACTIVATE.match(words[1])):
        return _folder(match[1])
    if words[0] in _CONDAS and words[1:2] == ["activate"]:
        return words[-1] if len(words) > 2 else ""
    return "" if words == ["deactivate"] else before


def _folder(path: str) -> str:
    return posixpath.normpath(path) if path else ""
