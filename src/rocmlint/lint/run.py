"""A whole run: discover, ask the cache, scan, and analyse what is left, in several processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.lint.cache import Cache
from rocmlint.lint.discover import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Finding
    from rocmlint.lint.discover import Found
    from rocmlint.lint.workers import Result

    Progress = Callable[[int, int], None]


class Outcome(NamedTuple):
    """What a run found; problems and notes are lines for a person to read."""

    findings: Sequence[Finding]
    """Sorted."""
    problems: Sequence[str]
    """What could not be done: such a run does not count as clean."""
    files: int
    notes: Sequence[str] = ()
    """What went wrong without touching the result."""


class Options(NamedTuple):
    """How a run goes about its work; none of it changes what is found."""

    jobs: int | None = None
    """Processes; None for as many as there are processors."""
    cache_dir: str | None = None
    """Where results are kept; None for no cache."""
    force_exclude: bool = False
    progress: Progress | None = None
    """Called with the number of files that are done, and of all."""


DEFAULT = Options()


def run(
    paths: Sequence[str], settings_for: Callable[[str], Settings], options: Options = DEFAULT
) -> Outcome:
    """Lint the files below some paths, each with the settings of its folder."""
    found, problems, notes = discover(paths, settings_for, force_exclude=options.force_exclude)
    caches = _Caches(options.cache_dir)
    findings: list[Finding] = []
    unknown = list(_ask(found, caches, findings))
    if unknown:
        from rocmlint.lint.serialized import from_stored  # noqa: PLC0415 - a warm run needs no rule
        from rocmlint.lint.workers import lint_files  # noqa: PLC0415

        settings = {each.path: each.settings for each in unknown}
        done = len(found) - len(unknown)
        for result in lint_files(unknown, options.jobs):
            problems += result.problems
            findings += [from_stored(result.path, each) for each in result.findings]
            caches.put(result, settings[result.path])
            done += 1
            if options.progress is not None:
                options.progress(done, len(found))
    findings.sort(key=lambda finding: finding.sort_key)
    return Outcome(findings, sorted(problems), len(found), [*notes, *caches.save()])


class _Caches:
    """The caches of a run, one for each set of settings."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._of: dict[int, Cache] = {}

    def of(self, settings: Settings) -> Cache | None:
        if self._folder is None:
            return None
        # Settings are made once for each configuration, so that identity tells them apart.
        if id(settings) not in self._of:
            self._of[id(settings)] = Cache(self._folder, settings)
        return self._of[id(settings)]

    def put(self, result: Result, settings: Settings) -> None:
        cache = self.of(settings)
        if cache is None or result.content is None or result.stat is None or result.problems:
            return
        cache.put(result.path, result.stat, result.content, result.findings, result.consulted)

    def save(self) -> list[str]:
        lines = (cache.save() for cache in self._of.values())
        return [line for line in lines if line is not None]


def _ask(found: Sequence[Found], caches: _Caches, findings: list[Finding]) -> Iterator[Found]:
    """Take findings from the caches; yield the files that they do not know."""
    for each in found:
        cache = caches.of(each.settings)
        known = None if cache is None else _known(each.path, cache)
        if known is None:
            yield each
        else:
            findings += known


def _known(path: str, cache: Cache) -> Sequence[Finding] | None:
    try:
        entry = cache.get(path, os.stat(path))
    except OSError:
        return None
    if entry is None or not entry.findings:
        return None if entry is None else ()
    from rocmlint.lint.serialized import from_stored  # noqa: PLC0415 - a clean run needs no finding

    try:
        return [from_stored(path, stored) for stored in entry.findings]
    except (TypeError, ValueError):
        return None
