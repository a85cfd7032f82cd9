"""What formats give, as tests look at it: where it stands, what is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats.model import Parts
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from rocmlint.formats.model import Declared
    from rocmlint.text.text import Span


def at(text: str, span: Span) -> str:
    lines = Text(text)
    start = lines.offset_of(span.line) + span.column - 1
    return text[start : lines.offset_of(span.end_line) + span.end_column - 1]


def declared(parts: Parts) -> list[tuple[str, str]]:
    return [(each.text, each.group) for each in parts.declared]


def only(parts: Parts) -> Declared:
    (found,) = parts.declared
    return found
