"""Reports of what was proven, in the format that a person or a program wants.

Each format is a module with one function, ``render(results, *, color, width)``, that yields text.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.result import Result

FORMATS: Mapping[str, str] = {"text": "text", "json": "json_document", "junit": "junit"}
"""The formats, by name, and their modules."""


def render(
    name: str, results: Sequence[Result], *, color: bool, width: int | None = None
) -> Iterator[str]:
    """Yield the results in a format, for a terminal of so many columns (None: for no terminal)."""
    module = import_module(f"{__name__}.{FORMATS[name]}")
    rendered: Iterator[str] = module.render(results, color=color, width=width)
    return rendered
