"""What is made once for each set of settings: the linters and the caches of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.config.settings import Settings

Made = TypeVar("Made")


class BySettings(Generic[Made]):
    """Makes something when its settings are first seen, and keeps it."""

    def __init__(self, make: Callable[[Settings], Made]) -> None:
        """Take what makes one."""
        self._make = make
        self._index: dict[int, int] = {}
        self.settings: list[Settings] = []
        self.made: list[Made] = []

    def index(self, settings: Settings) -> int:
        """Return where in ``made`` and ``settings`` these are."""
        # Settings are made once for each configuration, so that identity tells them apart.
        if id(settings) not in self._index:
            self.made.append(self._make(settings))
            self.settings.append(settings)
            self._index[id(settings)] = len(self.made) - 1
        return self._index[id(settings)]

    def of(self, settings: Settings) -> Made:
        """Return what was made for these settings."""
        return self.made[self.index(settings)]
