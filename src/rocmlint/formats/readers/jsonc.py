"""JSON with comments and the places of its values; YAML, of which JSON is a part, reads it."""

from __future__ import annotations

import re

from rocmlint.formats.model import Problem
from rocmlint.formats.readers import yaml
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.text.text import Text

_LEXEME = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?(?:\*/|\Z)|\t", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")


def read(text: str) -> yaml.Mapping | Problem | None:
    """Read the object of a file, lines ended by ``\\n``; None if it holds something else."""
    documents = yaml.read(Excerpt.copied(Text(text), _LEXEME.sub(_plain, text), 0))
    if isinstance(documents, Problem):
        reason = documents.reason.replace("YAML", "JSON")
        return Problem(reason, documents.line, documents.column)
    return next((each for each in documents if isinstance(each, yaml.Mapping)), None)


def _plain(match: re.Match[str]) -> str:
    """Blank what is not JSON; YAML takes no tabs between values."""
    return match[0] if match[0].startswith('"') else _NOT_LINE_END.sub(" ", match[0])
