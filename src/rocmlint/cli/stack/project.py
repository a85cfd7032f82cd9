"""What the files of a project pin: requirements, package indexes and base images, with places."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

from rocmlint.config import Configuration, Settings
from rocmlint.errors import ConfigError
from rocmlint.lint.discover import discover
from rocmlint.lint.formats import format_of, parse
from rocmlint.stack.pins import Obstacle, Pin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rocmlint.lint.parts import Command, Parts, Word

_LARGEST = 10_000_000
"""Bytes; a list of requirements that is larger was not written by a person."""
_LOCKS = {
    "uv.lock": "uv lock",
    "poetry.lock": "poetry lock",
    "pdm.lock": "pdm lock",
    "Pipfile.lock": "pipenv lock",
}
"""Lock files, and the command that makes each."""
_LOCKED_TORCH = re.compile(r"""^name = "torch"\s*$|"torch": \{""", re.MULTILINE)
_PIP = re.compile(r"(?:.*/)?(?:pip|uv)[\d.]*")
_TAKE_A_VALUE = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links")


def read_project(paths: Sequence[str]) -> tuple[list[Pin], list[Obstacle]]:
    """Read the files below some paths: what they pin, and what of them could not be read.

    Raises ConfigError for a path that is not there.
    """
    for path in paths:
        if not os.path.exists(path):
            message = f"{path or repr(path)}: no such file or folder"
            raise ConfigError(message)
    configuration = Configuration()

    def settings_for(folder: str) -> Settings:
        try:
            return configuration.settings_for(folder)
        except ConfigError:  # the file is told of below, where it is read for its pins
            return Settings(root=folder)

    discovery = discover(paths, settings_for)
    pins: list[Pin] = []
    told = (*discovery.problems, *discovery.notes)
    unread = [_unread(*problem.split(": ", 1)) for problem in told]
    unread += _locks({*paths, *(os.path.dirname(each.path) for each in discovery.files)})
    read = {os.path.realpath(each.path) for each in discovery.files}
    for found in discovery.files:
        if format_of(found.path) is None:
            continue
        shown = os.path.relpath(found.path)
        try:
            parts = parse(found.path, _text(found.path))
        except (OSError, ValueError) as error:
            unread.append(_unread(shown, getattr(error, "strerror", None) or str(error)))
            continue
        pins += _pins(shown, parts)
        unread += [_unread(f"{shown}:{problem.line}", problem.reason) for problem in parts.problems]
        unread += _not_included(shown, parts, read)
    return pins, unread


def _text(path: str) -> str:
    """Read a file. Raises OSError, and ValueError for one that is too large or no UTF-8."""
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        message = f"larger than {_LARGEST:,} bytes"
        raise ValueError(message)
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _unread(where: str, reason: str = "") -> Obstacle:
    why = f"it cannot be read: {reason.removeprefix('cannot be read: ')}"
    return Obstacle(where, "", why, "repair it: what it pins was not looked at")


def _not_included(path: str, parts: Parts, read: Collection[str]) -> Iterator[Obstacle]:
    """Tell of files that a file of requirements takes in and that were not looked at."""
    for each in parts.inclusions:
        included = os.path.join(os.path.dirname(path), each.path)
        if os.path.realpath(included) not in read:
            here = os.path.isfile(included)
            why = f"it includes {each.path}, which {'was not looked at' if here else 'is not here'}"
            do = f"name {included} too" if here else "write that file, or take the line out"
            yield Obstacle(f"{path}:{each.span.line}", "", why, do)


def _locks(folders: Iterable[str]) -> Iterator[Obstacle]:
    """Tell of lock files that have torch: they are made anew, and not by hand."""
    for folder, (name, command) in product(sorted(folders), _LOCKS.items()):
        path = os.path.relpath(os.path.join(folder, name))
        with suppress(OSError, ValueError):
            if _LOCKED_TORCH.search(_text(path)):
                why = "it locks a torch, and what else it locks was not looked at"
                yield Obstacle(path, "", why, f"mend the other pins, then {command}")


def _pins(path: str, parts: Parts) -> Iterator[Pin]:
    for declared in parts.declared:
        yield Pin(path, declared.span.line, declared.text)
    for index in parts.indexes:
        yield Pin(path, index.span.line, index.url, "index")
    for image in parts.images:
        if image.known:
            yield Pin(path, image.span.line, image.text, "image")
    for command in parts.commands:
        yield from _installed(path, command)


def _installed(path: str, command: Command) -> Iterator[Pin]:
    """Read what ``pip install`` in a Dockerfile, a script or a workflow names, with its indexes."""
    words = [each.text for each in command.words]
    if "install" not in words or not any(map(_PIP.fullmatch, words[: words.index("install")])):
        return
    before = ""
    for word in command.words[words.index("install") + 1 :]:
        flag, _, value = word.text.partition("=")
        if before in _TAKE_A_VALUE or (flag in _TAKE_A_VALUE and value):
            yield Pin(path, word.span.line, value or word.text, "index")
        elif word.known and _is_requirement(word):
            yield Pin(path, word.span.line, word.text)
        before = word.text


def _is_requirement(word: Word) -> bool:
    if word.text.startswith("-"):
        return False
    with suppress(InvalidRequirement):
        return bool(Requirement(word.text).specifier)
    return False
