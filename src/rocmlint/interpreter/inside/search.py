"""Where imports look: at first for what this package needs, then as they do in a program.

A checkout may hold a json.py or a folder torch/. So the parent starts this package with nothing but
the standard library on ``sys.path``, and hands over what ``python -m`` would have there. Questions
about files look through that list and import nothing from it; ``sys.path`` itself is changed only
for a question that is to run code.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

TYPE_CHECKING = False  # ``typing`` takes milliseconds, in each process of a job
if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALLED = ("site-packages", "dist-packages")
_given: list[str] | None = None
"""The ``sys.path`` that ``python -m`` would have; None where ``sys.path`` is what counts."""


def begin(given: list[str]) -> None:
    """Look through this list from now on, and leave ``sys.path`` to this package."""
    global _given  # noqa: PLW0603 - as there is one sys.path
    _given = given


def path() -> list[str]:
    """Return the list that an import of the user's program looks through."""
    return sys.path if _given is None else _given


@contextmanager
def followed() -> Iterator[None]:
    """Have imports look there for a while, for finders that know ``sys.path`` only."""
    before = sys.path[:]
    sys.path[:] = path()
    try:
        yield
    finally:
        sys.path[:] = before


def as_program() -> None:
    """Have imports look where they do in a program that ``python -m`` starts."""
    _follow(path())


def as_installed() -> None:
    """Have imports look there too, but not in the current folder or in a folder of its project."""
    own = sys.path
    _follow([each for each in path() if each in own or not is_of_checkout(each)])


def _follow(entries: list[str]) -> None:
    global _given  # noqa: PLW0603
    sys.path[:] = entries
    _given = None


def is_of_checkout(place: str) -> bool:
    """Return whether a path is in the current folder, other than below an installed environment."""
    inner = os.path.relpath(os.path.realpath(place), os.path.realpath(os.curdir))
    parts = inner.split(os.sep)
    return parts[0] != os.pardir and not any(each in _INSTALLED for each in parts)
