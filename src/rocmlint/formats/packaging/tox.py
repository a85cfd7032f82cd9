"""tox.ini: what its environments depend on and run."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.formats.model import Command, Index, Parts, Step
from rocmlint.formats.packaging import requirements
from rocmlint.formats.readers import ini
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.word_list import commands_in, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FACTOR = re.compile(r"(?P<factors>[!\w.{},-]+):(?=\s)\s*")
"""Which environments a line is for: ``py310,!rocm: torch``."""
_SUBSTITUTION = re.compile(r"\{(?:[\w/:.\-= \[\]>]*)\}")
_COMMANDS = frozenset({"commands", "commands_pre", "commands_post"})
_VARIABLES = frozenset({"setenv", "set_env"})
_INDEXES = {"PIP_INDEX_URL": False, "PIP_EXTRA_INDEX_URL": True, "PIP_FIND_LINKS": True}
_ASSIGNMENT = re.compile(r"(?P<name>\w+)\s*=\s*")

Variables = dict[str, dict[str, "str | None"]]


def parse(text: str) -> Parts:
    """Read a tox.ini, lines ended by ``\\n``."""
    problem = ini.invalid(text, "tox.ini")
    if problem is not None:
        return Parts(problems=(problem,))
    lines = [each._replace(key=_key(each)) for each in ini.lines(Excerpt.of(text))]
    parts = [_dependency(each) for each in lines if each.key == "deps"]
    variables, indexes = _variables(each for each in lines if each.key in _VARIABLES)
    return Parts(
        commands=tuple(_commands([each for each in lines if each.key in _COMMANDS], variables)),
        declared=tuple(each for part in parts for each in part.declared),
        indexes=tuple(
            sorted(
                [*indexes, *(each for part in parts for each in part.indexes)],
                key=lambda each: each.span,
            )
        ),
        inclusions=tuple(each for part in parts for each in part.inclusions),
        problems=tuple(each for part in parts for each in part.problems),
    )


def _key(line: ini.Line) -> str:
    return line.key.replace("-", "_")


def _for(line: ini.Line) -> tuple[str, Excerpt]:
    """Return the environments that a line is for, and what it says."""
    factors = _FACTOR.match(line.text.text)
    if factors is None:
        return line.section, line.text
    return f"{line.section} {factors['factors']}", line.text.part(
        factors.end(), len(line.text.text)
    )


def _dependency(line: ini.Line) -> Parts:
    """Read a line of ``deps``, which is one of a requirements file."""
    group, text = _for(line)
    if _SUBSTITUTION.search(text.text):
        return Parts()
    found = requirements.read(text)
    return replace(found, declared=tuple(replace(each, group=group) for each in found.declared))


def _variables(lines: Iterable[ini.Line]) -> tuple[Variables, list[Index]]:
    """Return the variables of each section, and the package indexes among them."""
    found: Variables = {}
    indexes: list[Index] = []
    for line in lines:
        group, text = _for(line)
        match = _ASSIGNMENT.match(text.text)
        if match is None:
            continue
        value = text.part(match.end(), len(text.text)).with_unknown(_SUBSTITUTION)
        known = group == line.section and not value.unknown
        found.setdefault(line.section, {})[match["name"]] = value.text if known else None
        if match["name"] in _INDEXES and value.text and not value.unknown:
            indexes.append(Index(value.text, value.span(), _INDEXES[match["name"]]))
    return found, indexes


def _commands(lines: list[ini.Line], variables: Variables) -> Iterator[Command]:
    """Yield what the environments run; no shell reads it."""
    waiting: list[Excerpt] = []
    for number, line in enumerate(lines):
        text = line.text
        if text.text.endswith("\\"):
            waiting.append(text.part(0, len(text.text) - 1))
            continue
        whole = Excerpt.joined(text.file, _with_blanks([*waiting, text]))
        waiting = []
        _, command = _for(line._replace(text=whole))
        signs = len(command.text) - len(command.text.lstrip("-! "))
        items = split(command.part(signs, len(command.text)).with_unknown(_SUBSTITUTION))
        if items:
            own = {**variables.get("testenv", {}), **variables.get(line.section, {})}
            yield from commands_in(items, items[0].word.span, own, Step(number))


def _with_blanks(lines: list[Excerpt]) -> Iterator[Excerpt]:
    for line in lines:
        yield line
        if line is not lines[-1] and line.ends:
            yield Excerpt.standing_for(line.file, " ", line.ends[-1], line.ends[-1])
