"""The shape of a generic reader, and the part of a log that one looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rocmlint.why.answer import Explanation

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context

Reader = Callable[[str, "Context"], Iterator[Explanation]]
"""Reads the text of one exception ("Type: message") or a line; yields what explains it."""
_AFTER = 4_000


def near(text: str, literal: str) -> str:
    """Return the first line that contains a literal, and what follows it; empty without one.

    A pattern then never has a whole log to search.
    """
    at = text.find(literal)
    return "" if at < 0 else text[text.rfind("\n", 0, at) + 1 : at + _AFTER]
