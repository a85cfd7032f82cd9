"""What a built-in patch says of itself: for which versions it holds, why, and what it replaces."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.export.patch import Patch


@dataclass(frozen=True)
class Builtin:
    """A patch that models of some versions of transformers need to be exported.

    - ``name`` is for messages, ``reason`` says what cannot be exported without it.
    - ``since`` and ``before`` are versions of transformers; others are left alone.
    - ``links`` are public issues and pull requests.
    - ``find(model)`` returns what must be replaced for that model: nothing if it does not need it.
    """

    name: str
    reason: str
    since: str
    before: str
    links: tuple[str, ...]
    find: Callable[[Any], Iterable[Patch]]

    @property
    def holds(self) -> bool:
        """Tell whether it is for the version of transformers that is loaded."""
        loaded: Any = sys.modules.get("transformers")
        if loaded is None:
            return False
        return release(self.since) <= release(loaded.__version__) < release(self.before)


def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version: 5.0.0rc1 is (5, 0, 0)."""
    numbers: list[int] = []
    for part in version.split(".")[:3]:
        digits = ""
        for each in part:
            if not each.isdigit():
                break
            digits += each
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
