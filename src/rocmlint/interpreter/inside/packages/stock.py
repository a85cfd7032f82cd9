"""How an installed distribution differs from its wheel, by its RECORD."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from importlib.machinery import SOURCE_SUFFIXES, all_suffixes
from typing import TYPE_CHECKING, Any

from .. import forks, progress, search
from ..imports.bytecode import execution_of, runs_bytecode
from ..imports.files import locate
from .records import (
    InstalledDistribution,
    installed,
    is_as_recorded,
    known_record_of,
    needs_no_hash,
    normalized,
    record_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def answer(request: list[str]) -> dict[str, Any]:
    """Return the facts on each package of that name, the one that is found first in front."""
    return {
        "interpreter": {
            "executable": sys.executable,
            "version": ".".join(map(str, sys.version_info[:3])),
        },
        "packages": [
            {"name": name, "distributions": [_facts(each) for each in _all(normalized(name))]}
            for name in request
        ],
    }


def _all(name: str) -> list[InstalledDistribution]:
    return installed(name, list(dict.fromkeys(os.path.abspath(each) for each in search.path())))


def _facts(distribution: InstalledDistribution) -> dict[str, Any]:
    """Compare each file; ``error`` says why nothing could be compared."""
    facts = asdict(distribution)
    try:
        record = record_of(distribution)
    except ValueError as error:
        return {**facts, "error": str(error)}
    if record is None:
        return {**facts, "error": "there is no RECORD"}
    return {
        **facts,
        **_compared(record, distribution.root),
        "added": sorted(_added(record, distribution)),
        "elsewhere": list(_taken_elsewhere(record, distribution.root)),
    }


def _compared(record: Mapping[str, str], root: str) -> dict[str, Any]:
    found: dict[str, Any] = {"equal": 0, "changed": [], "missing": [], "unhashed": []}
    equal = []
    for number, (path, recorded) in enumerate(record.items(), 1):
        progress.report(f"{os.path.basename(root)}/{path} ({number} of {len(record)} files)")
        if needs_no_hash(path):
            continue
        place = os.path.join(root, path)
        if not os.path.lexists(place):
            found["missing"].append(path)
            continue
        try:
            is_equal = is_as_recorded(place, recorded)
        except OSError as error:
            found["unhashed"].append({"path": path, "why": error.strerror or str(error)})
        else:
            if is_equal:
                equal.append((path, place))
            elif is_equal is None:
                found["unhashed"].append({"path": path, "why": "RECORD has no hash for it"})
            else:
                found["changed"].append({"path": path, "links": os.stat(place).st_nlink})
    sources = [each for each in equal if each[0].endswith(tuple(SOURCE_SUFFIXES))]
    # To compile all of torch again takes most of the time.
    stale = [each for some in forks.spread(_stale, sources) for each in some]
    return {**found, "equal": len(equal), "stale": stale}


def _stale(source: tuple[str, str]) -> list[dict[str, Any]]:
    """Return what an import runs of a file if that is not the file's own code."""
    path, place = source
    progress.report(f"{path} (its bytecode)")
    execution = execution_of(place) if runs_bytecode(place) else None
    return [] if execution is None or execution.same else [{"path": path, **asdict(execution)}]


def _folders(record: Iterable[str]) -> set[str]:
    """Return the folders that the distribution's packages are in."""
    tops = {path.split("/", maxsplit=1)[0] for path in record if "/" in path}
    return {each for each in tops if each.isidentifier() and each != "__pycache__"}


def _added(record: Mapping[str, str], distribution: InstalledDistribution) -> set[str]:
    """Find what can be imported from the distribution's folders and no RECORD knows of."""
    found = {
        path
        for top in _folders(record)
        for path in _importable(distribution.root, top)
        if path not in record
    }
    if found:  # packages such as google/ are shared by several distributions
        for other in _others(distribution):
            found -= known_record_of(other).keys()
    return found


def _others(distribution: InstalledDistribution) -> Iterator[InstalledDistribution]:
    """Yield the other distributions of the folder."""
    for name in os.listdir(distribution.root):
        stem, extension = os.path.splitext(name)
        if extension == ".dist-info" and stem != os.path.basename(distribution.place):
            yield from installed(normalized(stem.split("-", maxsplit=1)[0]), [distribution.root])


def _importable(root: str, top: str) -> Iterator[str]:
    suffixes = tuple(all_suffixes())
    for folder, folders, names in os.walk(os.path.join(root, top)):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for name in names:
            if name.endswith(suffixes):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def _taken_elsewhere(record: Mapping[str, str], root: str) -> Iterator[dict[str, Any]]:
    """Yield the packages of the distribution that an import takes from another place."""
    for path in record:
        folder, _, name = path.partition("/")
        is_package = name == "__init__.py" and folder.isidentifier()
        if is_package or (not name and path.endswith(".py")):
            module = os.path.splitext(folder)[0]
            copies = locate(module)
            if not copies or not _is_same(copies[0].origin, os.path.join(root, path)):
                yield {"module": module, "origin": copies[0].origin if copies else None}


def _is_same(one: str | None, other: str) -> bool:
    try:
        return one is not None and os.path.samefile(one, other)
    except OSError:
        return False
