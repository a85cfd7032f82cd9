"""Pins in the files of a project: requirements, package indexes and base images, with places."""

from __future__ import annotations

import json
import os
import re
from itertools import product
from typing import TYPE_CHECKING

from rocmlint.config.configuration import Configuration
from rocmlint.config.settings import Settings
from rocmlint.disk.read import read_small
from rocmlint.disk.state import data_of
from rocmlint.errors import ConfigError
from rocmlint.formats import format_of, parse
from rocmlint.formats.installs.install import install_of
from rocmlint.formats.packaging import conda
from rocmlint.lint.discovery.discover import discover
from rocmlint.project.inclusions import Listed, with_inclusions
from rocmlint.source.decoding import text_of
from rocmlint.stack.upgrade.pins import Obstacle, Pin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from rocmlint.formats.installs.install import Requested
    from rocmlint.formats.model import Command, Parts

_LOCKS = {
    "uv.lock": "uv lock",
    "poetry.lock": "poetry lock",
    "pdm.lock": "pdm lock",
    "Pipfile.lock": "pipenv lock",
}
"""Lock files, and the command that makes each."""
_LOCKED_TORCH = re.compile(r"""^name = "torch"\s*$|"torch": \{""", re.MULTILINE)


def read_project(paths: Sequence[str]) -> tuple[list[Pin], list[Obstacle]]:
    """Read the files below some paths: what they pin, and what of them could not be read.

    Files of requirements that they include count wherever they lie. Raises ConfigError for a path
    that is not there.
    """
    for path in paths:
        if not os.path.exists(path):
            message = f"{path or repr(path)}: no such file or directory"
            raise ConfigError(message)
    discovery = discover(paths, _settings_for())
    found = [each.path for each in discovery.files]
    unread = [_unread(*line.split(": ", 1)) for line in (*discovery.problems, *discovery.remarks)]
    unread += _locks({*paths, *map(os.path.dirname, found)})

    def read(path: str) -> str:
        try:
            return text_of(path, read_small(path))
        except (OSError, SyntaxError, ValueError) as error:
            if os.path.exists(path):
                why = getattr(error, "strerror", None) or str(error)
                unread.append(_unread(os.path.relpath(path), why))
            return ""

    own = (Listed(path, parse(path, read(path))) for path in found if format_of(path))
    listed = list(with_inclusions(own, read))
    looked_at = {os.path.normpath(each.path) for each in listed}
    pins = [pin for each in listed for pin in _pins(os.path.relpath(each.path), each.parts)]
    for each in listed:
        shown = os.path.relpath(each.path)
        unread += [_unread(f"{shown}:{one.line}", one.reason) for one in each.parts.problems]
        unread += _not_included(each, looked_at)
    return pins, unread


def _settings_for() -> Callable[[str], Settings]:
    configuration = Configuration()

    def settings_for(folder: str) -> Settings:
        try:
            return configuration.settings_for(folder)
        except ConfigError:  # the file is told of where it is read for its pins
            return Settings(root=folder)

    return settings_for


def _unread(where: str, reason: str = "") -> Obstacle:
    why = f"it cannot be read: {reason.removeprefix('cannot be read: ')}"
    return Obstacle(where, "", why, "fix it: its pins were not checked")


def _not_included(listed: Listed, looked_at: Collection[str]) -> Iterator[Obstacle]:
    """Yield notes on files that a file of requirements takes in and that were not looked at."""
    for each in listed.parts.inclusions:
        path = os.path.normpath(os.path.join(os.path.dirname(listed.path), each.path))
        where = f"{os.path.relpath(listed.path)}:{each.span.line}"
        if "://" in each.path:
            why, do = "was not checked", "check its pins by hand, or put them into a file"
        elif not os.path.exists(path):
            why, do = "was not found", "create that file, or remove the line"
        elif path not in looked_at:
            why, do = "was not checked", f"pass {path} too"
        else:
            continue
        yield Obstacle(where, "", f"it includes {each.path}, which {why}", do)


def _locks(folders: Iterable[str]) -> Iterator[Obstacle]:
    """Yield notes on lock files that have torch: they are made anew, and not by hand."""
    for folder, (name, command) in product(sorted(folders), _LOCKS.items()):
        path = os.path.join(folder, name)
        data = data_of(path)
        if data is not None and _LOCKED_TORCH.search(data.decode(errors="replace")):
            why = "it locks torch; its other versions were not checked"
            yield Obstacle(
                os.path.relpath(path), "", why, f"fix the other pins, then run {command}"
            )


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
    """Read what a command in a Dockerfile, a script or a workflow installs, with its indexes."""
    install = install_of(command)
    if install is None:
        return
    for index in install.indexes:
        yield Pin(path, index.word.span.line, index.url, "index")
    for each in install.requirements:
        for text in _as_conda(each) if install.tool == "conda" else _as_pip(each):
            yield Pin(path, each.word.span.line, text)


def _as_pip(requested: Requested) -> Iterator[str]:
    if requested.requirement is not None:
        yield str(requested.requirement)


def _as_conda(requested: Requested) -> Iterator[str]:
    """Read a word of conda's as a line of its environment file, which says the same."""
    if requested.word.known:
        document = f"dependencies: [{json.dumps(requested.word.text)}]"
        yield from (each.text for each in conda.parse(document).declared)
