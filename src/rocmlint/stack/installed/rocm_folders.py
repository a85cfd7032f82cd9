"""The version of ROCm in the folders where AMD, distributions and tarballs put it.

AMD's packages and TheRock's tarballs have ``.info/version``; Fedora, openSUSE and Gentoo take it
away and keep the header and the library below /usr, Nix has only the name of the store path.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.stack.installed.rocm_reading import RocmReading, first_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.machine import Machine

_OPT = "/opt/rocm"
_USR = "/usr"
_CORE = re.compile(r"core-(\d+\.\d+)")
"""A version side by side with others, as TheRock's packages install it (TheRock#2728)."""
_SIDE_BY_SIDE = (
    (_OPT, _CORE),
    ("/opt", re.compile(r"rocm-(\d+\.\d+[\d.]*)")),
    ("/usr/lib64/rocm", re.compile(r"rocm-(\d+\.\d+[\d.]*)")),  # Fedora's compat packages
)
_INFO = (".info/version", "core/.info/version")
_DEVELOPMENT = ".info/version-dev"
_HEADERS = ("include/rocm-core/rocm_version.h", "include/rocm_version.h")
_LIBRARY = re.compile(r"librocm-core\.so\.\d+\.\d+\.(\d{1,2})(\d\d)(\d\d)")
"""Its last number is ROCm's version: librocm-core.so.1.0.60402 is of 6.4.2."""
_LIBRARIES = ("lib", "lib64", "lib/x86_64-linux-gnu")
_DEFINED = re.compile(
    r"^\s*#\s*define\s+ROCM_VERSION_(MAJOR|MINOR|PATCH)\s+(\d{1,3})\b", re.ASCII | re.MULTILINE
)
_NUMBERS = ("MAJOR", "MINOR", "PATCH")
_STORE = re.compile(r"/nix/store/[0-9a-z]{32}-(?:rocm-core|clr)-(\d+\.\d+\.\d+)")
_PARTS = ("bin/hipcc", "bin/hipconfig", "bin/rocminfo", "lib/libamdhip64.so", "lib/.hipInfo")
"""A folder with ROCm has at least one of these."""
_PARTLY = "ROCm is partly removed"
UNNAMED = "has parts of ROCm, but no file that names its version"
"""How the problem of a folder begins that is none where something else names the version."""
_LARGEST = 1_000_000
_MOST = 100_000
"""Names of a folder that are looked at: /usr/lib has thousands."""


def named_folders(machine: Machine, seen: set[str]) -> Iterator[RocmReading]:
    """Read the folders that variables name, in the order of torch.utils.cpp_extension.

    ``seen`` are the real paths that were read, by whatever name.
    """
    for name in ("ROCM_HOME", "ROCM_PATH"):
        path = machine.environment.get(name, "")
        folder = machine.path(path)
        if path and not os.path.isdir(folder) and not _is_denied(folder):
            problem = "is not a directory: unset it, or set it to ROCm's directory"
            yield RocmReading(f"${name} = {path}", "file", problem=problem)
        elif path:
            yield from _folder(folder, path, f"${name} = ", seen)


def folders(machine: Machine, seen: set[str]) -> Iterator[RocmReading]:
    """Read /opt/rocm and the folders next to it, and /usr, but none that was ``seen`` already."""
    for path in (_OPT, *_side_by_side(machine)):
        yield from _folder(machine.path(path), path, "", seen)
    if os.path.realpath(machine.path(_USR)) not in seen:
        yield from _elsewhere(machine.path(_USR), _USR)


def _side_by_side(machine: Machine) -> list[str]:
    """Find folders such as /opt/rocm-7.1.0 and /opt/rocm/core-7.14, the newest first."""
    found = []
    for folder, pattern in _SIDE_BY_SIDE:
        names = names_in(machine.path(folder))
        found += [f"{folder}/{name}" for name in names if pattern.fullmatch(name)]
    return sorted(found, key=lambda path: [int(each) for each in re.findall(r"\d+", path)])[::-1]


def _folder(folder: str, path: str, said: str, seen: set[str]) -> Iterator[RocmReading]:
    """Read the version below a folder that is one of ROCm, or say why it has none."""
    if os.path.realpath(folder) in seen:
        return
    seen.add(os.path.realpath(folder))
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        yield from _dangling(folder, said + path)
        return
    except OSError as error:
        yield RocmReading(said + path, "file", problem=f"cannot be read: {error.strerror}")
        return
    core = os.path.join(folder, "core")
    yield from _dangling(core, f"{said}{path}/core")
    readings = list(_info(folder, said + path, seen))
    if not any(each.version for each in readings):
        readings = list(_elsewhere(folder, said + path)) or readings
    yield from readings
    if not (readings or os.path.islink(core) or any(map(_CORE.fullmatch, names))):
        yield RocmReading(said + path, "file", problem=_nothing(folder))


def _nothing(folder: str) -> str:
    """Return why a folder without a version has none: ROCm may be whole all the same."""
    if any(os.path.exists(os.path.join(folder, each)) for each in _PARTS):
        return f"{UNNAMED} ({_INFO[0]})"
    return f"has no {_INFO[0]}: {_PARTLY}, or this is not ROCm"


def _info(folder: str, source: str, seen: set[str]) -> Iterator[RocmReading]:
    """Read ``.info/version``, and TheRock's ``core/.info/version``; what is empty says so."""
    for each in _INFO:
        file = os.path.join(folder, each)
        home = os.path.realpath(os.path.join(file, "../.."))
        if _may_be_there(file) and (home not in seen or each == _INFO[0]):
            seen.add(home)
            yield _file(file, f"{source}/{each}")


def _may_be_there(path: str) -> bool:
    return os.path.lexists(path) or _is_denied(path)


def _is_denied(path: str) -> bool:
    """Return whether this user cannot even see if something is there."""
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        return isinstance(error, PermissionError)
    return False


def _elsewhere(folder: str, source: str) -> Iterator[RocmReading]:
    """Read the first other place below a folder that names the version."""
    for where, version in _named_versions(folder):
        if version:
            yield RocmReading(f"{source}/{where}" if where else source, "file", version)
            return


def _named_versions(folder: str) -> Iterator[tuple[str, str]]:
    """Yield places below a folder, and the version that each names."""
    yield _DEVELOPMENT, first_version(_text(os.path.join(folder, _DEVELOPMENT)))
    for each in _HEADERS:
        yield each, _defined(_text(os.path.join(folder, each)))
    for library in _LIBRARIES:
        for name in names_in(os.path.join(folder, library)):
            numbers = match.groups() if (match := _LIBRARY.fullmatch(name)) else ()
            yield f"{library}/{name}", ".".join(str(int(each)) for each in numbers)
    yield from _store(folder)


def _defined(header: str) -> str:
    """Return the version that rocm_version.h defines; nothing where a part of it is missing."""
    parts = dict(_DEFINED.findall(header))
    return ".".join(parts[each] for each in _NUMBERS) if parts.keys() == {*_NUMBERS} else ""


def _store(folder: str) -> Iterator[tuple[str, str]]:
    """Yield what Nix's store calls a folder, or what /opt/rocm/hip of NixOS points to."""
    for name in ("", "hip"):
        match = _STORE.search(os.path.realpath(os.path.join(folder, name)))
        if match:
            yield name and f"{name} -> {match[0]}", match[1]


def names_in(folder: str) -> list[str]:
    """Return the names in a folder, but not more than anyone would look at."""
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in islice(entries, _MOST)]
    except (OSError, ValueError):
        return []


def _text(path: str) -> str:
    """Return a small file's text; nothing for one that is missing or cannot be read."""
    try:
        return read_small(path, _LARGEST).decode(errors="replace")
    except OSError:
        return ""


def _dangling(path: str, source: str) -> Iterator[RocmReading]:
    if os.path.islink(path) and not os.path.exists(path):
        gone = f"points to {os.readlink(path)}, which does not exist: {_PARTLY}"
        yield RocmReading(source, "file", problem=gone)


def _file(path: str, source: str) -> RocmReading:
    try:
        text = read_small(path).decode(errors="replace")[:200]
    except OSError as error:
        return RocmReading(source, "file", problem=f"cannot be read: {error.strerror}")
    version = first_version(text)
    if version:
        return RocmReading(source, "file", version)
    said = text.strip().split("\n", 1)[0][:40]
    problem = f"contains {said!r}, which is not a valid version" if said else f"is empty: {_PARTLY}"
    return RocmReading(source, "file", problem=problem)
