"""A whole run: discover, ask the cache, scan, and analyse what is left, in several processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from rocmlint.errors import ConfigError
from rocmlint.formats import is_python
from rocmlint.lint.by_settings import BySettings
from rocmlint.lint.cache.folder import refusal
from rocmlint.lint.cache.results import Cache
from rocmlint.lint.discovery.discover import discover
from rocmlint.lint.evidence import Learned, evidence_of, stored_versions
from rocmlint.lint.fold import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Claim, Excused, Finding
    from rocmlint.lint.discovery.discover import Discovery, FileToLint
    from rocmlint.lint.evidence import Evidence
    from rocmlint.lint.file_result import FileResult
    from rocmlint.lint.rule_fault import RuleFault

    Progress = Callable[[int, int], None]


class Outcome(NamedTuple):
    """What a run found; problems and remarks are lines for a person to read."""

    findings: Sequence[Finding]
    """Sorted."""
    problems: Sequence[str]
    """What could not be done: such a run does not count as clean."""
    files: int
    remarks: Sequence[str] = ()
    """What went wrong without touching the result."""
    claims: Sequence[Claim] = ()
    """What the code claims of the running system, by place; where that was asked for."""
    unread: Sequence[str] = ()
    """A line for each place in Python files that was not read, whatever rules are enabled."""
    faults: Sequence[RuleFault] = ()
    """What went wrong inside local rules, once each; a line of ``problems`` tells of it."""
    excused: Sequence[Excused] = ()
    """What the excuses of rules kept back, where that was asked for; sorted."""
    evidence: Evidence | None = None
    """What was looked at, where that was asked for."""


class Options(NamedTuple):
    """How a run goes about its work; none of it changes what is found."""

    jobs: int | None = None
    """Processes; None for as many as there are processors."""
    cache_dir: str | None = None
    """Where results are kept; None for no cache."""
    cache_within: str | None = None
    """The project that ``cache_dir`` must lie in; None where the command names it."""
    force_exclude: bool = False
    folds: bool = True
    """Report once what holds for a whole project, not each place that shows it."""
    claims: bool = False
    """Collect the claims of the code too; the cache does not know them."""
    excused: bool = False
    """Collect what the excuses of rules keep back; the cache does not know it."""
    evidence: Literal["", "short", "full"] = ""
    """Tell what was looked at: of the first project, or of every one."""
    progress: Progress | None = None
    """Called with the number of files that are done, and of all."""
    only: frozenset[str] | None = None
    """The files to lint (absolute paths) of those that are found; None for all."""
    texts: dict[str, str] | None = None
    """Takes the texts of files with findings as they were linted, as long as they are few."""


DEFAULT = Options()
_KEPT = 10_000_000
"""Characters of files with findings that are kept for the report; others are read again."""


def run(
    paths: Sequence[str], settings_for: Callable[[str], Settings], options: Options = DEFAULT
) -> Outcome:
    """Lint the files below some paths, each with the settings of its folder."""
    discovery = discover(paths, settings_for, force_exclude=options.force_exclude)
    found, problems, remarks = discovery.files, discovery.problems, discovery.remarks
    if options.only is not None:
        found = [each for each in found if os.path.abspath(each.path) in options.only]
    folder = None if options.excused else options.cache_dir
    refused = None if folder is None else refusal(folder, options.cache_within)
    remarks += [] if refused is None else [refused]
    usable = folder if refused is None else None
    caches = BySettings(lambda settings: None if usable is None else _cache(usable, settings))
    findings: list[Finding] = []
    claims: list[Claim] = []
    unread: list[str] = []
    faults: list[RuleFault] = []
    excused: list[Excused] = []
    learned = Learned()
    kept = 0
    unknown = list(_ask(found, caches, findings, learned))
    if unknown:
        from rocmlint.lint.cache.serialized import from_stored  # noqa: PLC0415 - a warm run needs no rule
        from rocmlint.lint.workers import lint_files  # noqa: PLC0415

        settings = {each.path: each.settings for each in unknown}
        done = len(found) - len(unknown)
        cache = caches.of(unknown[0].settings)
        for result in lint_files(
            *(unknown, options.jobs),
            claims=options.claims,
            excused=options.excused,
            cached=usable is not None,
            searches=None if cache is None else cache.searches,
        ):
            excused += result.excused
            problems += result.problems
            claims += result.claims
            faults += result.faults
            unread += result.unread if is_python(result.path) else ()
            learned.take(result.versions, result.unread)
            findings += [from_stored(result.path, each) for each in result.findings]
            _remember(result, caches.of(settings[result.path]))
            if options.texts is not None and result.text is not None and kept < _KEPT:
                options.texts[result.path] = result.text
                kept += len(result.text)
            done += 1
            if options.progress is not None:
                options.progress(done, len(found))
    findings = sorted(
        folded(findings) if options.folds else findings, key=lambda finding: finding.sort_key
    )
    claims += [claim for finding in findings for claim in finding.claims]
    claims.sort(key=lambda claim: (claim.path, claim.line, claim))
    discovery = discovery._replace(files=found)
    evidence = _evidence(discovery, caches, learned, options.evidence) if found else None
    saved = (cache.save() for cache in caches.made if cache is not None)
    remarks += [line for line in saved if line is not None]
    if faults:
        from rocmlint.lint.rule_fault import first_of_each, told  # noqa: PLC0415 - few rules fail

        of_each_file = {line for fault in faults for line in told([fault])}
        faults = first_of_each(faults)
        problems = [*(each for each in problems if each not in of_each_file), *told(faults)]
    return Outcome(
        *(findings, sorted(problems), len(found), remarks, claims, unread, faults),
        excused=sorted(excused, key=lambda each: each.sort_key),
        evidence=evidence,
    )


def _evidence(
    discovery: Discovery,
    caches: BySettings[Cache | None],
    learned: Learned,
    wanted: Literal["", "short", "full"],
) -> Evidence | None:
    """Return what was looked at; None where nobody wants it, or a configuration is wrong."""
    try:
        every = wanted == "full"
        return evidence_of(discovery, caches, learned, every=every) if wanted else None
    except ConfigError:  # a problem tells of it
        return None


def _cache(folder: str, settings: Settings) -> Cache | None:
    """Read a cache; there is none for rules that cannot be listed, and who loads them says why."""
    try:
        return Cache(folder, settings)
    except (ConfigError, OSError):
        return None


def _remember(result: FileResult, cache: Cache | None) -> None:
    if cache is None or result.content is None or result.stat is None or result.problems:
        return
    cache.put(result.path, result.stat, result.content, result)


def _ask(
    found: Sequence[FileToLint],
    caches: BySettings[Cache | None],
    findings: list[Finding],
    learned: Learned,
) -> Iterator[FileToLint]:
    """Take findings from the caches; yield the files that they do not know."""
    settings, cache = None, None
    for each in found:
        if each.settings is not settings:
            settings, cache = each.settings, caches.of(each.settings)
        known = None if cache is None else _known(each.path, cache, learned)
        if known is None:
            yield each
        else:
            findings += known


def _known(path: str, cache: Cache, learned: Learned) -> Sequence[Finding] | None:
    try:
        entry = cache.get(path, os.stat(path))
    except OSError:
        return None
    if entry is not None and (entry.answers or entry.unread):
        learned.take(stored_versions(entry.answers, cache), entry.unread)
    if entry is None or not entry.findings:
        return None if entry is None else ()
    from rocmlint.lint.cache.serialized import from_stored  # noqa: PLC0415 - a clean run needs no finding

    try:
        found = [from_stored(path, stored) for stored in entry.findings]
    except (TypeError, ValueError, RecursionError):
        return None
    # A claim names files from the working folder: from another one it has to be made again.
    is_here = all(claim.path == path for each in found for claim in each.claims)
    return found if is_here else None
