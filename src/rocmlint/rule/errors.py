"""The errors that rules find before they happen: the entries of ``rocmlint why`` that name a rule.

Only the TOML is read: what the entries match and say is of no interest to a linter.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import read_small
from rocmlint.rule.web import SITE
from rocmlint.text.toml import loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "why", "symptoms")
_LARGEST = 5_000_000


class PreventedError(NamedTuple):
    """An error message that a rule finds the cause of."""

    id: str
    title: str
    messages: tuple[str, ...]

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"{SITE}/errors/{self.id}/"


def errors_of(code: str) -> tuple[PreventedError, ...]:
    """Return the errors that the findings of a rule prevent."""
    return _by_code().get(code, ())


@cache
def _by_code() -> Mapping[str, tuple[PreventedError, ...]]:
    found: dict[str, list[PreventedError]] = {}
    for table in _tables():
        each = PreventedError(table["id"], table["title"], tuple(table.get("examples", ())))
        for code in table.get("rules", ()):
            found.setdefault(code, []).append(each)
    return {code: tuple(errors) for code, errors in found.items()}


def _tables() -> Iterator[dict[str, Any]]:
    for name in sorted(os.listdir(_FOLDER)):
        if name.endswith(".toml"):
            text = read_small(os.path.join(_FOLDER, name), _LARGEST).decode()
            yield from loads(text).get("symptom", ())
