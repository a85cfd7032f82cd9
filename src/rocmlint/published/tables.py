"""Which file a table is read from: the shipped one or, in ``rocmlint stack``, one that was fetched.

``rocmlint stack update`` writes newer tables into the user's data folder. Linting never looks
there: its findings depend on the version of rocmlint and on nothing that a user once fetched.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rocmlint.disk.read import read_small

if TYPE_CHECKING:
    from collections.abc import Callable

SHIPPED = os.path.join(os.path.dirname(__file__), "data")
_MOST = 64_000_000
"""Bytes of the largest file that is read as a table."""
_DAMAGE = (
    OSError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading a file raises that is not the table it should be; ValueError is also JSON's."""

_Table = TypeVar("_Table")


class UnfitTableError(ValueError):
    """A fetched table cannot take the place of the shipped one; the message says why."""


class Use(NamedTuple):
    """Where a table that was asked for came from."""

    name: str
    date: str
    """That of its newest row."""
    fetched: bool = False
    problem: str = ""
    """Why a fetched table was passed over, in one line."""


_used: dict[str, Use] = {}
_folder: list[str] = []
"""The folder of fetched tables, where they are wanted."""


def data_folder() -> str:
    """Return the folder for fetched tables, which need not exist."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME", "")
        base = base if os.path.isabs(base) else os.path.expanduser("~/.local/share")
    return os.path.join(base, "rocmlint", "tables")


def prefer_fetched() -> None:
    """Read fetched tables from now on, each where it is newer than the shipped one.

    To be called before any table is read: what was read stays.
    """
    _folder[:] = [data_folder()]


def read(
    name: str,
    parse: Callable[[bytes], _Table],
    date: Callable[[_Table], str],
    check: Callable[[_Table, _Table], object],
) -> _Table:
    """Return a table: the newer of the shipped and the fetched one, by their dates.

    ``parse`` and, for a fetched one beside the shipped one, ``check`` raise UnfitTableError,
    ValueError, TypeError, LookupError or AttributeError for what is not the table. A fetched file
    that cannot be read is passed over; :func:`used` says so.
    """
    table = parse(read_small(os.path.join(SHIPPED, name), _MOST))
    _used[name] = Use(name, date(table))
    if not _folder:
        return table
    path = os.path.join(_folder[0], name)
    try:
        fetched = parse(read_small(path, _MOST))
        check(fetched, table)
        newest = date(fetched)
        _check_day(newest)
    except FileNotFoundError:
        return table
    except _DAMAGE as error:
        told = error if isinstance(error, UnfitTableError) else getattr(error, "strerror", None)
        reason = told or f"not a table ({type(error).__name__})"
        problem = f"{path} cannot be read ({reason}): the table that ships with rocmlint is used"
        _used[name] = Use(name, date(table), problem=problem)
        return table
    if newest < date(table):
        return table
    _used[name] = Use(name, newest, fetched=True)
    return fetched


def used() -> tuple[Use, ...]:
    """Return where each table came from that was read."""
    return tuple(_used.values())


def _check_day(newest: str) -> None:
    """Raise ValueError for what is not a day, or is yet to come: it would be newer for ever."""
    from datetime import date, datetime, timezone  # noqa: PLC0415 - linting reads no fetched table

    if date.fromisoformat(newest) > datetime.now(timezone.utc).date():
        message = f"its newest row is of {newest}, which is in the future"
        raise UnfitTableError(message)
