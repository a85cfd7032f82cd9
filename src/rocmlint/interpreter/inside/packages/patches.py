"""Facts about the files of a manifest in this interpreter, without a judgement."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from dataclasses import asdict
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from .. import search
from ..imports.bytecode import Execution, compiled, execution_of
from ..imports.files import (
    ModuleCopy,
    found_below,
    importer_of,
    locate,
    sha256_of,
    source_in_archive,
    text_of,
    winner_and_others,
    winners,
)
from ..live.source.forms import difference
from ..parents.parent_imports import Sources, doubts
from .machinery import changes, place_of
from .records import installed, is_as_recorded, known_record_of, owners

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def answer(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the facts that :func:`facts_of` returns, on each manifest."""
    return [facts_of(each) for each in requests]


def facts_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the facts on ``package`` and on each of ``files`` (path, module, sha256).

    ``patched`` are the paths of all files of the manifest, also of those not asked for.
    """
    package, files, patched = request["package"], request["files"], set(request["patched"])
    return {
        "interpreter": {
            "executable": sys.executable,
            "version": ".".join(map(str, sys.version_info[:3])),
            "prefix": sys.prefix,
        },
        "by_name": [asdict(each) for each in installed(package, search.path())],
        "packages": [
            _or_error({"folder": top}, partial(_package, top, package, patched))
            for top in sorted({each.split("/")[0] for each in patched})
        ],
        "files": [_or_error(each, partial(_file, each, package)) for each in files],
    }


def _or_error(subject: dict[str, Any], facts: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Keep what goes wrong with one subject from hiding the others."""
    try:
        return {**subject, **facts()}
    except Exception as error:  # noqa: BLE001 - finders of the user may raise anything
        return {**subject, "error": f"{type(error).__name__}: {error}"}


def _package(top: str, package: str, patched: set[str]) -> dict[str, Any]:
    """Return which copy of a package wins, and how far its distributions are those of its files."""
    copies = locate(os.path.splitext(top)[0])
    root = copies[0].root if copies else None
    found = []
    for each in owners(package, root) if root else []:
        record = known_record_of(each)
        if each.source or not record or any(_is_below(path, top) for path in record):
            found.append({**asdict(each), **_sample(record, top, each.root, patched)})
    return {"copies": [asdict(each) for each in copies], "distributions": found}


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _sample(record: Mapping[str, str], top: str, root: str, patched: set[str]) -> dict[str, Any]:
    """Compare the files right in the package's folder with the record, where that has a hash."""
    found: dict[str, Any] = {"equal": 0, "differing": []}
    for path, recorded in record.items():
        if os.path.dirname(path) == top and path.endswith(".py") and path not in patched:
            is_equal = _is_as_recorded(os.path.join(root, path), recorded)
            if is_equal:
                found["equal"] += 1
            elif is_equal is not None:
                found["differing"].append(path)
    return found


def _is_as_recorded(path: str, recorded: str) -> bool | None:
    try:
        return is_as_recorded(path, recorded)
    except OSError:
        return False


def _file(wanted: dict[str, Any], package: str) -> dict[str, Any]:
    path, module = wanted["path"], wanted["module"]
    winner, others = winner_and_others(module) if module else _data_file(path)
    facts = _winner(winner, path, package) if winner else None
    is_right = facts is not None and facts["sha256"] == wanted["sha256"]
    if facts is not None:
        is_file = not is_right and bool(facts["origin"]) and facts["kind"] != "zip"
        facts["differs"] = difference(facts["origin"], wanted["sha256"]) if is_file else ""
    copies = locate(os.path.splitext(path.split("/", maxsplit=1)[0])[0])
    root = copies[0].root if copies else None
    higher = list(_one_too_high(path, wanted["sha256"], root))
    misplaced = [] if is_right else list(_misplaced(path, wanted["sha256"], root))
    astray = (each for each in (*higher, *misplaced) if _hash(each) == wanted["sha256"])
    return {
        "root": root,
        "winner": facts,
        "others": [_described(each) for each in others],
        "higher": higher,
        "misplaced": misplaced,
        "astray": next(astray, None),
        "loaded": _loaded(module, winner) if module else None,
        "doubts": _doubts(module, winner) if module else [],
    }


def _data_file(path: str) -> tuple[ModuleCopy | None, list[ModuleCopy]]:
    """Find a file that is not a module: below each copy of its package."""
    top, _, rest = path.partition("/")
    found = []
    for package in locate(top):
        for folder in package.locations or ():
            place = os.path.join(folder, rest)
            if os.path.isfile(place):
                found.append(ModuleCopy(path, "data", place, "", package.root))
    first = locate(top)[:1]
    wins = found and first and found[0].root == first[0].root
    return (found[0], found[1:]) if wins else (None, found)


def _described(copy: ModuleCopy) -> dict[str, Any]:
    """Return a copy and the hash of its content."""
    facts: dict[str, Any] = {**asdict(copy), "sha256": None, "unreadable": None}
    try:
        if copy.kind == "zip":
            facts["sha256"] = hashlib.sha256(text_of(copy)).hexdigest()
        elif copy.origin:
            facts["sha256"] = sha256_of(copy.origin)
    except OSError as error:
        facts["unreadable"] = error.strerror or str(error)
    return facts


def _winner(copy: ModuleCopy, path: str, package: str) -> dict[str, Any]:
    """Return all that is known of the copy that an import takes."""
    facts = _described(copy)
    if copy.origin is None or facts["unreadable"]:
        return facts
    if copy.kind == "zip":
        return {**facts, "execution": asdict(_execution_in_archive(copy))}
    status = os.stat(copy.origin)
    folder = os.path.dirname(copy.origin)
    real = os.path.realpath(copy.origin)
    return {
        **facts,
        "links": status.st_nlink,
        "mode": stat.filemode(status.st_mode),
        "real": real if _is_linked(copy, real) else None,
        "writable": os.access(copy.origin, os.W_OK),
        "folder_writable": os.access(folder, os.W_OK),
        "folder_mode": stat.filemode(os.stat(folder).st_mode),
        "user": os.geteuid() if hasattr(os, "geteuid") else None,
        "recorded": _recorded(copy, path, package),
        "execution": asdict(execution_of(copy.origin)) if copy.kind == "source" else None,
    }


def _is_linked(copy: ModuleCopy, real: str) -> bool:
    """Return whether a symbolic link leads out of the folder that holds the package."""
    root, origin = cast("str", copy.root), cast("str", copy.origin)
    return real != os.path.join(os.path.realpath(root), os.path.relpath(origin, root))


def _recorded(copy: ModuleCopy, path: str, package: str) -> bool | None:
    """Return whether a file is the one of its wheel; None without a hash of it."""
    for distribution in owners(package, copy.root or ""):
        recorded = known_record_of(distribution).get(path)
        if recorded is not None and copy.origin:
            return is_as_recorded(copy.origin, recorded)
    return None


def _execution_in_archive(copy: ModuleCopy) -> Execution:
    """Return what an import from an archive runs: the loader itself decides about its bytecode."""
    source = source_in_archive(copy)
    taken = copy.origin if copy.origin != source else None
    kind = "archived" if taken else "none"
    try:
        code = compiled(text_of(copy), source)
        same = importer_of(copy).get_code(copy.module) == code
    except Exception as error:  # noqa: BLE001 - broken bytecode gives any
        return Execution(taken, kind, used=bool(taken), same=False, error=str(error))
    return Execution(taken, kind, used=bool(taken), same=same)


def _one_too_high(path: str, sha256: str, root: str | None) -> Iterator[str]:
    """Find the file where a wrong number of ``parents`` puts it: ``site-packages/models/...``."""
    rest = path.partition("/")[2]
    for entry in dict.fromkeys(os.path.abspath(each) for each in search.path()):
        place = os.path.join(entry, rest)
        if rest and os.path.isfile(place) and (entry == root or _hash(place) == sha256):
            yield place


def _misplaced(path: str, sha256: str, root: str | None) -> Iterator[str]:
    """Find the content of the file elsewhere below the package's folder."""
    if root is None:
        return
    right, name = os.path.join(root, path), os.path.basename(path)
    for place in _files_by_name(os.path.join(root, path.split("/", maxsplit=1)[0])).get(name, ()):
        if place != right and _hash(place) == sha256:
            yield place


@cache
def _files_by_name(top: str) -> dict[str, list[str]]:
    """Return the files below a folder by their names."""
    found: dict[str, list[str]] = {}
    for folder, _, names in os.walk(top):
        for name in names:
            found.setdefault(name, []).append(os.path.join(folder, name))
    return found


@cache
def _hash(path: str) -> str | None:
    try:
        return sha256_of(path)
    except OSError:
        return None


_SOURCES = Sources(winners)
"""Each is read once for all files of the manifests."""


def _doubts(module: str, winner: ModuleCopy | None) -> list[dict[str, str | None]]:
    """Return what may make an import of the module execute other code, or change what it made."""
    found: list[dict[str, str | None]] = [asdict(each) for each in changes()]
    if winner is not None and (chain := winners(module)):
        found += [asdict(each) for each in doubts(module, chain, _SOURCES, found_below)]
    for name in _with_parents(module):
        if name in sys.modules and type(sys.modules[name]) is not ModuleType:
            kind = type(sys.modules[name])
            found.append(
                {
                    "what": f"puts a {kind.__name__} into sys.modules as {name}",
                    "place": place_of(kind),
                }
            )
    return found


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _loaded(module: str, winner: ModuleCopy | None) -> dict[str, Any] | None:
    """Report a module that start-up code has put into ``sys.modules``, and its file."""
    if module not in sys.modules:
        return None
    spec = getattr(sys.modules[module], "__spec__", None)
    origin = getattr(spec, "origin", None)
    is_winner = winner is not None and winner.origin == origin
    return {"origin": origin, "is_winner": is_winner}
