"""The shape of a generic reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rocmlint.why.answer import Explanation

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context

Reader = Callable[[str, "Context"], Iterator[Explanation]]
"""Reads the text of one exception ("Type: message") or a line; yields what explains it."""
