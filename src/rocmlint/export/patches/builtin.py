"""What a built-in patch says of itself: for which versions it holds, why, and what it replaces."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.export.patch import Patch

T = TypeVar("T")


@dataclass(frozen=True)
class Builtin:
    """A patch that models need to be exported with some versions of a library.

    - ``name`` is for messages, ``reason`` says what cannot be exported without it.
    - ``since`` and ``before`` are versions of ``library``; others are left alone.
    - ``links`` are public issues and pull requests.
    - ``find(model)`` returns what must be replaced for that model: nothing if it does not need it.
    """

    name: str
    reason: str
    since: str
    before: str
    links: tuple[str, ...]
    find: Callable[[Any], Iterable[Patch]]
    library: str = "transformers"

    @property
    def holds(self) -> bool:
        """Tell whether it is for the version of the library that is loaded."""
        loaded: Any = sys.modules.get(self.library)
        if loaded is None:
            return False
        return release(self.since) <= release(loaded.__version__) < release(self.before)


def replaces(*paths: str) -> Callable[[T], T]:
    """Return a decorator for what makes the replacement of each path, or of what is like it.

    It changes nothing: ``rocmlint export check`` reads it, and compares the two.
    """
    del paths
    return lambda factory: factory


def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version: 5.0.0rc1 is (5, 0, 0), and 2.13.0+cpu is (2, 13, 0).

    A release candidate has what its release has. ``packaging`` need not be where models run.
    """
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
