"""The tables that an answer rests on: those that were fetched, and those that are old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.ages import ABOUT, days_since, is_old

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from rocmlint.published.tables import Use


def about_tables(used: Iterable[Use], today: date | None = None) -> Iterator[str]:
    """Yield what should be known of the tables that were read, a line each."""
    for each in used:
        about = next(said for table, said in ABOUT.items() if each.name.startswith(f"{table}."))
        if each.problem:
            yield each.problem
        if each.fetched:
            yield f"{about}: as fetched by rocmlint stack update (newest row {each.date})"
        if is_old(each.date, today):
            days = days_since(each.date, today)
            yield (
                f"{about}: the newest row is {days} days old ({each.date}); rocmlint stack update "
                "fetches newer ones"
            )
