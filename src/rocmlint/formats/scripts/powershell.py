"""PowerShell scripts: the plain commands that they run, with variables that are set once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Parts
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.recipes import Reference, Values
from rocmlint.formats.scripts.windows import Reader, Shell, value_of, words_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"(?P<skipped>[ \t]+|`\n|<#.*?(?:#>|\Z)|#[^\n]*)|(?P<end>\n|;|\|\|?|&&|[()])"
    r"|(?P<open>\{)|(?P<close>\})"
    r"|(?P<word>@\".*?(?:\n\"@|\Z)|@'.*?(?:\n'@|\Z)|&"
    r"|(?:\"(?:[^\"`]|`.)*\"?|'[^']*'?|\$\{[^}\n]*\}|`[^\n]|[^\s\"'`;|&{}()])+|`)",
    re.DOTALL,
)
_REFERENCE = re.compile(r"\$(?:(?:env:|script:|global:)?(?P<name>\w+)|\(|\{[^}]*\}?|(?=\W|\Z))")
_VARIABLE = re.compile(r"\$(?P<scope>env:|script:|global:)?(?P<name>\w+)(?=\+?=|\Z)", re.IGNORECASE)
_SIGN = re.compile(r"\+?=(?!=)")


def parse(text: str) -> Parts:
    """Read a script, lines ended by ``\\n``."""
    exported: set[str] = set()
    for match in re.finditer(r"\$env:(\w+)\s*=", text, re.IGNORECASE):
        exported.add(match[1])
    reader = Reader(_SHELL, Excerpt.of(text), Values(_references), exported)
    return Parts(tuple(reader.commands()), indexes=tuple(reader.indexes))


class _Assignment(NamedTuple):
    """``$env:NAME = value``, with blanks around the sign or without."""

    is_exported: bool
    name: str
    is_plain: bool
    """Not ``+=``."""
    value: list[Excerpt]


def _assignment(words: list[Excerpt]) -> _Assignment | None:
    variable = _VARIABLE.match(words[0].text)
    if variable is None:
        return None
    behind = [words[0].part(variable.end(), len(words[0].text)), *words[1:]]
    behind = [each for each in behind if each.text]
    sign = _SIGN.match(behind[0].text) if behind else None
    if sign is None:
        return None
    value = [behind[0].part(sign.end(), len(behind[0].text)), *behind[1:]]
    exported = (variable["scope"] or "").lower() == "env:"
    value = [each for each in value if each.text]
    return _Assignment(exported, variable["name"], sign[0] == "=", value)


def _assigned(words: list[Excerpt]) -> tuple[str, Excerpt | None] | None:
    found = _assignment(words)
    if found is None:
        return None
    is_plain = found.is_plain and not words[-1].text.startswith("@")
    return found.name, value_of(found.value, "\"'") if is_plain else None


def _handed_on(words: list[Excerpt]) -> tuple[str, list[Excerpt]] | None:
    found = _assignment(words)
    value = value_of(found.value, "\"'") if found is not None and found.is_exported else None
    return None if found is None or value is None else (found.name, words_in(value))


def _references(text: str) -> Iterator[Reference]:
    for match in _REFERENCE.finditer(text):
        end = len(text) if match[0] == "$(" else match.end()
        followed = text[match.end() : match.end() + 1] in (".", "[")  # of an object
        yield Reference(match.start(), end, name="" if followed else (match["name"] or "").lower())
        if end == len(text):
            return


_SHELL = Shell(
    token=_TOKEN,
    escape="`",
    quotes="\"'",
    literal="'",
    assigned=_assigned,
    called=frozenset({"&", "."}),
    handed_on=_handed_on,
)
