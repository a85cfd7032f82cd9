"""Whether numbers grow: the slope of a line through them, its error, and if all of it rises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

SIGMAS = 4.0
"""How many times its error a slope must be to count: by chance once in 30,000 runs."""
_PARTS = 3
Kind = Literal["grows", "stays", "jumped", "noisy"]


@dataclass(frozen=True)
class Trend:
    """A line through values of steps 0, 1, 2, ..."""

    slope: float
    error: float
    """Of the slope: its standard deviation."""
    start: float
    """The line at the first value."""
    kind: Kind

    @property
    def bound(self) -> float:
        """Return the largest slope that the values do not exclude."""
        return max(self.slope, 0.0) + SIGMAS * self.error


def trend_of(values: Sequence[int], tolerance: float) -> Trend:
    """Fit a line by least squares and return its meaning.

    A slope alone is not enough, as one jump makes one too: what grows also has a smallest value
    that rises from each third of the values to the next. What stays excludes every slope above
    ``tolerance``.
    """
    slope, error, start = _fitted(values)
    third = len(values) // _PARTS
    floors = [min(values[at * third : (at + 1) * third or None]) for at in range(_PARTS - 1)]
    floors.append(min(values[(_PARTS - 1) * third :]))
    bound = max(slope, 0.0) + SIGMAS * error
    kind: Kind
    if slope > SIGMAS * error and floors[-1] > floors[0]:
        kind = "grows" if floors[0] < floors[1] < floors[2] else "jumped"
    else:
        kind = "stays" if bound <= tolerance else "noisy"
    return Trend(slope, error, start, kind)


def _fitted(values: Sequence[int]) -> tuple[float, float, float]:
    """Return slope, its standard error, and the value of the line at the start."""
    many = len(values)
    middle = (many - 1) / 2
    mean = math.fsum(values) / many
    spread = math.fsum((at - middle) ** 2 for at in range(many))
    slope = math.fsum((at - middle) * (each - mean) for at, each in enumerate(values)) / spread
    start = mean - slope * middle
    rest = math.fsum((each - start - slope * at) ** 2 for at, each in enumerate(values))
    return slope, math.sqrt(rest / (many - 2) / spread), start
