"""Batch files of Windows' cmd: the plain commands that they run, with variables set once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import Parts
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.recipes import Reference, Values
from rocmlint.formats.scripts.windows import Reader, Shell, value_of, words_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"(?P<skipped>[ \t@]+|\^\n|(?:(?<=\n)|\A)[ \t]*(?:@?rem\b|:)[^\n]*)"
    r"|(?P<end>\n|&&?|\|\|?)|(?P<open>\()|(?P<close>\))"
    r"|(?P<word>(?:\"[^\"\n]*\"?|\^[^\n]|[^\s\"&|()^])+|\^)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"%(?P<name>\w+)%|!(?P<late>\w+)!|%~?\w*|%%?\w?")
_SET = re.compile(r"(?P<quote>\"?)(?P<name>\w+)=(?P<value>[^\"]*)(?P=quote)\Z")


def parse(text: str) -> Parts:
    """Read a batch file, lines ended by ``\\n``."""
    reader = Reader(_SHELL, Excerpt.of(text), Values(_references))
    reader.exported.update(re.findall(r"\bset\s+\"?(\w+)=", text, re.IGNORECASE))
    return Parts(tuple(reader.commands()), indexes=tuple(reader.indexes))


def _assigned(words: list[Excerpt]) -> tuple[str, Excerpt | None] | None:
    if words[0].text.lower() != "set" or len(words) < 2:
        return None
    match = _SET.match(words[1].text)
    if match is None:
        name = words[1].text.strip('"').partition("=")[0]
        return name, None
    value = words[1].part(*match.span("value"))
    if len(words) > 2:
        return match["name"], None
    return match["name"], value_of([value], '"') if value.text else None


def _handed_on(words: list[Excerpt]) -> tuple[str, list[Excerpt]] | None:
    match = _SET.match(words[1].text)
    if match is None:
        return None
    return match["name"], [*words_in(words[1].part(*match.span("value"))), *words[2:]]


def _references(text: str) -> Iterator[Reference]:
    for match in _REFERENCE.finditer(text):
        yield Reference(*match.span(), name=(match["name"] or match["late"] or "").lower())


_SHELL = Shell(
    token=_TOKEN,
    escape="^",
    quotes='"',
    literal="",
    assigned=_assigned,
    called=frozenset({"call"}),
    handed_on=_handed_on,
)
