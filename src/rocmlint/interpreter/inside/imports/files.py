"""Where imports find a module, and what its file holds, without importing anything."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from dataclasses import dataclass
from importlib import machinery
from typing import TYPE_CHECKING, Any, cast
from zipimport import zipimporter

from .. import search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SUFFIXES = (
    *(("extension", suffix) for suffix in machinery.EXTENSION_SUFFIXES),
    *(("source", suffix) for suffix in machinery.SOURCE_SUFFIXES),
    *(("bytecode", suffix) for suffix in machinery.BYTECODE_SUFFIXES),
)
"""In the order in which importlib's FileFinder takes them (``_get_supported_file_loaders``)."""

_KINDS = {
    machinery.ExtensionFileLoader: "extension",
    machinery.SourceFileLoader: "source",
    machinery.SourcelessFileLoader: "bytecode",
    machinery.BuiltinImporter: "built-in",
    machinery.FrozenImporter: "frozen",
    zipimporter: "zip",
}
_BLOCK = 1 << 20
_WITHOUT_FIND_MODULE = (3, 12)
_PATH_FINDER: Any = machinery.PathFinder
_finder_of_entry = _PATH_FINDER._path_importer_cache  # noqa: SLF001
"""The cache of PathFinder; a replaced pkgutil.get_importer would not change imports."""
_OWN = {"name", "path", "archive", "prefix", "_files", "_path", "_package", "_path_finder"}
"""The attributes of Python's own loaders; with another one an object may do something else."""


@dataclass(frozen=True)
class ModuleCopy:
    """One place where a module can be found.

    ``kind`` is extension, source, bytecode (without source), zip, namespace, built-in, frozen, or
    other (a loader that Python does not have). ``origin`` is the file (below the archive for a
    zip; None for a namespace and what is in the interpreter), ``root`` the folder or archive that
    holds the top-level package, ``locations`` where its submodules are looked for.
    """

    module: str
    kind: str
    origin: str | None
    loader: str
    root: str | None
    locations: tuple[str, ...] | None = None


def locate(module: str, path: list[str] | None = None) -> list[ModuleCopy]:
    """Find every copy of a module, the one that an import takes first; empty if there is none.

    Nothing is imported, no parent package either. Without ``path`` all finders of the interpreter
    are asked, as an import does; with it only that list is searched, as ``sys.path`` is.
    """
    winner, others = winner_and_others(module, path)
    return [winner, *others] if winner else []


def winner_and_others(
    module: str, path: list[str] | None = None
) -> tuple[ModuleCopy | None, list[ModuleCopy]]:
    """Do what ``locate`` does, with the copies that are there although an import finds none."""
    winner = _copy(module, _chain(module, path))
    found = [winner] if winner else []
    for entry in search.path() if path is None else path:
        for copy in _copies_below(module, entry):
            if all((copy.origin, copy.locations) != (it.origin, it.locations) for it in found):
                found.append(copy)
    return winner, found[1:] if winner else found


def winners(module: str) -> list[ModuleCopy]:
    """Return what an import takes for each parent of a module and for itself; empty if it fails."""
    chain = _chain(module, None)
    names = [module.rsplit(".", end)[0] for end in range(len(chain) - 1, -1, -1)]
    return [_copy(name, chain[: end + 1]) for end, name in enumerate(names)]  # type: ignore[misc]


def found_below(module: str, folders: list[str]) -> str | None:
    """Return the file that is found for a submodule if its package looks in these folders."""
    spec = _find(module, folders)
    return spec.origin if spec is not None and spec.has_location else None


def importer_of(copy: ModuleCopy) -> Any:
    """Return the importer of the archive's folder that a module was found in."""
    folder = os.path.dirname(cast("str", copy.origin))
    return _finder_of_entry(os.path.dirname(folder) if copy.locations else folder)


def source_in_archive(copy: ModuleCopy) -> str:
    """Return the path of the source below an archive, also where its bytecode is taken."""
    return os.path.splitext(cast("str", copy.origin))[0] + ".py"


def text_of(copy: ModuleCopy) -> bytes:
    """Read the source of a module, also out of an archive. Raises OSError."""
    if copy.kind == "zip":
        return cast("bytes", importer_of(copy).get_data(source_in_archive(copy)))
    with open(cast("str", copy.origin), "rb") as file:
        return file.read()


def sha256_of(path: str) -> str:
    """Return the hash of a regular file in hexadecimal. Raises OSError."""
    return digest_of(path, "sha256").hex()


def digest_of(path: str, algorithm: str) -> bytes:
    """Hash a regular file, a piece at a time. Raises OSError."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would never end
        raise OSError(errno.EINVAL, "is not a regular file", path)
    hashed = hashlib.new(algorithm)
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            hashed.update(block)
    return hashed.digest()


def _chain(module: str, path: list[str] | None) -> list[machinery.ModuleSpec]:
    """Find the module and its parents, the outermost first; empty if one of them is missing."""
    specs: list[machinery.ModuleSpec] = []
    where = path
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        asked_all = path is None
        spec = _find(name, where) if asked_all else _find_on(name, where or ())
        if spec is None:
            return []
        specs.append(spec)
        where = _looked_below(name, spec, asked_all) or []
    return specs


def _find(name: str, where: list[str] | None) -> machinery.ModuleSpec | None:
    """Ask all finders, as an import does; ``where`` is the parent's path."""
    for finder in sys.meta_path:
        if finder is machinery.PathFinder:
            spec = _find_on(name, search.path() if where is None else where)
        else:
            spec = _asked(finder, name, where)
        if spec is not None:
            return spec
    return None


def _asked(finder: Any, name: str, where: list[str] | None) -> machinery.ModuleSpec | None:
    with search.followed():
        if hasattr(finder, "find_spec"):
            return cast("machinery.ModuleSpec | None", finder.find_spec(name, where, None))
        return _asked_of_old(finder, name, where)


def _asked_of_old(finder: Any, name: str, where: list[str] | None) -> machinery.ModuleSpec | None:
    """Ask a finder of the protocol before PEP 451, which Python 3.12 no longer knows."""
    if sys.version_info >= _WITHOUT_FIND_MODULE or not hasattr(finder, "find_module"):
        return None
    loader = finder.find_module(name, where)
    return None if loader is None else machinery.ModuleSpec(name, loader)


def _of_entry(finder: Any, name: str) -> machinery.ModuleSpec | None:
    """Ask the finder of one folder or archive, as PathFinder does."""
    if hasattr(finder, "find_spec"):
        return cast("machinery.ModuleSpec | None", finder.find_spec(name))
    if finder is None or sys.version_info >= _WITHOUT_FIND_MODULE:
        return None
    loader, portions = None, []
    if hasattr(finder, "find_loader"):
        loader, portions = finder.find_loader(name)
    elif hasattr(finder, "find_module"):
        loader = finder.find_module(name)
    if loader is None and not portions:
        return None
    spec = machinery.ModuleSpec(name, loader)
    spec.submodule_search_locations = portions or None
    return spec


def _find_on(name: str, path: Iterable[str]) -> machinery.ModuleSpec | None:
    """Do what PathFinder does, which itself needs the parent of a namespace to be imported."""
    portions: list[str] = []
    for entry in path:
        finder = _finder_of_entry(entry) if isinstance(entry, str) else None
        spec = _of_entry(finder, name)
        if spec is None:
            continue
        if spec.loader is not None:
            return spec
        portions += _locations(spec) or []
    if not portions:
        return None
    namespace = machinery.ModuleSpec(name, None, is_package=True)
    namespace.submodule_search_locations = portions
    return namespace


def _looked_below(name: str, spec: machinery.ModuleSpec, asked_all: bool) -> list[str] | None:
    """Return where submodules are looked for: on the path of a package that is loaded already."""
    loaded = sys.modules.get(name) if asked_all else None
    path = getattr(loaded, "__path__", None)
    return _locations(spec) if path is None else list(path)


def _locations(spec: machinery.ModuleSpec) -> list[str] | None:
    found = spec.submodule_search_locations
    return None if found is None else list(found)


def _copy(module: str, chain: list[machinery.ModuleSpec]) -> ModuleCopy | None:
    if not chain:
        return None
    spec = chain[-1]
    locations = _locations(spec)
    namespace = spec.loader is None or (locations is not None and not spec.has_location)
    kind = "namespace" if namespace else _kind(spec.loader)
    origin = spec.origin if spec.has_location else None
    if kind in {"source", "bytecode", "extension"}:
        origin = cast("Any", spec.loader).path  # what it reads, whatever the spec says
    return ModuleCopy(
        module,
        kind,
        origin,
        f"{_type_of(spec.loader).__module__}.{_type_of(spec.loader).__qualname__}",
        _root(chain[0]),
        None if locations is None else tuple(locations),
    )


def _kind(loader: object) -> str:
    kind = _KINDS.get(_type_of(loader), "other")
    own = isinstance(loader, type) or getattr(loader, "__dict__", {}).keys() <= _OWN
    return kind if own else "other"


def _type_of(loader: object) -> Any:
    """Return the class of a loader; some loaders are classes themselves."""
    return loader if isinstance(loader, type) else type(loader)


def _root(top: machinery.ModuleSpec) -> str | None:
    locations = _locations(top)
    inner = locations[0] if locations else top.origin if top.has_location else None
    return os.path.dirname(inner) if inner else None


def _copies_below(module: str, entry: str) -> Iterator[ModuleCopy]:
    """Yield what one entry of the path has, also what lies there in the shadow of another file."""
    chain = _chain(module, [entry])
    found = _copy(module, chain)
    if found is None:
        return
    yield found
    parents = chain[:-1]
    folders = (_locations(parents[-1]) or []) if parents else [entry or os.getcwd()]
    name = module.rpartition(".")[2]
    for folder in folders:
        for stem in (os.path.join(folder, name, "__init__"), os.path.join(folder, name)):
            for kind, suffix in _SUFFIXES:
                if os.path.isfile(stem + suffix):
                    is_package = stem.endswith("__init__")
                    locations = (os.path.dirname(stem),) if is_package else None
                    yield ModuleCopy(module, kind, stem + suffix, "", found.root, locations)
