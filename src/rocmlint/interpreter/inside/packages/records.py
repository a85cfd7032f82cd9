"""Installed distributions: which one a file belongs to, and what its RECORD says of the file.

What is read is kept: each question is answered by a process of its own.
"""

from __future__ import annotations

import base64
import csv
import json
import os
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse
from urllib.request import url2pathname

from .. import search
from ..imports.files import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALGORITHMS = ("sha256", "sha384", "sha512")
_MOST_UP = 3
"""Folders between site-packages and that of the environment: ``lib/python3.12/site-packages``."""
_UNHASHED = ("RECORD", "RECORD.jws", "RECORD.p7s")
"""Files of which a RECORD cannot hold a hash (the format's specification)."""


@dataclass(frozen=True)
class InstalledDistribution:
    """A distribution: ``place`` is its .dist-info or .egg-info, ``root`` the folder around it.

    ``source`` is the project's folder if the install is editable, ``installer`` who says to have
    installed it, ``has_record`` whether there is a RECORD.
    """

    name: str
    version: str
    place: str
    root: str
    installer: str
    source: str | None
    has_record: bool


def normalized(name: str) -> str:
    """Return the form in which names of distributions are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(name: str, path: list[str]) -> list[InstalledDistribution]:
    """Find the distributions of a name in folders, in their order."""
    return [each for folder in path for each in in_folder(folder) if normalized(name) == each.name]


def owners(name: str, root: str) -> list[InstalledDistribution]:
    """Find the distributions of a name that a package in a folder can belong to.

    That are those next to it, or the editable installs of a project that has it: what is editable
    has its files elsewhere, so a package next to it is a leftover of another install.
    """
    beside = [each for each in installed(name, [root]) if each.source is None]
    return beside or [
        each
        for each in installed(name, search.path())
        if each.source and _is_below(root, os.path.realpath(each.source))
    ]


def record_of(distribution: InstalledDistribution) -> Mapping[str, str] | None:
    """Read the RECORD: hashes ("sha256=...", empty for none) by path below the root.

    None if there is none. Raises ValueError for one that cannot be read.
    """
    if not distribution.has_record:
        return None
    try:
        with open(os.path.join(distribution.place, "RECORD"), encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, ValueError, csv.Error) as error:
        message = f"RECORD cannot be read: {error}"
        raise ValueError(message) from error
    paths = ((row[0].replace("\\", "/"), row[1] if len(row) > 1 else "") for row in rows)
    return {path: recorded for path, recorded in paths if _is_of_environment(path)}


def _is_of_environment(path: str) -> bool:
    """Return whether a path below the root leads no further up than to ``../../../bin``."""
    parts = path.split("/")
    up = len(list(takewhile("..".__eq__, parts)))
    return not os.path.isabs(path) and up <= _MOST_UP and ".." not in parts[up:]


@cache
def known_record_of(distribution: InstalledDistribution) -> Mapping[str, str]:
    """Read the RECORD; empty if there is none that can be read."""
    try:
        return record_of(distribution) or {}
    except ValueError:
        return {}


def is_as_recorded(path: str, recorded: str) -> bool | None:
    """Compare a file with its entry; None if that has no hash to compare with. Raises OSError.

    Wheels write hashes in urlsafe base64 without padding; AMD's wheel_splitter writes hexadecimal.
    """
    algorithm, _, expected = recorded.partition("=")
    if algorithm not in _ALGORITHMS or not expected:
        return None
    digest = digest_of(path, algorithm)
    encoded = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return expected.rstrip("=") == encoded or expected.lower() == digest.hex()


def needs_no_hash(path: str) -> bool:
    """Return whether an entry has no hash in every RECORD: itself, and bytecode."""
    return os.path.basename(path) in _UNHASHED or "/__pycache__/" in f"/{path}"


@cache
def in_folder(folder: str) -> tuple[InstalledDistribution, ...]:
    """Find the distributions of a folder, by name."""
    try:
        names = sorted(os.listdir(folder or os.curdir))
    except OSError:  # an archive, or a folder that is on sys.path but not there
        return ()
    found = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
    return tuple(_read(os.path.abspath(folder), name) for name in found)


def _read(root: str, folder: str) -> InstalledDistribution:
    place = os.path.join(root, folder)
    stem = os.path.splitext(folder)[0]
    known = Distribution.at(place)
    return InstalledDistribution(
        normalized(stem.split("-")[0]),
        _version(known),
        place,
        root,
        _text(known, "INSTALLER").strip(),
        _source(known),
        os.path.isfile(os.path.join(place, "RECORD")),
    )


def _text(distribution: Distribution, name: str) -> str:
    """Read a file of the .dist-info; empty if there is none that can be read."""
    try:
        return distribution.read_text(name) or ""
    except (OSError, ValueError):
        return ""


def _version(distribution: Distribution) -> str:
    """Return the version; metadata that is cut off or missing has none."""
    try:
        metadata: Any = distribution.metadata
        return str(metadata["Version"] or "") if metadata else ""
    except (KeyError, OSError, ValueError):
        return ""


def _source(distribution: Distribution) -> str | None:
    """Return the folder of an editable install (PEP 610)."""
    try:
        origin = json.loads(_text(distribution, "direct_url.json") or "{}")
        editable = origin.get("dir_info", {}).get("editable", False)
        return url2pathname(urlparse(origin["url"]).path) if editable else None
    except (ValueError, KeyError, AttributeError, RecursionError):
        return None


def _is_below(path: str, folder: str) -> bool:
    path = os.path.realpath(path)
    return path == folder or path.startswith(os.path.join(folder, ""))
