"""What torch's own functions say of themselves: deprecated, or removed but for the name.

The data were read from the wheels and proven in torch 2.13.0 (tools/read_deprecations.py). Of
torchvision's builders of models they hold which weights the old keyword `pretrained` stands for.
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packaging.version import Version

PATH = os.path.join(os.path.dirname(__file__), "data", "deprecated.json")


@dataclass(frozen=True)
class Deprecation:
    """What one function of torch says of itself, from the release `since` on.

    Args:
        since: the first release that was read that says so.
        before: whether that is the oldest one, so that those before it may say so, too.
        raises: whether each call raises, as nothing but the name is left.
        warns: whether each call warns; else only the documentation says so.
        goes: the release in which it is gone or begins to raise; "" where that is unknown.
        message: its own words.
    """

    since: Version
    before: bool
    raises: bool
    warns: bool
    goes: str
    message: str

    @property
    def when(self) -> str:
        """Return since when: "since torch 2.4"."""
        return f"since torch {self.since}{' or before' if self.before else ''}"

    def holds_in(self, version: Version) -> bool:
        """Return whether a release says so, too."""
        return version.release[:2] >= self.since.release[:2]


@functools.cache
def deprecations(dotted: str) -> tuple[Deprecation, ...]:
    """Return what a function of torch says of itself: first that it is deprecated, then removed."""
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    row = _data()["torch"]["names"].get(dotted, {})
    oldest = _data()["torch"]["versions"][0]
    return tuple(
        Deprecation(
            Version(row[key] or ".".join(oldest.split(".")[:2])),
            before=not row[key],
            raises=key == "raises",
            warns=row.get("proof") == "warns",
            goes=row.get("raises") or row.get("goes", ""),
            message=row["message"],
        )
        for key in ("since", "raises")
        if key in row
    )


def deprecated_names() -> tuple[str, ...]:
    """Return all functions of torch of which something is known."""
    return tuple(_data()["torch"]["names"])


def releases() -> tuple[str, ...]:
    """Return the releases of torch that were read, ascending."""
    return tuple(_data()["torch"]["versions"])


def old_weights(dotted: str) -> dict[str, tuple[str, str]]:
    """Return, of a builder of torchvision's, old keyword -> new one and the weights of `True`.

    The builder may be named by the module that defines it, too. The weights are "" where they
    depend on other arguments.
    """
    builders = _data()["torchvision"]
    package, _, name = dotted.rpartition(".")
    row = builders.get(dotted) or builders.get(f"{package.rpartition('.')[0]}.{name}", {})
    return {old: (new, weights) for old, (new, weights) in row.items()}


@functools.cache
def _data() -> dict[str, Any]:
    with open(PATH, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found
