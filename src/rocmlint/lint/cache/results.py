"""What earlier runs found, keyed by content, so that an unchanged file costs one ``stat``.

JSON, never pickle: a file in a checkout must not be able to run code. Whatever cannot be read is
forgotten; whatever cannot be written is only a line on stderr. All lies in a folder that the cache
made itself, inside the one that it is told: nothing else is ever written or deleted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from _blake2 import blake2b
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.disk.read import read_small
from rocmlint.disk.searches import Searches
from rocmlint.disk.since_last_run import Changes
from rocmlint.disk.state import SEARCH, TICK, Asked, content_of, data_of, digest_of
from rocmlint.lint.cache.folder import NAME, forget_old, write
from rocmlint.paths import relative
from rocmlint.rule.rule_files import rule_files
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.disk.disk import Disk
    from rocmlint.disk.state import State
    from rocmlint.lint.file_result import FileResult

MAXIMUM_BYTES = 100_000_000
"""Larger results are not read: those of a hundred thousand files are smaller."""


class CachedFile(NamedTuple):
    """What is remembered of a file.

    ``findings`` are plain lists (see :mod:`rocmlint.lint.cache.serialized`); ``consulted`` are the
    numbers of the paths beside the file that a rule looked at, and of what they were like.
    ``answers`` are those of what decided the versions that rules asked for, ``unread`` lines about
    places that were not read.
    """

    stat: tuple[int, int, int, int]
    digest: str
    findings: Sequence[Any]
    consulted: Sequence[int]
    answers: Sequence[int] = ()
    unread: Sequence[str] = ()


class _Consulted(NamedTuple):
    """Something that was consulted, as the cache has it.

    Of a question and of a search the state is the fingerprint of the answer. ``reads`` are the
    numbers of what a question has read, None where it is none.
    """

    key: str
    state: Any
    reads: Sequence[int] | None = None


class _Stored(NamedTuple):
    """A cache file: when its run began (nanoseconds), its files, what they consulted and learned.

    ``facts`` are about projects and not about a file, each with the numbers of what it rests on.
    """

    read: int
    files: dict[str, Any]
    consulted: list[_Consulted]
    answers: list[Any]
    facts: dict[str, Any]
    searches: Any


class Cache:
    """The remembered results of one folder of caches and one set of settings.

    What the files have consulted is written once, as most of a folder consult the same.
    """

    def __init__(self, folder: str, settings: Settings) -> None:
        """Read what is there, where :func:`refusal` has nothing against the folder."""
        self._folder = folder
        self._path = os.path.join(folder, NAME, f"{_key(settings)}.json")
        self._base = os.path.dirname(os.path.abspath(folder))
        self._folders: dict[str, str] = {}
        """The names of folders, which take longer to find than all else that a known file needs."""
        self._started = time.time_ns()
        stored = _load(self._path)
        self._read, self._files, self._consulted, self.answers, self._facts, searches = stored
        self._known_answers = {repr(each): number for number, each in enumerate(self.answers)}
        self._changed = False
        self.searches = Searches(searches, self._started)
        self._now = Changes(self.searches, self._disk)
        self._unchanged: dict[int, bool] = {}

    def get(self, path: str, stat: os.stat_result) -> CachedFile | None:
        """Return what is known of a file if neither it nor what its rules looked at changed."""
        name = self._name(path)
        entry = _entry(self._files.get(name), len(self._consulted))
        if entry is None:
            return None
        if self._may_differ(entry.stat, stat):
            if entry.stat[0] != stat.st_size or entry.digest != content_of(path):
                return None
            self._files[name] = [*_identity(stat), *entry[1:]]
            self._changed = True
        return entry if all(map(self._is_unchanged, entry.consulted)) else None

    def put(
        self,
        path: str,
        stat: os.stat_result,
        content: str,
        result: FileResult,
    ) -> None:
        """Remember what linting a file gave."""
        numbers = self._numbers_of(result.consulted)
        entry = [*_identity(stat), content, result.findings, numbers]
        if result.versions or result.unread:
            entry += [[self._answer(each) for each in result.versions], result.unread]
        self._files[self._name(path)] = entry
        self._changed = True

    def fact(self, name: str) -> Any:
        """Return what was remembered by a name, None if what it rests on has changed."""
        try:
            fact, numbers = self._facts[name]
            is_valid = _are_numbers(numbers, len(self._consulted))
        except (LookupError, TypeError, ValueError):
            return None
        return fact if is_valid and all(map(self._is_unchanged, numbers)) else None

    def put_fact(self, name: str, fact: Any, consulted: Mapping[str, State]) -> None:
        """Remember something about a project; it is forgotten when what it rests on changes."""
        self._facts[name] = [fact, self._numbers_of(consulted)]
        self._changed = True

    def _answer(self, answer: Sequence[Any]) -> int:
        """Return the number of what decided a version: most files of a project have the same."""
        key = repr([*answer])
        if key not in self._known_answers:
            self._known_answers[key] = len(self.answers)
            self.answers.append([*answer])
        return self._known_answers[key]

    def save(self) -> str | None:
        """Write the cache, whole or not at all; give a line that says why it could not be."""
        if not self._changed and not self.searches.has_changed:
            return None
        try:
            write(self._path, json.dumps(self._content(), separators=(",", ":")).encode())
            forget_old(os.path.dirname(self._path))
        except OSError as error:
            return f"{self._folder}: cannot write the cache: {error.strerror}"
        except RecursionError:  # somebody has written into it what can be read and not written
            os.unlink(self._path)
        return None

    def _content(self) -> dict[str, Any]:
        """Return what is written: of what was consulted only what some file still needs."""
        numbers = _Numbers(self._consulted)
        answers: dict[int, int] = {}
        files = {}
        for name, stored in self._files.items():
            entry = _entry(stored, len(self._consulted))
            if entry is not None:
                kept = numbers.of(entry.consulted)
                files[name] = [*entry.stat, entry.digest, entry.findings, kept]
                if entry.answers or entry.unread:
                    asked = [answers.setdefault(each, len(answers)) for each in entry.answers]
                    files[name] += [asked, entry.unread]
        facts = {}
        for name, (fact, rests_on) in self._facts.items():
            if _are_numbers(rests_on, len(self._consulted)):
                facts[name] = [fact, numbers.of(rests_on)]
        return {
            "read": self._started,
            "consulted": numbers.kept,
            "files": files,
            "answers": [self.answers[number] for number in answers if number < len(self.answers)],
            "facts": facts,
            "searches": self.searches.stored(_searched(key for key, *_ in numbers.kept)),
        }

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The numbers of what was consulted, by path or other key."""
        numbers: dict[str, list[int]] = {}
        for number, each in enumerate(self._consulted):
            numbers.setdefault(each.key, []).append(number)
        return numbers

    def _numbers_of(self, consulted: Mapping[str, State]) -> list[int]:
        return [self._number(key, state) for key, state in consulted.items()]

    def _number(self, key: str, state: State) -> int:
        kept: Any = state.answer if isinstance(state, Asked) else state
        folder, is_search, patterns = key.partition(SEARCH)
        if is_search and isinstance(state, list):
            self.searches.remember(folder, patterns, state)
            kept = digest_of(state)
        known = self._numbers.setdefault(key, [])
        for number in known:
            if self._consulted[number].state == kept:
                return number
        reads = self._numbers_of(state.read) if isinstance(state, Asked) else None
        known.append(len(self._consulted))
        self._consulted.append(_Consulted(key, kept, reads))
        return known[-1]

    def _is_unchanged(self, number: int) -> bool:
        if number not in self._unchanged:
            self._unchanged[number] = False  # for what rests on itself, as only others write it
            try:
                is_unchanged = self._is_as_it_was(number)
            except (ImportError, LookupError, TypeError, AttributeError, ValueError):
                is_unchanged = False  # others have written it
            self._unchanged[number] = is_unchanged
        return self._unchanged[number]

    def _is_as_it_was(self, number: int) -> bool:
        key, state, reads = self._consulted[number]
        if reads is None:
            return self._is_content_of(key, state) or self._now.is_unchanged(key, state)
        if all(map(self._is_unchanged, reads)):
            return True
        asked = self._now.asked_again(key)
        if asked.answer != state:
            return False
        self._consulted[number] = _Consulted(key, state, self._numbers_of(asked.read))
        self._changed = True
        return True

    def _is_content_of(self, path: str, content: Any) -> bool:
        """Return whether a linted file has not changed since it had this content."""
        try:
            known = self._files[self._name(path)]
            return known[4] == content and not self._may_differ(known, os.stat(path))
        except (OSError, LookupError, TypeError, ValueError):
            return False

    def _may_differ(self, known: Sequence[Any], stat: os.stat_result) -> bool:
        """Return whether the content of a file may be another one than when it was linted."""
        return (*known[:4],) != _identity(stat) or stat.st_ctime_ns > self._read - TICK

    @staticmethod
    def _disk() -> Disk:
        from rocmlint.lint.shared_disk import shared_disk  # noqa: PLC0415 - few runs ask again

        return shared_disk(noted=True)

    def _name(self, path: str) -> str:
        folder, separator, name = path.rpartition(os.sep)
        if folder not in self._folders:
            above = relative(folder + separator or os.curdir, self._base)
            self._folders[folder] = "" if above == os.curdir else os.path.join(above, "")
        return self._folders[folder] + name


class _Numbers:
    """New numbers for what is still needed, in the order in which it is."""

    def __init__(self, consulted: Sequence[_Consulted]) -> None:
        self._consulted = consulted
        self._new: dict[int, int] = {}
        self.kept: list[Any] = []

    def of(self, numbers: Iterable[int]) -> list[int]:
        """Return the new numbers of some things."""
        return [self._number(each) for each in numbers]

    def _number(self, number: int) -> int:
        if number not in self._new:
            self._new[number] = len(self.kept)
            key, state, reads = self._consulted[number]
            self.kept.append([key, state])
            if reads is not None:
                self.kept[self._new[number]].append(self.of(reads))
        return self._new[number]


def _searched(keys: Iterable[str]) -> dict[str, set[str]]:
    """Return the patterns of the searches among some keys, by folder."""
    found: dict[str, set[str]] = {}
    for folder, is_search, patterns in (each.partition(SEARCH) for each in keys):
        if is_search:
            found.setdefault(folder, set()).add(patterns)
    return found


def _identity(stat: os.stat_result) -> tuple[int, int, int, int]:
    # A change that keeps size and mtime (cp -p, touch -r) still shows in ctime and inode.
    return (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def _entry(stored: Any, consulted: int) -> CachedFile | None:
    """Return what a cache file holds of a file; None where it is not valid."""
    try:
        size, mtime, ctime, inode, content, findings, numbers, *learned = stored
        if _are_numbers(numbers, consulted):
            identity = (size, mtime, ctime, inode)
            return CachedFile(identity, content, findings, numbers, *learned)
    except (TypeError, ValueError):
        pass
    return None


def _are_numbers(numbers: Any, count: int) -> bool:
    """Check whether a cache file has the numbers of things of which there are so many."""
    known = range(count)
    return all(isinstance(each, int) and each in known for each in numbers)


def _load(path: str) -> _Stored:
    """Read a cache file."""
    try:
        stored = json.loads(read_small(path, MAXIMUM_BYTES))
        read, files, answers = stored["read"], stored["files"], stored["answers"]
        count = len(stored["consulted"])
        consulted = [_consulted(count, *each) for each in stored["consulted"]]
        facts = {str(name): (fact, [*on]) for name, (fact, on) in stored["facts"].items()}
        searches = stored["searches"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return _Stored(0, {}, [], [], {}, {})
    is_valid = isinstance(read, int) and isinstance(files, dict) and isinstance(answers, list)
    return (
        _Stored(read, files, consulted, answers, facts, searches)
        if is_valid
        else _Stored(0, {}, [], [], {}, {})
    )


def _consulted(count: int, key: str, state: Any, reads: Any = None) -> _Consulted:
    """Return what a cache file holds of something. Raises TypeError or ValueError."""
    if reads is not None and not _are_numbers(reads, count):
        raise ValueError(key)
    return _Consulted(str(key), state, reads)


def _key(settings: Settings) -> str:
    """Fingerprint all that decides what is found, apart from the files themselves."""
    state = blake2b(digest_size=16)
    # What a finding is worth, and how it is shown, changes none.
    notes = "off" if settings.notes == "off" else ""
    found_with = settings._replace(fail_on="", notes=notes)
    parts = (__version__, sys.version_info[:2], _libcst_version(), found_with._asdict())
    state.update(json.dumps(parts, sort_keys=True).encode())
    for path in rule_files(settings.rules):
        data = data_of(path) or b""
        state.update(b"%d " % len(data))
        state.update(data)
    return state.hexdigest()


def _libcst_version() -> str:
    """Return what says which LibCST is installed, without the cost of importing it."""
    for folder in sys.path:
        path = os.path.join(folder, "libcst", "_version.py")
        if os.path.isfile(path):
            return content_of(path)
    return ""
