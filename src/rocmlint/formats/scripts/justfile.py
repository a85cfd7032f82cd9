"""Justfiles: the commands of their recipes, with the values of just's variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import is_shell_script
from rocmlint.formats.model import Parts, Step
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.recipes import Reference, Values, commands_in_line, continued, joined
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.wrappers import SHELLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Command

_ASSIGNMENT = re.compile(r"(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][\w-]*)[ \t]*:=[ \t]*")
_STRING = re.compile(
    r"(?P<quote>[\"'])(?P<text>(?:(?!(?P=quote))[^\\\n])*)(?P=quote)[ \t]*(?:#.*)?"
)
_SHELL = re.compile(r"set[ \t]+shell[ \t]*:=[ \t]*\[[ \t]*[\"']([^\"']*)")
_RECIPE = re.compile(r"@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>[^:]*):(?!=)")
_PARAMETER = re.compile(r"(?<![\w-])[A-Za-z_][\w-]*")
_REFERENCE = re.compile(r"(?P<escaped>\{\{\{\{)|\{\{(?:[ \t]*(?P<name>[A-Za-z_][\w-]*)[ \t]*\}\}|)")


def parse(text: str) -> Parts:
    """Read a justfile, lines ended by ``\\n``."""
    reader = _Justfile()
    reader.read(Excerpt.of(text))
    return Parts(commands=tuple(reader.commands()))


class _Justfile:
    """What the lines of a justfile say, read from top to bottom."""

    def __init__(self) -> None:
        self.values = Values(_references)
        self.exported: set[str] = set()
        self.shell = "sh"
        self.recipes: list[tuple[frozenset[str], list[Excerpt]]] = []

    def read(self, excerpt: Excerpt) -> None:
        for line in excerpt.lines():
            text = line.text
            if text[:1] in (" ", "\t"):
                if self.recipes:
                    self.recipes[-1][1].append(line)
            elif shell := _SHELL.match(text):
                self.shell = shell[1]
            elif assignment := _ASSIGNMENT.match(text):
                self._assign(assignment, line)
            elif recipe := _RECIPE.match(text):
                self.recipes.append((frozenset(_PARAMETER.findall(recipe["parameters"])), []))

    def _assign(self, match: re.Match[str], line: Excerpt) -> None:
        string = _STRING.fullmatch(line.text, match.end())
        value = None if string is None else line.part(*string.span("text"))
        self.values.written[match["name"]] = value
        if match["export"]:
            self.exported.add(match["name"])

    def commands(self) -> Iterator[Command]:
        """Yield the commands of all recipes: a line each, or all lines behind a ``#!``."""
        variables = {name: self.values.resolved(name) for name in sorted(self.exported)}
        number = 0
        for parameters, lines in self.recipes:
            values = Values(_references)
            values.written = {**self.values.written, **dict.fromkeys(parameters)}
            if lines and lines[0].text.strip().startswith("#!"):
                number += 1
                script = values.put_into(joined(lines))
                if is_shell_script(script.text.lstrip()):
                    yield from commands_of(script, variables, Step(number))
            elif self.shell.rpartition("/")[2] in SHELLS:
                for each in continued(lines):
                    number += 1
                    line = values.put_into(joined(each))
                    yield from commands_in_line(line, number, variables)


def _references(text: str) -> Iterator[Reference]:
    """Yield what just replaces: ``{{name}}``, other expressions, and ``{{{{`` for two braces."""
    for match in _REFERENCE.finditer(text):
        if match["escaped"]:
            yield Reference(*match.span(), stands_for="{{")
        elif match["name"]:
            yield Reference(*match.span(), name=match["name"])
        else:
            end = text.find("}}", match.end())
            yield Reference(match.start(), len(text) if end < 0 else end + 2)
