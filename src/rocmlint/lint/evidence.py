"""What a run looked at, and by what it judged: the evidence for its silence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.disk.files import ON_DISK
from rocmlint.lint.decided import Decided, decided
from rocmlint.lint.discovery.git_ignored import repository
from rocmlint.lint.guard import guarded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.disk.state import State
    from rocmlint.lint.by_settings import BySettings
    from rocmlint.lint.cache.results import Cache
    from rocmlint.lint.discovery.discover import Discovery, FileToLint, LeftOut

ALWAYS = ("torch", "transformers")
"""The packages whose versions are named, whether a rule asked for them or not."""


class Root(NamedTuple):
    """A project: whether it is for ROCm only, and what decides the versions in it.

    ``is_rocm`` is None where nothing tells.
    """

    path: str
    is_rocm: bool | None
    sign: str
    """What says so, in words."""
    place: str
    """Where that is said, ``path:line`` from the root; empty for a setting."""
    versions: tuple[Decided, ...]


class RuleCounts(NamedTuple):
    """How many rules were used, and why how many others were not."""

    used: int
    off: Mapping[str, int]
    """The number of rules by the reason: ``preview``, ``profile export``, ``ignored``, …"""


class Evidence(NamedTuple):
    """What a run looked at; ``unread`` are lines, each with a place and a reason."""

    rules: RuleCounts
    roots: Sequence[Root]
    """The projects; only the first, unless all were asked for."""
    root_count: int
    versions: Sequence[Decided]
    """What rules asked for, in any of the projects."""
    unread: Sequence[str]
    left_out: Sequence[LeftOut]
    excluded: Sequence[str]


class Learned:
    """What the results of files tell besides findings, those from the cache too."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.versions: dict[Decided, None] = {}
        self.unread: list[str] = []

    def take(self, versions: Iterable[Decided], unread: Iterable[str]) -> None:
        """Take what one file tells."""
        self.versions.update(dict.fromkeys(versions))
        self.unread += unread


def evidence_of(
    discovery: Discovery, caches: BySettings[Cache | None], learned: Learned, *, every: bool
) -> Evidence:
    """Return what a run looked at, with the first of its projects or ``every`` one."""
    found = discovery.files
    roots = _roots(found)
    wanted = list(roots.items())[: None if every else 1]
    return Evidence(
        rule_counts(found[0].settings, caches.of(found[0].settings)),
        [_root(path, settings, caches.of(settings)) for path, settings in wanted],
        len(roots),
        sorted(learned.versions),
        sorted(learned.unread),
        discovery.left_out,
        discovery.excluded,
    )


def _roots(found: Iterable[FileToLint]) -> dict[str, Settings]:
    """Return the root of each file's project: that of its repository, else what is linted."""
    roots: dict[str, Settings] = {}
    seen: set[str] = set()
    for each in found:
        folder = os.path.dirname(each.path)
        if folder not in seen:
            seen.add(folder)
            absolute = os.path.abspath(folder)
            linted = os.path.normpath(each.settings.linted or each.settings.root or absolute)
            roots.setdefault(repository(absolute, ON_DISK) or linted, each.settings)
    return roots


def _root(path: str, settings: Settings, cache: Cache | None) -> Root:
    """Return a project, from the cache if nothing that it was read from has changed."""
    known = None if cache is None else _from_stored(path, cache.fact(path))
    if known is not None:
        return known
    # A file of the project may crash its parser, as it has crashed it for those who asked before.
    ((_, read),) = guarded(lambda path: _read(path, settings, noted=cache is not None), [path])
    made, consulted = read or (Root(path, None, "", "", ()), {})
    if cache is not None and read is not None:
        cache.put_fact(path, made[1:], consulted)
    return made


def _read(path: str, settings: Settings, *, noted: bool) -> tuple[Root, Mapping[str, State]]:
    from rocmlint.lint.shared_disk import shared_disk  # noqa: PLC0415 - a known project needs none
    from rocmlint.project.project import Project  # noqa: PLC0415

    project = Project(path, settings, shared_disk(noted=noted))
    sign = project.rocm_sign
    versions = [each for name in ALWAYS for each in decided(name, project.versions(name))]
    root = Root(path, sign.is_rocm, sign.reason, sign.place, tuple(versions))
    return root, dict(project.consulted)


def _from_stored(path: str, stored: Any) -> Root | None:
    """Return a project as the cache has it; None where it is not valid."""
    try:
        is_rocm, sign, place, versions = stored
        if is_rocm not in (True, False, None):
            return None
        of_each = tuple(map(_decided, versions))
        return Root(path, is_rocm, str(sign), str(place), of_each)
    except (TypeError, ValueError, LookupError):
        return None


def stored_versions(numbers: Iterable[int], cache: Cache) -> list[Decided]:
    """Return what the cache knows of the versions that a file was judged by."""
    try:
        return [_decided(cache.answers[number]) for number in numbers]
    except (TypeError, ValueError, LookupError):
        return []


def _decided(stored: Any) -> Decided:
    """Return one version as the cache has it. Raises TypeError, ValueError and LookupError."""
    package, version, said, place, declared = stored
    return Decided(str(package), str(version), str(said), str(place), bool(declared))


def rule_counts(settings: Settings, cache: Cache | None) -> RuleCounts:
    """Return how many rules the settings use, from the cache if it knows."""
    known = None if cache is None else _counts_from_stored(cache.fact(""))
    if known is not None:
        return known
    from rocmlint.lint.selection import rules_of, why_off  # noqa: PLC0415 - loads the rules

    off: dict[str, int] = {}
    used = 0
    for rule in rules_of(settings):
        why = why_off(rule, settings)
        if why is None:
            used += 1
        else:
            off[why] = off.get(why, 0) + 1
    counts = RuleCounts(used, off)
    if cache is not None:
        cache.put_fact("", counts, {})
    return counts


def _counts_from_stored(stored: Any) -> RuleCounts | None:
    try:
        used, off = stored
        return RuleCounts(int(used), {str(why): int(number) for why, number in off.items()})
    except (TypeError, ValueError, AttributeError):
        return None
