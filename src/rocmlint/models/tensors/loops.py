"""What a loop runs over, where that depends on a tensor."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from rocmlint.models.tensors.value_facts import UNKNOWN, Held, Kind
from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Mapping

Over = Literal["rows", "values", "count", "groups"]
"""``rows`` of a tensor, ``values`` that were read from one, ``count``: as many numbers as one of
these says, ``groups``: what ``itertools.groupby`` makes of rows or values.
"""
_LOOKS_THROUGH = frozenset(
    {"enumerate", "zip", "reversed", "sorted", "list", "tuple", "iter", "set", "groupby"}
)
_ORDER: tuple[Over, ...] = ("rows", "values", "groups", "count")
"""What tells most of a loop that goes through several of these at once comes last."""


def looped_over(iterable: ast.expr, held: Mapping[ast.expr, Held]) -> Over | None:
    """Return what a loop runs over, None where no tensor has to do with it."""
    if isinstance(iterable, ast.Starred):
        return None
    name = last_name(iterable.func) if isinstance(iterable, ast.Call) else ""
    if isinstance(iterable, ast.Call) and name == "range":
        return "count" if any(held.get(each, UNKNOWN).depends for each in iterable.args) else None
    if isinstance(iterable, ast.Call) and name in _LOOKS_THROUGH:
        parts = (looped_over(each, held) for each in iterable.args)
        found = max((each for each in parts if each), key=_ORDER.index, default=None)
        return "groups" if found and name == "groupby" else found
    whole = held.get(iterable, UNKNOWN)
    if whole.kind is Kind.TENSOR:
        return "rows" if whole.sure and not whole.counted else None
    return "values" if whole.kind is Kind.VALUES else None
