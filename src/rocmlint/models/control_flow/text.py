"""Generated lines: calls that are broken where they are too long, blocks, and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.models.control_flow.layout import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 100


def call(indent: str, unit: str, head: str, arguments: Sequence[str], tail: str = ")") -> list[str]:
    """Return the lines of ``head(argument, ...)``, on one line if that is not too long."""
    line = f"{indent}{head}({', '.join(arguments)}{tail}"
    if len(line) <= WIDTH and "\n" not in line:
        return [line]
    inner = [f"{indent}{unit}{each},".split("\n") for each in arguments]
    return [f"{indent}{head}(", *(line for each in inner for line in each), f"{indent}{tail}"]


def at(origin: int, texts: Iterable[str]) -> list[Line]:
    """Return lines that stem from one line."""
    return [Line(text, origin) for text in texts]


def as_tuple(given: Sequence[str]) -> str:
    """Return names as a tuple."""
    return f"({given[0]},)" if len(given) == 1 else f"({', '.join(given)})"
