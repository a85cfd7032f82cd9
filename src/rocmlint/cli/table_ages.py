"""The version of rocmlint, and how old its tables are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.published import tables
from rocmlint.published.ages import ABOUT, HOW, OLD, ages, days_since, is_old
from rocmlint.text.words import counted
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator


def version_lines() -> Iterator[str]:
    """Yield the version, and the newest row of each table with its date."""
    yield f"rocmlint {__version__}"
    for each in ages():
        yield f"  {ABOUT[each.table]:<24}{each.date}  ({each.row})"
    fetched = dict(fetched_tables())
    for table, day in fetched.items():
        yield f"  {'fetched for stack':<24}{day}  ({table})"
    old = [each for each in ages() if is_old(each.date)]
    if old:
        days = max(days_since(each.date) for each in old)
        yield f"note: {counted(old, 'table')} older than {OLD} days, up to {days}: {HOW}"


def fetched_tables() -> Iterator[tuple[str, str]]:
    """Yield the tables that ``rocmlint stack update`` fetched and that are in use, with dates."""
    if not os.path.isdir(tables.data_folder()):
        return
    from rocmlint.published import amd_wheels, requirements, rocm_wheels  # noqa: PLC0415 - few runs

    tables.prefer_fetched()
    requirements.packages(), rocm_wheels.rows(), amd_wheels.builds()
    found = (each for each in tables.used() if each.fetched)
    yield from ((each.name.partition(".")[0], each.date) for each in found)
