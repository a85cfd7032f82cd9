"""Manifests: which files of a package are patched, and which functions are those of a file."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from rocmlint.config.file import ConfigPlace, parsed_toml
from rocmlint.config.option import did_you_mean
from rocmlint.disk.read import read_small
from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside.imports.files import sha256_of
from rocmlint.text.text import with_plain_ends
from rocmlint.text.written import requirement_of
from rocmlint.verify.manifest.function_entries import (
    ManifestFunction,
    function_problem,
    name_problem,
    repeated,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
"""Of the format; a manifest of another one is refused."""

_KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset({"version", "package", "file", "function"}),
    "package": frozenset({"name", "requires"}),
    "file": frozenset({"path", "sha256"}),
    "function": frozenset({"name", "file", "function", "sha256"}),
}
_LARGEST = 40_000_000
"""Bytes: 200,000 files."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HASH_FORM = "must be 64 digits 0-9a-f"
_HEAD = "# Written by rocmlint verify manifest."
_OF_FILES = " Paths are relative to the package's parent directory."
_OF_FUNCTIONS = " Files of functions are relative to this file's directory."


@dataclass(frozen=True)
class ManifestFile:
    """A file as it must be: ``path`` from the folder that holds the package, with ``/``."""

    path: str
    sha256: str

    @property
    def module(self) -> str | None:
        """The module name by which the file is imported; None for what is not Python source."""
        stem, extension = os.path.splitext(self.path)
        parts = stem.split("/")
        if parts[-1] == "__init__":
            parts.pop()
        is_module = extension == ".py" and parts and all(each.isidentifier() for each in parts)
        return ".".join(parts) if is_module else None


@dataclass(frozen=True)
class Manifest:
    """The patch of one package, or the functions that a program replaces.

    ``package`` is the name it is installed under (empty where there are no files), ``requires`` the
    versions that the patch is made for ("==4.53.2", PEP 440; empty for any). ``path`` is where the
    manifest was read.
    """

    package: str
    requires: str
    files: tuple[ManifestFile, ...]
    functions: tuple[ManifestFunction, ...] = ()
    path: str = field(default="", compare=False)

    def requests(self) -> list[dict[str, Any]]:
        """Return what a process is asked about the functions."""
        return [each.request(os.path.dirname(self.path)) for each in self.functions]


def read(path: str) -> Manifest:
    """Read a manifest. Raises ConfigError with the place of what is wrong with it."""
    try:
        text = with_plain_ends(read_small(path, _LARGEST).decode())
    except (OSError, ValueError) as error:
        message = f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(message) from error
    return replace(_checked(parsed_toml(text, path), ConfigPlace(path, text)), path=path)


def write(path: str, manifest: Manifest) -> None:
    """Write a manifest, whole or not at all. Raises ConfigError."""
    try:
        write_atomically(path, as_toml(manifest).encode())
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error


def as_toml(manifest: Manifest) -> str:
    """Return the text of a manifest."""
    about = (_OF_FILES if manifest.files else "") + (_OF_FUNCTIONS if manifest.functions else "")
    lines = [_HEAD + about, f"version = {VERSION}"]
    if manifest.package:
        lines += ["", "[package]", f"name = {_quoted(manifest.package)}"]
        lines += [f"requires = {_quoted(manifest.requires)}"]
    for each in manifest.files:
        lines += ["", "[[file]]", f"path = {_quoted(each.path)}"]
        lines += [f"sha256 = {_quoted(each.sha256)}"]
    for function in manifest.functions:
        lines += ["", *lines_of(function)]
    return "\n".join(lines) + "\n"


def lines_of(function: ManifestFunction) -> list[str]:
    """Return the lines of one ``[[function]]``."""
    keys = ("name", "file", "function", "sha256")
    values = [(key, getattr(function, key)) for key in keys]
    return ["[[function]]", *(f"{key} = {_quoted(value)}" for key, value in values if value)]


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
    functions = tuple(_functions(_tables(document, "function", place), place))
    tables = _tables(document, "file", place)
    if not (tables or functions):
        message = "no [[file]] and no [[function]]: nothing would be checked"
        raise place.error(message, "file")
    package, requires = "", ""
    if tables or "package" in document:
        package, requires = _package(document.get("package"), place)
    files = tuple(_files(tables, place))
    modules = {each.module: each.path for each in files}
    for each in functions:
        if each.module in modules:
            message = (
                f"{each.name!r}: its module is the [[file]] {modules[each.module]!r} too: a file "
                "is checked with all of its functions, so keep one of the two"
            )
            raise place.error(message, each.name)
    return Manifest(package, requires, files, functions)


def _tables(document: Mapping[str, Any], key: str, place: ConfigPlace) -> list[dict[str, object]]:
    tables = document.get(key, [])
    if not (isinstance(tables, list) and all(isinstance(each, dict) for each in tables)):
        message = f"{key} must be written as [[{key}]]"
        raise place.error(message, key)
    return tables


def _package(table: object, place: ConfigPlace) -> tuple[str, str]:
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
    return name, requires


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
            message = f"sha256 of {path!r} {_HASH_FORM}, not {sha256!r}"
            raise here.error(message, sha256)
        seen.add(path)
        yield ManifestFile(path, sha256)


def _functions(tables: list[dict[str, object]], place: ConfigPlace) -> list[ManifestFunction]:
    found = []
    for number, table in enumerate(tables, 1):
        here = place._replace(name=f"{place.name}: function {number}")
        _check_keys(table, "function", here)
        name, file = (_string(table, key, here) for key in ("name", "file"))
        function, sha256 = (
            _string(table, key, here) if key in table else "" for key in ("function", "sha256")
        )
        for key, value, problem in (
            ("name", name, name_problem(name)),
            ("file", file, _path_problem(file, "the manifest")),
            ("function", function, function_problem(function) if function else None),
            ("sha256", sha256, None if _SHA256.fullmatch(sha256 or "0" * 64) else _HASH_FORM),
        ):
            if problem:
                raise here.error(f"{key} {value!r}: {problem}", value)
        found.append(ManifestFunction(name, file, function, sha256))
    for each in repeated(found):
        message = f"name {each.name!r} is listed twice"
        raise place.error(message, each.name)
    return found


def _path_problem(path: str, start: str = "the package") -> str | None:
    """Return why a manifest cannot have a path: it must stay in the folder it begins at."""
    if not path.isprintable() or "\\" in path or ":" in path:
        return "must be made of printable characters other than \\ and :"
    if path.startswith("/"):
        return f"must be relative to the directory that contains {start}"
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
