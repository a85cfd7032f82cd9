"""Which distributions an interpreter has, what they require, and where some modules are."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import os
import platform
import re
import stat
import sys
import sysconfig
from importlib.metadata import Distribution, distributions
from typing import TYPE_CHECKING, Any

from .. import search
from ..imports.files import locate
from .records import normalized

if TYPE_CHECKING:
    from collections.abc import Iterable

_LARGEST = 5_000_000
_LARGEST_RECORD = 20_000_000
_MOST_REQUIRED = 10_000
_NAME = re.compile(r"[A-Z0-9]|[A-Z0-9][A-Z0-9._-]*[A-Z0-9]", re.ASCII | re.IGNORECASE)
"""Of the specification of metadata."""
_SHOWN = 100
"""Characters of what is not valid."""
_READ = {
    **dict.fromkeys(("METADATA", "PKG-INFO", "requires.txt"), _LARGEST),
    **dict.fromkeys(("INSTALLER", "direct_url.json"), _LARGEST),
    "RECORD": _LARGEST_RECORD,
}
"""The files of a .dist-info that are read, and how many bytes each may have."""
_LEFT_BY_PIP = "~"
"""The names of folders that pip could not remove begin so (``~orch-2.9.0.dist-info``)."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Describe the distributions on sys.path, and the files of the ``modules`` asked for.

    Of several with one name the first counts, as for importlib.metadata; the others are ``hidden``.
    Nothing is imported, so ``modules`` must have no dots. ``environment`` is what markers are
    evaluated with (PEP 508).
    """
    found: dict[str, dict[str, Any]] = {}
    hidden, unreadable, seen = [], [], set()
    for each in distributions(path=search.path()):
        real = os.path.realpath(_place(each))
        if os.path.basename(real).startswith(_LEFT_BY_PIP) or real in seen:
            continue
        seen.add(real)
        try:
            facts = _facts_of(each)
        except Exception as error:  # noqa: BLE001 - one broken dist-info must not hide the others
            unreadable.append(f"{_place(each)}: {type(error).__name__}: {error}")
            continue
        if facts is None:
            unreadable.append(f"{_place(each)}: has no readable METADATA: an incomplete uninstall")
        elif found.setdefault(facts["name"], facts) is not facts:
            hidden.append(facts)
    return {
        "executable": sys.executable,
        "version": sys.version.split()[0],
        "prefix": sys.prefix,
        "managed": _is_managed(),
        "environment": _marker_environment(),
        "distributions": [found[name] for name in sorted(found)],
        "hidden": hidden,
        "unreadable": unreadable,
        "modules": {name: _file_of(name) for name in request.get("modules", ())},
    }


def _is_managed() -> bool:
    """Return whether the system's package manager keeps pip out (PEP 668)."""
    marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return sys.prefix == sys.base_prefix and os.path.isfile(marker)


def _facts_of(distribution: Distribution) -> dict[str, Any] | None:
    _check_files(_place(distribution))
    metadata: Any = distribution.metadata
    if not metadata or not metadata["Name"] or not metadata["Version"]:
        return None
    _check_words(str(metadata["Name"]), str(metadata["Version"]))
    requires = distribution.requires or ()
    if len(requires) > _MOST_REQUIRED:
        message = f"it has more than {_MOST_REQUIRED:,} requirements"
        raise ValueError(message)
    record = distribution.read_text("RECORD")
    place = _place(distribution)
    return {
        "name": normalized(metadata["Name"]),
        "version": str(metadata["Version"]),
        "requires": [str(each) for each in requires],
        "requires_python": str(metadata["Requires-Python"] or ""),
        "place": place,
        "installer": (distribution.read_text("INSTALLER") or "").strip(),
        "direct_url": distribution.read_text("direct_url.json") or "",
        "changed": _changed(place),
        "record": None if record is None else digest_of_record(record),
    }


def _check_words(name: str, version: str) -> None:
    """Raise ValueError for what no installer takes: the package would be one that nobody knows."""
    if not _NAME.fullmatch(name):
        message = f"its METADATA has the name {name[:_SHOWN]!r}, which is not valid"
        raise ValueError(message)
    if len(version) > _SHOWN or not version.isprintable():
        message = f"its METADATA has the version {version[:_SHOWN]!r}, which is not valid"
        raise ValueError(message)


def _check_files(place: str) -> None:
    """Raise OSError for what importlib.metadata would read and wait for, or read for ever.

    Also for what this user may not read, which importlib.metadata takes for what is not there. An
    .egg-info may be a file itself.
    """
    if not os.path.isdir(place):
        _check_file(place, _LARGEST)
        return
    os.listdir(place)
    for name, limit in _READ.items():
        _check_file(os.path.join(place, name), limit)


def _check_file(path: str, limit: int) -> None:
    try:
        about = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    if about.st_size > limit:
        raise OSError(errno.EFBIG, f"larger than {limit // 1_000_000} MB", path)
    os.close(os.open(path, os.O_RDONLY))


def _place(distribution: Distribution) -> str:
    """Return the .dist-info or .egg-info; empty for what is not a folder (an archive)."""
    path = getattr(distribution, "_path", None)
    return "" if path is None else str(path)


def _changed(place: str) -> float | None:
    """Return when the .dist-info was last written to, in seconds since 1970: at its install."""
    try:
        return os.stat(place).st_mtime
    except OSError:
        return None


def digest_of_record(text: str) -> str:
    """Hash what a RECORD says of the package's own files: the same for the same wheel.

    What an installer adds is left out: its own notes in the .dist-info, scripts and bytecode.
    """
    rows = _rows(text)
    kept = sorted(f"{path},{digest}" for path, digest in rows if digest and _is_of_the_wheel(path))
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


def _rows(text: str) -> Iterable[tuple[str, str]]:
    for row in csv.reader(io.StringIO(text)):
        if len(row) > 1:
            yield row[0].replace("\\", "/"), row[1]


def _is_of_the_wheel(path: str) -> bool:
    top = path.split("/", 1)[0]
    return not (top.endswith((".dist-info", ".egg-info")) or top == ".." or path.endswith(".pyc"))


def _file_of(module: str) -> str | None:
    """Return the file that an import would execute; None if there is none."""
    try:
        found = locate(module)
    except (ImportError, ValueError):
        return None
    return found[0].origin if found else None


def _marker_environment() -> dict[str, str]:
    """Return the variables of markers, by the dependency specifiers' specification."""
    info = sys.implementation.version
    version = f"{info.major}.{info.minor}.{info.micro}"
    if info.releaselevel != "final":
        version += info.releaselevel[0] + str(info.serial)
    return {
        "implementation_name": sys.implementation.name,
        "implementation_version": version,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": platform.python_version(),
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    }
