"""Makefiles: the commands of their recipes, with the values of make's variables.

What ``ifeq`` decides are branches of the recipe, as those of an ``if`` of the shell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import Branch, Parts
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.recipes import Reference, Values, commands_in_line, continued, joined
from rocmlint.formats.scripts.shell.wrappers import SHELLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Command

_ASSIGNMENT = re.compile(
    r"[ ]*(?P<words>(?:(?:export|override|private)[ ]+)*)(?P<name>[A-Za-z_.][\w.-]*)[ \t]*"
    r"(?P<operator>:{0,3}=|\?=|\+=|!=)[ \t]*"
)
_EXPORT = re.compile(r"[ ]*export(?P<names>(?:[ \t]+\w+)*)\s*\Z")
_RULE = re.compile(r"[^\s:=#][^:=#]*:{1,2}(?!=)")
_CONDITION = re.compile(r"[ ]*(ifn?eq|ifn?def|else|endif)\b")
_DEFINE = re.compile(r"[ ]*(?:(?:export|override)[ ]+)*define\b")
_COMMENT = re.compile(r"(?:\A|(?<=\s))#.*", re.DOTALL)
_BRACKETS = {"(": ")", "{": "}"}
_NAME = re.compile(r"[\w.-]+")

Line = tuple[Excerpt, tuple[Branch, ...]]


def parse(text: str) -> Parts:
    """Read a Makefile, lines ended by ``\\n``."""
    reader = _Makefile()
    reader.read(Excerpt.of(text))
    return Parts(commands=tuple(reader.commands()))


class _Makefile:
    """What the lines of a Makefile say, read from top to bottom."""

    def __init__(self) -> None:
        self.values = Values(_references)
        self.exported: set[str] = set()
        self.prefix = "\t"
        self.targets: set[str] = set()
        self.recipes: list[list[Line]] = []
        self.recipe: list[Line] | None = None
        self.branches: list[Branch] = []
        self.in_define = False

    def read(self, excerpt: Excerpt) -> None:
        for lines in continued(excerpt.lines()):
            first = lines[0].text
            if self.in_define:
                self.in_define = first.strip() != "endef"
            elif first.startswith(self.prefix) and self.recipe is not None:
                self.recipe.append((self._script(lines), tuple(self.branches)))
            else:
                self._take(_flat(lines))

    def commands(self) -> Iterator[Command]:
        """Yield the commands of all recipes, with the values that variables have at the end."""
        shell = self.values.resolved("SHELL")
        if shell is not None and shell.rpartition("/")[2].split(" ")[0] not in SHELLS:
            return
        everything = ".EXPORT_ALL_VARIABLES" in self.targets
        exported = {*self.values.written} if everything else self.exported
        variables = {name: self.values.resolved(name) for name in sorted(exported)}
        number = 0
        for recipe in filter(None, self.recipes):
            if ".ONESHELL" in self.targets:
                recipe = [(joined(line for line, _ in recipe), recipe[0][1])]  # noqa: PLW2901
            for line, branches in recipe:
                number += 1
                script = self.values.put_into(line)
                yield from commands_in_line(script, number, variables, branches)

    def _script(self, lines: list[Excerpt]) -> Excerpt:
        """Return a line of a recipe as the shell gets it: the sign before each is make's."""
        own = [
            line.part(1, len(line.text)) if line.text.startswith(self.prefix) else line
            for line in lines
        ]
        return joined(own) if len(own) > 1 else own[0]

    def _take(self, line: Excerpt) -> None:
        """Read a line that is none of a recipe."""
        text = line.text
        assignment = _ASSIGNMENT.match(text)
        if not text.strip():
            return
        if condition := _CONDITION.match(text):
            self._decide(condition[1], line)
        elif _DEFINE.match(text):
            self.in_define, self.recipe = True, None
        elif export := _EXPORT.match(text):
            self.exported.update(export["names"].split())
            self.recipe = None
        elif assignment is not None:
            self._assign(assignment, line)
            self.recipe = None
        else:
            self.recipe = None
            self._rule(line)

    def _decide(self, word: str, line: Excerpt) -> None:
        if word.startswith("if"):
            self.branches.append(Branch(line.span(), 0))
        elif self.branches:
            last = self.branches.pop()
            if word == "else":
                self.branches.append(Branch(last.block, last.arm + 1))

    def _assign(self, match: re.Match[str], line: Excerpt) -> None:
        name, operator, written = match["name"], match["operator"], self.values.written
        value: Excerpt | None = line.part(match.end(), len(line.text)).stripped()
        before = written.get(name)
        if operator == "!=" or (self.branches and name in written):
            value = None
        elif operator == "?=" and name in written:
            value = before
        elif operator == "+=" and name in written:
            value = None if before is None or value is None else joined([before, value], " ")
        written[name] = value
        if "export" in match["words"]:
            self.exported.add(name)
        if name == ".RECIPEPREFIX" and value is not None:
            self.prefix = value.text[:1] or "\t"

    def _rule(self, line: Excerpt) -> None:
        rule = _RULE.match(line.text)
        if rule is None:
            return
        rest = line.part(rule.end(), len(line.text))
        own = _ASSIGNMENT.match(rest.stripped().text)
        if own is not None:  # a value for this target only
            self.values.written[own["name"]] = None
            return
        self.targets.update(rule[0].rstrip(":").split())
        self.recipe = []
        self.recipes.append(self.recipe)
        behind = rest.text.find(";")
        if behind >= 0:
            self.recipe.append((rest.part(behind + 1, len(rest.text)), tuple(self.branches)))


def _flat(lines: list[Excerpt]) -> Excerpt:
    """Return a line of make's own without its comment: a backslash at an end is a blank."""
    *opening, last = lines
    whole = joined([*(line.part(0, len(line.text) - 1) for line in opening), last], " ")
    comment = _COMMENT.search(whole.text)
    return whole.part(0, comment.start()) if comment else whole


def _references(text: str) -> Iterator[Reference]:
    """Yield what make replaces: variables, calls such as ``$(shell …)``, ``$@``, ``$$``."""
    start = text.find("$")
    while start >= 0:
        sign = text[start + 1 : start + 2]
        end = start + 2
        if sign == "$":
            yield Reference(start, end, stands_for="$")
        elif sign in _BRACKETS:
            end = _closing(text, start + 1)
            inner = text[start + 2 : end - 1]
            yield Reference(start, end, name=inner if _NAME.fullmatch(inner) else "")
        elif sign and not sign.isspace():
            yield Reference(start, end)
        start = text.find("$", end)


def _closing(text: str, opening: int) -> int:
    """Return where what a bracket opens ends: at the end of the text where nothing closes it."""
    bracket = text[opening]
    depth = 0
    for position in range(opening, len(text)):
        if text[position] == bracket:
            depth += 1
        elif text[position] == _BRACKETS[bracket]:
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)
