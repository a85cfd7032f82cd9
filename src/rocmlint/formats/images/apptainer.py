"""Definition files of Apptainer and Singularity: what their sections run, and their images."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.formats.model import Command, Copied, Parts, Step, Word
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.recipes import Reference, Values, joined
from rocmlint.formats.scripts.shell.folders import entered
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.wrappers import SHELLS

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = re.compile(r"[ \t]*(?P<key>\w+)[ \t]*:[ \t]*")
_BOOTSTRAP = re.compile(r"^[ \t]*bootstrap[ \t]*:", re.IGNORECASE | re.MULTILINE)
_SECTION = re.compile(r"%(?P<name>[a-z]+)(?P<rest>[^\n]*)")
_SHELL = re.compile(r"-c[ \t]+(?P<program>\S+)")
_ASSIGNMENT = re.compile(r"[ \t]*(?P<name>\w+)[ \t]*=[ \t]*")
_REFERENCE = re.compile(r"\{\{[ \t]*(?P<name>\w+)[ \t]*\}\}")
_INSIDE = frozenset({"post", "appinstall", "runscript", "startscript", "test", "apprun", "apptest"})
"""The sections with a script that runs in the image; ``setup`` runs on the machine that builds."""
_FROM_IMAGES = frozenset({"docker", "oras", "docker-archive"})


@dataclass
class _Stage:
    name: str = ""
    bootstrap: str = ""
    image: Word | None = None
    copied: tuple[Copied, ...] = ()
    sections: list[tuple[str, str, list[Excerpt]]] = field(default_factory=list)
    """The name of each, what stands behind it, its lines."""


def parse(text: str) -> Parts:
    """Read a definition file, lines ended by ``\\n``.

    A file without ``Bootstrap:`` is another that ends in ``.def``, and has no parts.
    """
    if not _BOOTSTRAP.search(text):
        return Parts()
    values = Values(_references)
    stages = _stages(Excerpt.of(text), values)
    commands: list[Command] = []
    for stage in stages:
        commands += _commands(stage, len(commands), values)
    images = (stage.image for stage in stages)
    return Parts(commands=tuple(commands), images=tuple(each for each in images if each))


def _stages(excerpt: Excerpt, values: Values) -> list[_Stage]:
    stages: list[_Stage] = []
    section: list[Excerpt] | None = None
    for line in excerpt.lines():
        if opening := _SECTION.match(line.text):
            section = []
            if stages:
                stages[-1].sections.append((opening["name"], opening["rest"], section))
        elif (key := _HEADER.match(line.text)) and key["key"].lower() == "bootstrap":
            section = None
            stages.append(_Stage(bootstrap=line.text[key.end() :].strip().lower()))
        elif section is not None:
            section.append(line)
        elif key and stages:
            _head(stages[-1], key["key"].lower(), line.part(key.end(), len(line.text)).stripped())
    for stage in stages:
        for name, _, lines in stage.sections:
            if name == "arguments":
                for each in lines:
                    if argument := _ASSIGNMENT.match(each.text):
                        value = each.part(argument.end(), len(each.text)).stripped()
                        values.written[argument["name"]] = value
            elif name == "files":
                stage.copied += tuple(_copied(lines))
        if stage.image is not None:
            stage.image = _with_values(stage.image, values)
    return stages


def _head(stage: _Stage, key: str, value: Excerpt) -> None:
    if key == "stage":
        stage.name = value.text
    elif key == "from" and value.text and stage.bootstrap in _FROM_IMAGES:
        stage.image = Word(value.text, value.span())


def _with_values(image: Word, values: Values) -> Word:
    filled = values.put_into(Excerpt.of(image.text))
    return Word(filled.text, image.span, known=not filled.unknown)


def _copied(lines: list[Excerpt]) -> Iterator[Copied]:
    """Yield what ``%files`` brings in: a source, and where to; without that, to the same path."""
    for line in lines:
        words = line.text.split()
        if words and not words[0].startswith("#"):
            target = entered("/", words[-1])
            if target is not None:
                yield Copied((words[0],), target)


def _commands(stage: _Stage, before: int, values: Values) -> Iterator[Command]:
    variables: dict[str, str | None] = {}
    for number, (name, rest, lines) in enumerate(stage.sections, before + 1):
        shell = _SHELL.search(rest)
        if shell is not None and shell["program"].rpartition("/")[2] not in SHELLS:
            continue
        if not lines or (name not in _INSIDE and name != "setup"):
            continue
        inside = name in _INSIDE
        step = Step(
            number,
            stage.image if inside else None,
            stage.name if inside else "",
            copied=stage.copied if inside else None,
        )
        yield from commands_of(values.put_into(joined(lines)), variables, step)


def _references(text: str) -> Iterator[Reference]:
    """Yield the arguments of the build that stand in a text."""
    for match in _REFERENCE.finditer(text):
        yield Reference(*match.span(), name=match["name"])
