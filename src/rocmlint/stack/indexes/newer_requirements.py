"""Newer releases of the packages that rocmlint knows, read from a package index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.requirement_lines import Facts, line_of, releases_of
from rocmlint.stack.indexes.fetch import FetchError
from rocmlint.stack.indexes.simple_index import (
    by_python,
    first_uploads,
    project_files,
    release_of,
    wheel_of,
)
from rocmlint.stack.indexes.wheel_metadata import facts_of
from rocmlint.text.secrets import without_password

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.stack.indexes.fetch import IndexReader
    from rocmlint.stack.indexes.simple_index import IndexFile

_AT_ONCE = 4
_MOST_RELEASES = 30
"""New releases of a package that are read, the newest: of a nightly one there are many."""
_PREFERRED = ("py3", "py2.py3", "cp311")
"""Of several wheels the one for these Pythons is read, as the shipped table was."""


class FoundRequirements(NamedTuple):
    """Requirements that the index had of one package."""

    package: str
    line: str
    """The requirements as a line; the earlier ones if they could not be read."""
    new: tuple[str, ...] = ()
    """Releases that were not known before, ascending."""
    uploaded: str = ""
    """The day of its newest release."""
    problem: str = ""


def find_newer(
    reader: IndexReader, index: str, progress: Callable[[str], None]
) -> tuple[FoundRequirements, ...]:
    """Ask an index for each package; what is not reached in time stays as it was known."""
    lines = requirements.lines()

    def one(package: str) -> FoundRequirements:
        found = _newer(reader, index, package, lines)
        progress(package)
        return found

    threads = ThreadPoolExecutor(_AT_ONCE)
    try:
        return tuple(threads.map(one, lines))
    except BaseException:
        reader.stop()
        raise
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def newest_day(found: Iterable[FoundRequirements], before: str) -> str:
    """Return the day of the newest release, that before where not all packages were reached.

    An index without days was read today, and has what there is until today.
    """
    found = tuple(found)
    if any(each.problem for each in found):
        return before
    today = datetime.now(timezone.utc).date().isoformat()
    days = [each.uploaded for each in found]
    return max([before, *days]) if all(days) else today


def _newer(
    reader: IndexReader, index: str, package: str, lines: dict[str, str]
) -> FoundRequirements:
    line = lines[package]
    try:
        files = project_files(reader, index, package)
    except FetchError as error:
        return FoundRequirements(package, line, problem=str(error))
    if not files:
        return FoundRequirements(
            package, line, problem=f"{without_password(index)} lists no files of it"
        )
    known, days = releases_of(line), first_uploads(files)
    fresh = _new(files, known, days)
    problem = ""
    for version, wheels in fresh.items():
        try:
            known[version] = facts_of(reader, package, wheels[0]) if wheels else Facts()
        except FetchError as error:
            problem = problem or str(error)
    for version, facts in known.items():
        if version in fresh and version in days:
            facts["uploaded"] = days[version]
    _mark_yanked(known, files)
    new = tuple(sorted(known.keys() & fresh.keys(), key=Version))
    return FoundRequirements(
        package, line_of(known, lines), new, max(days.values(), default=""), problem
    )


def _new(
    files: Sequence[IndexFile], known: dict[str, Facts], days: dict[str, str]
) -> dict[str, list[IndexFile]]:
    """Return the wheels of each final release that came out since the table was made."""
    newest, as_of = max(map(Version, known), default=Version("0")), requirements.AS_OF
    found: dict[Version, list[IndexFile]] = {}
    for each in files:
        version = release_of(each.name)
        if version is None or version.is_prerelease or version.local or str(version) in known:
            continue
        day = days.get(str(version), "")
        if day >= as_of if day else version > newest:
            wheels = found.setdefault(version, [])
            if (wheel := wheel_of(each.name)) is not None and wheel.is_for_linux:
                wheels.append(each)
    latest = sorted(found, reverse=True)[:_MOST_RELEASES]
    return {str(each): sorted(found[each], key=_rank) for each in latest}


def _rank(file: IndexFile) -> tuple[int, tuple[int, bool, str]]:
    """Return the key that puts the wheel first that is read."""
    wheel = wheel_of(file.name)
    tags = wheel.python_tags if wheel else ()
    ranks = [_PREFERRED.index(each) for each in tags if each in _PREFERRED]
    return min(ranks, default=len(_PREFERRED)), by_python(tags[0] if tags else "")


def _mark_yanked(known: dict[str, Facts], files: Iterable[IndexFile]) -> None:
    """Set which releases are yanked: those of which all files are."""
    yanked: dict[str, bool] = {}
    for each in files:
        version = str(release_of(each.name))
        yanked[version] = yanked.get(version, True) and each.yanked
    for version, is_yanked in yanked.items():
        if "requires_dist" in known.get(version, {}):
            known[version]["is_yanked"] = is_yanked
