"""What searches of modules have found: in the next run only changed modules are searched again."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.disk.state import TICK, data_of, modules_below, texts_with

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from rocmlint.disk.state import Search


class _Below(NamedTuple):
    """The modules below a folder, when they changed, and those that each search has found.

    ``read`` is when the run began that has looked (nanoseconds): what changed later is unknown.
    """

    times: dict[str, tuple[int, ...]]
    found: dict[str, list[str]]
    read: int


class Searches:
    """The searches of earlier runs, brought up to date for a folder when it is first asked for.

    Patterns are what follows the folder in :func:`rocmlint.disk.state.search_key`.
    """

    def __init__(self, stored: Any, started: int) -> None:
        """Take what :meth:`stored` has returned, and when this run began (nanoseconds)."""
        self._earlier = dict(stored) if isinstance(stored, dict) else {}
        self._started = started
        self._now: dict[str, _Below] = {}
        self.has_changed = False

    def found(self, folder: str, patterns: str) -> list[str]:
        """Return the modules below a folder whose text matches all patterns."""
        below = self._below(folder)
        if patterns not in below.found:
            below.found[patterns] = [*texts_with(below.times, patterns.split("\0"))]
        return below.found[patterns]

    def known(self, folder: str, patterns: str) -> list[str] | None:
        """Return what a search finds if an earlier run has searched for the same, else None."""
        if folder not in self._now and folder not in self._earlier:
            return None
        return self._below(folder).found.get(patterns)

    def remember(self, folder: str, patterns: str, paths: list[str]) -> None:
        """Take what a search has found in this run."""
        self._below(folder).found.setdefault(patterns, paths)

    def stored(self, needed: Mapping[str, Collection[str]]) -> dict[str, Any]:
        """Return the searches that are still needed, by folder, as a file can hold them."""
        kept = {each: self._earlier[each] for each in needed if each in self._earlier}
        for folder, below in self._now.items():
            numbers = {path: number for number, path in enumerate(below.times)}
            found = {
                patterns: [numbers[path] for path in paths if path in numbers]
                for patterns, paths in below.found.items()
                if patterns in needed.get(folder, ())
            }
            start = len(os.path.join(folder, ""))
            times = [[path[start:], *times] for path, times in below.times.items()]
            if found:
                kept[folder] = [times, found, below.read]
        return kept

    def _below(self, folder: str) -> _Below:
        if folder not in self._now:
            times = {path: _times(path) for path in modules_below(folder, noted=False).paths}
            earlier = _from_stored(folder, self._earlier.pop(folder, None))
            self._now[folder] = _Below(times, self._up_to_date(earlier, times), self._started)
        return self._now[folder]

    def _up_to_date(
        self, earlier: _Below, times: dict[str, tuple[int, ...]]
    ) -> dict[str, list[str]]:
        """Return what each search finds now; modules that have not changed are not read."""
        changed = {
            path
            for path, now in times.items()
            if earlier.times.get(path) != now or now[-1] > earlier.read - TICK
        }
        if not changed and len(times) == len(earlier.times):
            return earlier.found
        self.has_changed = True
        searches = dict(_compiled(earlier.found))
        kept = {path: path not in changed for path in times}
        found = {each: {*filter(kept.get, earlier.found[each])} for each in searches}
        for path in changed:
            data = data_of(path) or b""
            for patterns, all_of in searches.items():
                if all(search(data) for search in all_of):
                    found[patterns].add(path)
        return {each: [path for path in times if path in some] for each, some in found.items()}


def _compiled(patterns: Iterable[str]) -> Iterator[tuple[str, list[Search]]]:
    """Yield searches with what finds them; what no expression is has been written by others."""
    for each in patterns:
        try:
            yield each, [re.compile(one.encode()).search for one in each.split("\0")]
        except (re.error, ValueError, OverflowError, RecursionError):
            continue


def _times(path: str) -> tuple[int, ...]:
    try:
        about = os.stat(path)
    except OSError:
        return (0,)
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _from_stored(folder: str, stored: Any) -> _Below:
    """Return what a file holds of a folder; nothing where that is not valid."""
    try:
        listed, found, read = stored
        paths = [os.path.join(folder, str(path)) for path, *_ in listed]
        times = {path: (*each[1:],) for path, each in zip(paths, listed, strict=True)}
        numbers = {each: [paths[one] for one in some] for each, some in found.items()}
        return _Below(times, numbers, int(read))
    except (TypeError, ValueError, LookupError, AttributeError):
        return _Below({}, {}, 0)
