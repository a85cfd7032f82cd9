"""Whether what was consulted in an earlier run is still as it was; each thing is looked at once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question_of
from rocmlint.disk.state import MODULES, SEARCH, Asked, digest_of, modules_below, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.disk.disk import Disk
    from rocmlint.disk.searches import Searches
    from rocmlint.disk.state import State


class Changes:
    """Compares with what there is now. Nothing of this needs the rules, nor LibCST."""

    def __init__(self, searches: Searches, disk: Callable[[], Disk]) -> None:
        """Take earlier searches, and what makes the disk that questions are asked of once more."""
        self._searches = searches
        self._disk = cache(disk)
        self._now: dict[tuple[str, type], State] = {}
        self._modules = cache(modules_below)

    def is_unchanged(self, key: str, state: State) -> bool:
        """Return whether something is as it was."""
        if isinstance(state, Asked):
            return self.are_unchanged(state) or self.asked_again(key).answer == state.answer
        return self._of(key, state) == state

    def are_unchanged(self, asked: Asked) -> bool:
        """Return whether all is as it was that a question has read."""
        return all(self.is_unchanged(*each) for each in asked.read.items())

    def asked_again(self, key: str) -> Asked:
        """Return what a question is answered now. Raises what ``question_of`` does."""
        return self._disk().answer(*question_of(key))[1]

    def _of(self, key: str, alike: State) -> State:
        if (key, type(alike)) not in self._now:
            self._now[key, type(alike)] = self._state(key, alike)
        return self._now[key, type(alike)]

    def _state(self, key: str, alike: State) -> State:
        folder, is_search, patterns = key.partition(SEARCH)
        if is_search:
            found = self._searches.found(folder, patterns)
            return digest_of(found) if isinstance(alike, str) else found
        if key.endswith(MODULES):
            return self._modules(key.removesuffix(MODULES)).digest
        return state_of(key, alike)
