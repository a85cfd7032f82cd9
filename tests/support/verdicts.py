"""What is really so in a case that may fool ``verify``, beside the verdict on it.

``python -m benchmarks.verdicts`` counts the cases of each area: one table for all of them.
"""

from __future__ import annotations

from typing import Literal, Protocol

Truth = Literal["holds", "broken", "open"]
"""Whether what a claim says is so, as seen by calling the code; open where only a run can tell."""
RIGHT = {
    "holds": {"proven"},
    "broken": {"contradicted", "unproven"},
    "open": {"unproven"},
}
"""By truth, the verdicts that are right."""


class Judged(Protocol):
    """Compares the verdict on a case of an area with the truth. Raises AssertionError."""

    def __call__(
        self, area: str, truth: Truth, verdict: str, *, needless: bool = False
    ) -> None: ...
