"""The file format of the requirements: a line of JSON for each package, below one with the date.

A line has the releases of a package and, for each requirement, the runs of releases that have it.
tools/build_requirements.py and ``rocmlint stack update`` write it, requirements.py reads it.
"""

from __future__ import annotations

import json
import zlib
from datetime import date
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypedDict

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

NAME = "requirements.jsonl.gz"
_GZIP = 16 + zlib.MAX_WBITS
_EPOCH = date(1970, 1, 1).toordinal()
_MOST = 64 << 20
"""Bytes of the text; the shipped one has a million."""


class Facts(TypedDict, total=False):
    """What is known of a release; nothing where its metadata could not be read."""

    requires_dist: list[str]
    requires_python: str
    is_yanked: bool
    uploaded: str
    """The day of its first file, as 2026-11-13."""


def unpacked(content: bytes) -> tuple[str, dict[str, str]]:
    """Return the date and the line of each package. Raises ValueError or LookupError."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(content, _MOST).decode()
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if unpacker.unconsumed_tail or not unpacker.eof:
        message = "cut, or too large"
        raise ValueError(message)
    head, *lines = text.splitlines()
    pairs = (line.partition("\t") for line in lines)
    return str(json.loads(head)["as_of"]), {name: line for name, _, line in pairs}


def packed(as_of: str, lines: Mapping[str, str]) -> bytes:
    """Return the content of the file; the same lines give the same bytes."""
    text = [json.dumps({"as_of": as_of}), *(f"{name}\t{lines[name]}" for name in sorted(lines))]
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP)  # writes no time, so that nothing varies
    return packer.compress("".join(f"{line}\n" for line in text).encode()) + packer.flush()


def line_of(releases: Mapping[str, Facts], known: Collection[str]) -> str:
    """Return the line of a package; only requirements of packages that are known are kept."""
    listed = sorted(releases, key=Version)
    requires: dict[str, list[int]] = {}
    python: dict[str, list[int]] = {}
    yanked, unknown = [], []
    for at, facts in enumerate(releases[each] for each in listed):
        if "requires_dist" not in facts:
            unknown.append(at)
            continue
        if facts["is_yanked"]:
            yanked.append(at)
        python.setdefault(facts["requires_python"], []).append(at)
        for requirement in _requirements(facts["requires_dist"], known):
            requires.setdefault(requirement, []).append(at)
    line: dict[str, Any] = {
        "releases": " ".join(listed),
        "yanked": _runs(yanked),
        "unknown": _runs(unknown),
        "requires": {text: _runs(requires[text]) for text in sorted(requires)},
        "python": {text: _runs(python[text]) for text in sorted(python)},
    }
    days = _days([releases[each].get("uploaded", "") for each in listed])
    line |= {"published": days} if days else {}
    return json.dumps(line, separators=(",", ":"))


def releases_of(line: str) -> dict[str, Facts]:
    """Return what a line says of each release. Raises ValueError, TypeError or LookupError."""
    row: dict[str, Any] = json.loads(line)
    listed = row["releases"].split()
    unknown, yanked = set(_places(row["unknown"])), set(_places(row["yanked"]))
    found: dict[str, Facts] = {}
    for at, release in enumerate(listed):
        found[release] = Facts()
        if at not in unknown:
            found[release] = Facts(requires_dist=[], requires_python="", is_yanked=at in yanked)
    for text, runs in row["requires"].items():
        for at in _places(runs):
            found[listed[at]]["requires_dist"].append(text)
    for text, runs in row["python"].items():
        for at in _places(runs):
            found[listed[at]]["requires_python"] = text
    for release, days in zip(listed, accumulate(row.get("published", ())), strict=False):
        found[release]["uploaded"] = date.fromordinal(_EPOCH + days).isoformat()
    return found


def _days(uploaded: Sequence[str]) -> list[int]:
    """Return the day of the first release since 1970, and of each other since the one before it.

    A release whose day is not known has that of the release before it.
    """
    before = min(filter(None, uploaded), default="")
    numbers = []
    for each in uploaded if before else ():
        before = each or before
        numbers.append(date.fromisoformat(before).toordinal() - _EPOCH)
    return [*numbers[:1], *(after - day for day, after in pairwise(numbers))]


def _runs(places: Iterable[int]) -> list[int]:
    """Put ascending places into runs: first, last, first, last ..."""
    runs: list[int] = []
    for at in places:
        if runs and runs[-1] == at - 1:
            runs[-1] = at
        else:
            runs += [at, at]
    return runs


def _places(runs: Sequence[int]) -> Iterator[int]:
    """Yield the places of runs, the other way round."""
    for first, last in zip(runs[::2], runs[1::2], strict=True):
        yield from range(first, last + 1)


def _requirements(lines: Iterable[str], known: Collection[str]) -> list[str]:
    found = filter(None, map(_normalized, lines))
    return sorted({text for name, text in found if name in known})


@lru_cache(maxsize=65_536)
def _normalized(line: str) -> tuple[str, str] | None:
    """Return the package of a requirement, and the requirement with its normalized name."""
    if requirement_of(line) is None:  # as old metadata has them; pip does not take them either
        return None
    requirement = Requirement(line)
    requirement.name = canonicalize_name(requirement.name)
    return requirement.name, str(requirement)
