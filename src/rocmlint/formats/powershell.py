"""PowerShell scripts: the plain commands that they run, with variables that are set once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.excerpt import Excerpt
from rocmlint.formats.model import Parts
from rocmlint.formats.recipes import Reference, Values
from rocmlint.formats.windows import Reader, Shell, value_of

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
_VARIABLE = re.compile(r"\$(?P<scope>env:|script:|global:)?(?P<name>\w+)\Z", re.IGNORECASE)


def parse(text: str) -> Parts:
    """Read a script, lines ended by ``\\n``."""
    exported: set[str] = set()
    for match in re.finditer(r"\$env:(\w+)\s*=", text, re.IGNORECASE):
        exported.add(match[1])
    reader = Reader(_SHELL, Excerpt.of(text), Values(_references), exported)
    return Parts(commands=tuple(reader.commands()))


def _assigned(words: list[Excerpt]) -> tuple[str, Excerpt | None] | None:
    variable = _VARIABLE.match(words[0].text)
    if variable is None or len(words) < 2 or words[1].text not in ("=", "+="):
        return None
    is_plain = words[1].text == "=" and not words[-1].text.startswith("@")
    return variable["name"], value_of(words[2:], "\"'") if is_plain else None


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
)
