"""Files that set variables: .env files, units of systemd, module files (Lua, Tcl), EasyBuild."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Parts, Setting, Word
from rocmlint.text.python_ast import syntax_tree
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DOTENV = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*"
    r"(?P<value>'[^'\n]*'|\"[^\"\n]*\"|[^\s#\n]*)",
    re.MULTILINE,
)
_ENVIRONMENT = re.compile(r"^[ \t]*Environment[ \t]*=(?P<all>(?:[^\\\n]|\\[\s\S])*)", re.MULTILINE)
_ASSIGNMENT = re.compile(
    r"(?P<quote>[\"']?)(?P<name>[A-Za-z_]\w*)=(?P<value>(?<=[\"']..)[^\"'\n]*|[^\s\"'\\]*)"
)
_LUA = re.compile(
    r"^[ \t]*(?:setenv|pushenv)[ \t]*\([ \t]*([\"'])(?P<name>[A-Za-z_]\w*)\1[ \t]*,[ \t]*"
    r"(?P<value>\"[^\"\n]*\"|'[^'\n]*')[ \t]*\)",
    re.MULTILINE,
)
_TCL = re.compile(
    r"^[ \t]*(?:setenv|pushenv)[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+"
    r"(?P<value>\"[^\"\n]*\"|\{[^{}\n]*\}|[^\s;\"{}]+)",
    re.MULTILINE,
)
_VARIABLES = ("modextravars",)
"""The parameters of EasyBuild that hold variables."""


class _Found(NamedTuple):
    """A variable, and from where to where it and its value are in the text."""

    name: str
    value: str
    start: int
    value_start: int
    end: int


def parse_dotenv(text: str) -> Parts:
    """Read a file of lines ``NAME=value``."""
    return _parts(text, (_found(each) for each in _DOTENV.finditer(text)))


def parse_service(text: str) -> Parts:
    """Read a unit of systemd: what its ``Environment=`` sets."""
    return _parts(
        text,
        (
            _found(each, line.start("all"))
            for line in _ENVIRONMENT.finditer(text)
            for each in _ASSIGNMENT.finditer(line["all"])
        ),
    )


def parse_lua(text: str) -> Parts:
    """Read a module file of Lmod: what it gives ``setenv`` and ``pushenv`` as plain text."""
    return _parts(text, (_found(each) for each in _LUA.finditer(text)))


def parse_tcl(text: str) -> Parts:
    """Read a module file in Tcl: what it gives ``setenv`` and ``pushenv`` as plain text."""
    found = map(_found, _TCL.finditer(text))
    return _parts(text, (each._replace(value=each.value.strip("{}")) for each in found))


def parse_easybuild(text: str) -> Parts:
    """Read an easyconfig: the variables that its module sets."""
    module = syntax_tree(text)
    body = [] if module is None else module.body
    lines = text.split("\n")
    settings = []
    for node in body:
        named = isinstance(node, ast.Assign) and any(
            isinstance(each, ast.Name) and each.id in _VARIABLES for each in node.targets
        )
        if named and isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if (name := _text(key)) and (said := _text(value)) is not None:
                    word = Word(said, _span_of(value, lines), quoted=True)
                    settings.append(Setting(name, word, word.span))
    return Parts(settings=tuple(settings))


def _text(node: ast.expr | None) -> str | None:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text and isinstance(node, ast.Constant) else None


def _span_of(node: ast.expr, lines: list[str]) -> Span:
    """Return the place of a node: Python counts bytes, a place counts characters."""
    last = node.end_lineno or node.lineno
    start = lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="replace")
    end = lines[last - 1].encode()[: node.end_col_offset].decode(errors="replace")
    return Span(node.lineno, len(start) + 1, last, len(end) + 1)


def _found(match: re.Match[str], offset: int = 0) -> _Found:
    start, end = (each + offset for each in match.span("value"))
    return _Found(match["name"], match["value"], match.start("name") + offset, start, end)


def _parts(text: str, found: Iterable[_Found]) -> Parts:
    return Parts(settings=tuple(_settings(text, found)))


def _settings(text: str, found: Iterable[_Found]) -> Iterator[Setting]:
    line, first, beginning = 1, 0, 0
    for each in found:
        line += text.count("\n", beginning, each.start)
        first = text.rfind("\n", beginning, each.start) + 1 or first
        beginning = each.start
        places = [each.start - first + 1, each.value_start - first + 1, each.end - first + 1]
        value = each.value.strip("\"'")
        span = Span(line, places[1], line, places[2])
        known = not any(sign in value for sign in "$%[")
        word = Word(value, span, known=known, quoted=value != each.value)
        yield Setting(each.name, word, Span(line, places[0], line, places[2]))
