"""The findings that old code is allowed to have: a JSON file, so that only new ones are reported.

Each entry names a file, a rule and the text that was found (as hashes, see
:mod:`rocmlint.report.fingerprint`), never a line number: what moves stays known, and one more of
the same is new. Notes have a list of their own, so that a run without notes knows which entries it
cannot judge. Paths are relative to the folder of the baseline file. The format is described
by ``docs/schema/baseline.json``.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import read_small
from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.paths import relative
from rocmlint.report.fingerprint import posix
from rocmlint.report.known_findings import KnownFinding, as_known, compare
from rocmlint.report.lines import Lines
from rocmlint.report.notes import is_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rocmlint.findings import Finding

    Linted = Callable[[str, str, bool], bool]

VERSION = 1
MAXIMUM_BYTES = 100_000_000
"""A larger file is not read: it would allow hundreds of thousands of findings."""


class Baseline(NamedTuple):
    """The entries of a baseline."""

    findings: Sequence[KnownFinding]
    notes: Sequence[KnownFinding]


class Filtered(NamedTuple):
    """The findings that a baseline does not know, and its entries that match nothing any more."""

    new: Sequence[Finding]
    stale: Sequence[KnownFinding]


def filter_known(path: str, findings: Sequence[Finding], lines: Lines, linted: Linted) -> Filtered:
    """Take away the findings that the baseline file knows.

    ``linted`` says whether the run would have found anything of a rule (its code) in a file (its
    absolute path), or a note: only such an entry can be stale. Raises ConfigError.
    """
    known = read(path)
    found = [(each, _entry(each, lines, path)) for each in findings]
    new, left = compare(found, [*known.findings, *known.notes])
    notes = set(known.notes)
    return Filtered(
        new,
        [each for each in left if linted(_place(each, path), each.code, each in notes)],
    )


def without_known(
    baseline: str | None, findings: Sequence[Finding], path: str, text: str
) -> Sequence[Finding]:
    """Leave out what a baseline, if there is one, knows of a file with this path and text.

    Raises ConfigError.
    """
    if baseline is None or not findings:
        return findings
    return filter_known(baseline, findings, Lines({path: text}), below(path)).new


def write(path: str, findings: Sequence[Finding], lines: Lines, linted: Linted) -> int:
    """Write the baseline file that allows these findings, and say how many entries it has.

    What it already allows where the run did not look (see ``filter_known``) stays. Raises
    ConfigError.
    """
    others = read(path) if os.path.exists(path) else Baseline((), ())
    lists = []
    for known, notes in ((others.findings, False), (others.notes, True)):
        kept = [each for each in known if not linted(_place(each, path), each.code, notes)]
        found = (_entry(each, lines, path) for each in findings if is_note(each) == notes)
        lists.append(sorted([*kept, *found]))
    listed = f'  "findings": {_json_list(lists[0])}'
    listed += f',\n  "notes": {_json_list(lists[1])}' if lists[1] else ""
    content = f'{{\n  "version": {VERSION},\n{listed}\n}}\n'
    try:
        write_atomically(path, content.encode())
    except OSError as error:
        message = f"baseline {path} cannot be written: {error.strerror}"
        raise ConfigError(message) from error
    return sum(map(len, lists))


def _json_list(entries: Sequence[KnownFinding]) -> str:
    listed = ",\n".join("    " + json.dumps(entry._asdict()) for entry in entries)
    return f"[\n{listed}\n  ]" if entries else "[]"


def below(*paths: str) -> Linted:
    """Return the ``linted`` of a run that looked for everything in some files and folders."""
    above = tuple(os.path.join(os.path.abspath(path), "") for path in paths)
    return lambda path, *_: os.path.join(path, "").startswith(above)


def read(path: str) -> Baseline:
    """Read a baseline file. Raises ConfigError."""
    try:
        stored = json.loads(read_small(path, MAXIMUM_BYTES))
    except OSError as error:
        message = (
            f"baseline {path} cannot be read ({error.strerror}); create it with --write-baseline"
        )
        raise ConfigError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"baseline {path} is not valid JSON ({error}); recreate it with --write-baseline"
        raise ConfigError(message) from error
    version = stored.get("version") if isinstance(stored, dict) else None
    if version != VERSION:
        message = (
            f"baseline {path} has version {version!r}, but this version of rocmlint reads "
            f"version {VERSION}"
        )
        raise ConfigError(f"{message}; recreate it with --write-baseline")
    try:
        return Baseline(_entries(stored["findings"]), _entries(stored.get("notes", ())))
    except (LookupError, TypeError) as error:
        message = f"baseline {path} is damaged; recreate it with --write-baseline"
        raise ConfigError(message) from error


def _entries(stored: Iterable[Mapping[str, object]]) -> list[KnownFinding]:
    return [KnownFinding(*(str(each[field]) for field in KnownFinding._fields)) for each in stored]


def _entry(finding: Finding, lines: Lines, baseline: str) -> KnownFinding:
    return as_known(finding, _from_folder_of(baseline, finding.path), lines)


def _place(entry: KnownFinding, baseline: str) -> str:
    return os.path.abspath(os.path.join(os.path.dirname(baseline), entry.path))


def _from_folder_of(baseline: str, path: str) -> str:
    """Write a path relative to the folder of the baseline file."""
    folder = os.path.dirname(os.path.abspath(baseline))
    return posix(relative(os.path.abspath(path), folder))
