"""The versions that lock files name, and whether these are older than the requirements beside."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

from rocmlint.disk.questions import question
from rocmlint.text.written import requirement_of, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.version import Version

    from rocmlint.disk.disk import DiskView
    from rocmlint.project.declarations import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TOML_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")
_JSON_LOCK = "Pipfile.lock"
_ENTRY = re.compile(r"^\[\[package\]\][ \t]*$", re.MULTILINE)


def locked(
    folder: str, package: str, declared: Sequence[Requirement], view: DiskView
) -> Iterator[tuple[str, Version]]:
    """Yield the versions of a package (normalized name) that lock files of a folder name.

    Each comes with the path of its file. ``declared`` are the requirements beside: a lock file that
    they exclude is older, and a tool makes it anew before it installs, or refuses it.
    """
    for name in (*_TOML_LOCKS, _JSON_LOCK):
        path = os.path.join(folder, name)
        for version in _locked_in(path, package, view) if view.exists(path) else ():
            if not _is_stale(version, declared):
                yield path, version


@question
def _locked_in(path: str, package: str, view: DiskView) -> tuple[Version, ...]:
    """Return the versions of a package that a lock file names."""
    read = _in_json if path.endswith(_JSON_LOCK) else _in_toml
    return read(view.read(path), package)


def _is_stale(version: Version, declared: Sequence[Requirement]) -> bool:
    parsed = [requirement_of(each.declared.text) for each in declared]
    return bool(parsed) and not any(
        each is None or each.url or each.specifier.contains(version, prereleases=True)
        for each in parsed
    )


@lru_cache(maxsize=32)
def _in_toml(text: str, package: str) -> tuple[Version, ...]:
    """Read the versions of one package; the other entries, megabytes often, are not parsed."""
    entries = (each for each in _ENTRY.split(text)[1:] if package in each.replace("_", "-")[:200])
    found = []
    for entry in entries:
        try:
            table = tomllib.loads(entry.split("\n[", 1)[0])
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        if canonicalize_name(str(table.get("name", ""))) == package:
            found.append(_version(table.get("version")))
    return tuple(dict.fromkeys(each for each in found if each is not None))


@lru_cache(maxsize=32)
def _in_json(text: str, package: str) -> tuple[Version, ...]:
    try:
        sections = json.loads(text)
        entries = [sections.get(each, {}).get(package, {}) for each in ("default", "develop")]
        found = [_version(str(each.get("version", "")).removeprefix("==")) for each in entries]
    except (ValueError, AttributeError, RecursionError):
        return ()
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _version(text: Any) -> Version | None:
    return version_of(text) if isinstance(text, str) else None
