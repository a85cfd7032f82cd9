"""How old the shipped tables are: for each, its newest row and the day that is from.

Whoever says "the newest" says with it of which day: :func:`age` of the table that was asked. The
days are written by ``tools/record_ages.py``, so that telling them reads no table.
"""

from __future__ import annotations

import json
import os
from datetime import date, datetime, timezone
from functools import cache
from typing import Literal, NamedTuple

from rocmlint.published import tables

Table = Literal[
    "names",
    "requirements",
    "rocm_wheels",
    "amd_wheels",
    "drivers",
    "deprecated",
    "deepspeed",
    "variables",
]
ABOUT: dict[Table, str] = {
    "names": "names in packages",
    "requirements": "what releases require",
    "rocm_wheels": "PyTorch's ROCm wheels",
    "amd_wheels": "AMD's own wheels",
    "drivers": "drivers for ROCm",
    "deprecated": "deprecations in torch",
    "deepspeed": "settings of DeepSpeed",
    "variables": "environment variables",
}
"""What each table knows, in the order in which they are told."""
OLD = 90
"""Days after which an age is worth a note."""
HOW = "pip install --upgrade rocmlint; rocmlint stack update refreshes the tables of rocmlint stack"
"""How tables become newer."""
_FILE = os.path.join(tables.SHIPPED, "ages.json")


class Age(NamedTuple):
    """The newest row of a table."""

    table: Table
    row: str
    """Such as "transformers 5.23.0"."""
    date: str
    """The day that it was published, as 2026-11-13."""


@cache
def ages() -> tuple[Age, ...]:
    """Return the age of each shipped table."""
    with open(_FILE, encoding="utf-8") as file:
        found = json.load(file)
    return tuple(Age(table, *found[table]) for table in ABOUT)


def age(table: Table) -> Age:
    """Return the age of a shipped table."""
    return next(each for each in ages() if each.table == table)


def days_since(day: str, today: date | None = None) -> int:
    """Return how many days ago a day was, today's being 0."""
    today = today or datetime.now(timezone.utc).date()
    return (today - date.fromisoformat(day)).days


def is_old(day: str, today: date | None = None) -> bool:
    """Return whether a table whose newest row is of this day may miss what matters."""
    return days_since(day, today) > OLD
