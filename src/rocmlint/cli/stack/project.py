"""What the files of a project pin: requirements, package indexes and base images, with places."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

from rocmlint.config import Configuration, Settings
from rocmlint.errors import ConfigError
from rocmlint.lint.discover import discover
from rocmlint.lint.formats import format_of, parse
from rocmlint.stack.pins import Obstacle, Pin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.lint.parts import Command, Parts, Word

_LARGEST = 10_000_000
"""Bytes; a list of requirements that is larger was not written by a person."""
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
    unread = [_unread(*problem.split(": ", 1)) for problem in discovery.problems]
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
