"""Manifests: which files of a package are patched, with what content, for which version."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from rocmlint.config.file import ConfigPlace, parsed_toml
from rocmlint.config.option import did_you_mean
from rocmlint.disk.read import read_small
from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside.files import sha256_of
from rocmlint.text.text import with_plain_ends
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
"""Of the format; a manifest of another one is refused."""

_KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset({"version", "package", "file"}),
    "package": frozenset({"name", "requires"}),
    "file": frozenset({"path", "sha256"}),
}
_LARGEST = 40_000_000
"""Bytes: 200,000 files."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HEAD = """\
# Written by rocmlint verify manifest. Paths are relative to the package's parent directory.
"""


@dataclass(frozen=True)
class ManifestFile:
    """A file as it must be: ``path`` from the folder that holds the package, with ``/``."""

    path: str
    sha256: str

    @property
    def module(self) -> str | None:
        """The module that an import makes of the file; None for what is not Python source."""
        stem, extension = os.path.splitext(self.path)
        parts = stem.split("/")
        if parts[-1] == "__init__":
            parts.pop()
        is_module = extension == ".py" and parts and all(each.isidentifier() for each in parts)
        return ".".join(parts) if is_module else None


@dataclass(frozen=True)
class Manifest:
    """The patch of one package.

    ``package`` is the name it is installed under, ``requires`` the versions that the patch is made
    for ("==4.53.2", PEP 440; empty for any).
    """

    package: str
    requires: str
    files: tuple[ManifestFile, ...]


def read(path: str) -> Manifest:
    """Read a manifest. Raises ConfigError with the place of what is wrong with it."""
    try:
        text = with_plain_ends(read_small(path, _LARGEST).decode())
    except (OSError, ValueError) as error:
        message = f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(message) from error
    return _checked(parsed_toml(text, path), ConfigPlace(path, text))


def write(path: str, manifest: Manifest) -> None:
    """Write a manifest, whole or not at all. Raises ConfigError."""
    try:
        write_atomically(path, as_toml(manifest).encode())
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error


def as_toml(manifest: Manifest) -> str:
    """Return the text of a manifest."""
    lines = [f"{_HEAD}version = {VERSION}", "", "[package]"]
    lines += [f"name = {_quoted(manifest.package)}", f"requires = {_quoted(manifest.requires)}"]
    for each in manifest.files:
        lines += ["", "[[file]]", f"path = {_quoted(each.path)}"]
        lines += [f"sha256 = {_quoted(each.sha256)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Write a printable text: those JSON and TOML write alike, but for pairs of surrogates."""
    return json.dumps(text, ensure_ascii=False)


def make(overlay: str, requirement: str, folder: str | None = None) -> Manifest:
    """Make the manifest of a folder of files that are laid over a package.

    ``overlay`` is laid over the package's own folder, or holds a folder of the package's name and
    is laid over what holds the package. ``folder`` is that name where it is not the one in
    ``requirement`` ("transformers==4.53.2"). Raises ConfigError.
    """
    package, requires = _requirement(requirement, ConfigPlace("--package"))
    folder = folder or package.replace("-", "_")
    if problem := _path_problem(folder):
        message = f"--folder {folder}: {problem}"
        raise ConfigError(message)
    prefix = "" if os.path.isdir(os.path.join(overlay, folder)) else f"{folder}/"
    try:
        paths = sorted(_files_below(overlay))
        files = [(prefix + path, sha256_of(os.path.join(overlay, path))) for path in paths]
    except OSError as error:
        message = f"{error.filename or overlay}: cannot be read: {error.strerror}"
        raise ConfigError(message) from error
    if not files:
        message = f"{overlay}: contains no files, so nothing would be checked"
        raise ConfigError(message)
    for path, _ in files:
        if problem := _path_problem(path):
            message = f"{os.path.join(overlay, path)!a}: {problem}"
            raise ConfigError(message)
    return Manifest(package, requires, tuple(ManifestFile(*each) for each in files))


def _files_below(overlay: str) -> Iterator[str]:
    """Yield the files, with ``/``, but for what Python and editors leave behind."""
    for folder, folders, names in os.walk(overlay, onerror=_raise, followlinks=True):
        folders[:] = [each for each in folders if not _is_litter(each)]
        for name in names:
            if not _is_litter(name):
                path = os.path.relpath(os.path.join(folder, name), overlay)
                yield path.replace(os.sep, "/")


def _raise(error: OSError) -> None:
    raise error


def _is_litter(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or name.endswith((".pyc", "~"))


def _checked(document: Mapping[str, Any], place: ConfigPlace) -> Manifest:
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        message = (
            f"version must be {VERSION}, not {version!r}: this version of rocmlint cannot "
            "read the manifest"
        )
        raise place.error(message, "version")
    _check_keys(document, "", place)
    table = document.get("package")
    if not isinstance(table, dict):
        message = "[package] is missing: it names the package that the files belong to"
        raise place.error(message)
    _check_keys(table, "package", place)
    name = _string(table, "name", place)
    if _requirement(name, place) != (name, ""):
        message = f"name {name!r}: must be a name only; put versions into requires"
        raise place.error(message, name)
    requires = _string(table, "requires", place) if table.get("requires") else ""
    try:
        SpecifierSet(requires)
    except InvalidSpecifier as error:
        message = f"requires {requires!r} is not a valid version specifier, such as ==4.53.2"
        raise place.error(message, requires) from error
    files = document.get("file")
    if not (isinstance(files, list) and files and all(isinstance(each, dict) for each in files)):
        message = "no [[file]]: nothing would be checked"
        raise place.error(message, "file")
    return Manifest(name, requires, tuple(_files(files, place)))


def _check_keys(table: Mapping[str, object], where: str, place: ConfigPlace) -> None:
    for key in table:
        if key not in _KEYS[where]:
            near = did_you_mean(key, _KEYS[where])
            message = f"unknown key {key!r}{f' in {where}' if where else ''}{near}"
            raise place.error(message, key)


def _string(table: Mapping[str, object], key: str, place: ConfigPlace) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        message = f"{key} must be a string, not {value!r}" if key in table else f"{key} is missing"
        raise place.error(message, key if key in table else None)
    return value


def _files(tables: list[dict[str, object]], place: ConfigPlace) -> Iterator[ManifestFile]:
    seen = set()
    for number, table in enumerate(tables, 1):
        here = place._replace(name=f"{place.name}: file {number}")
        _check_keys(table, "file", here)
        path, sha256 = (_string(table, key, here) for key in ("path", "sha256"))
        if problem := _path_problem(path):
            raise here.error(f"path {path!r}: {problem}", path)
        if path in seen:
            message = f"path {path!r} is listed twice"
            raise here.error(message, path)
        if not _SHA256.fullmatch(sha256):
            message = f"sha256 of {path!r} must be 64 digits 0-9a-f, not {sha256!r}"
            raise here.error(message, sha256)
        seen.add(path)
        yield ManifestFile(path, sha256)


def _path_problem(path: str) -> str | None:
    """Return why a path may not stand in a manifest: it must stay in the folder it begins at."""
    if not path.isprintable() or "\\" in path or ":" in path:
        return "must be made of printable characters other than \\ and :"
    if path.startswith("/"):
        return "must be relative to the directory that contains the package"
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        return "must not have empty, . or .. parts"
    return None


def _requirement(text: str, place: ConfigPlace) -> tuple[str, str]:
    """Take "transformers==4.53.2" apart."""
    parsed = requirement_of(text)
    if parsed is None:
        message = f"{text!r} is not a valid package and version, such as transformers==4.53.2"
        raise place.error(message)
    if parsed.url or parsed.marker or parsed.extras:
        message = f"{text!r}: only a name and versions are allowed here"
        raise place.error(message)
    return parsed.name, str(parsed.specifier)
