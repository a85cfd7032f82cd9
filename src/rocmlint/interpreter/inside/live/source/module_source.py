"""The source of a loaded module, as the import system would read it now."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from importlib.machinery import (
    SOURCE_SUFFIXES,
    BuiltinImporter,
    ExtensionFileLoader,
    FrozenImporter,
    SourceFileLoader,
    SourcelessFileLoader,
)
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, ModuleType

_NO_SOURCE = (
    (BuiltinImporter, "it is built into the interpreter"),
    (FrozenImporter, "it is frozen into the interpreter"),
    (ExtensionFileLoader, "it is an extension module"),
    (SourcelessFileLoader, "it was loaded from a .pyc file that has no source beside it"),
)
_LOADING = ("exec_module", "get_code", "source_to_code", "get_data", "path_stats")
_TICK = 0.02
"""Seconds by which a time of change may lie too early: the kernel's clock for files ticks."""
_WHOLE_SECOND = 1.0
"""The same on file systems that keep whole seconds only."""


class NoSourceError(Exception):
    """The module has no source to compare it with, and why."""


@dataclass(frozen=True)
class ModuleSource:
    """The source of a module: where it is, and its bytes."""

    path: str
    data: bytes


def loader_of(module: ModuleType | None) -> Any:
    """Return the loader of a module, or None."""
    spec = getattr(module, "__spec__", None)
    return getattr(spec, "loader", None) or getattr(module, "__loader__", None)


def is_made(module: ModuleType | None) -> bool:
    """Return whether a program made what is in ``sys.modules``: it was loaded from no file."""
    loader = loader_of(module)
    is_known = any(loader is kind or isinstance(loader, kind) for kind, _ in _NO_SOURCE)
    return not is_known and _path_of(module) is None


def _path_of(module: ModuleType | None) -> Any:
    spec = getattr(module, "__spec__", None)
    return getattr(spec, "origin", None) or getattr(module, "__file__", None)


def foreign_loading(module: ModuleType) -> str | None:
    """Return where a method of the module's loader is defined, if it is not Python's own.

    Programs replace what reads or compiles sources (``SourceFileLoader.source_to_code``) for all
    modules at once, and the class of the loader still is the one that Python has.
    """
    loader = loader_of(module)
    kind = loader if isinstance(loader, type) else type(loader)
    for name in _LOADING:
        method = getattr(kind, name, None)
        code = getattr(method, "__code__", None)
        if method is not None and isinstance(loader, SourceFileLoader):
            file = "" if code is None else code.co_filename
            if not file.startswith("<frozen importlib"):
                return "what is not Python code" if code is None else _place(code)
    return None


def _place(code: CodeType) -> str:
    return f"{code.co_filename}:{code.co_firstlineno}"


def source_of(module: ModuleType) -> ModuleSource:
    """Read the source that the import system names, also out of an archive.

    Raises NoSourceError.
    """
    spec = getattr(module, "__spec__", None)
    loader = loader_of(module)
    for kind, reason in _NO_SOURCE:
        if loader is kind or isinstance(loader, kind):
            raise NoSourceError(reason)
    path = _path_of(module)
    if path is None:
        if getattr(module, "__path__", None) is not None:
            message = "it is a namespace package: a directory without an __init__.py"
            raise NoSourceError(message)
        message = "it was created by a program, not loaded from a file"
        raise NoSourceError(message)
    try:
        return ModuleSource(path, _read(loader, spec.name if spec else module.__name__, path))
    except (OSError, ImportError, SyntaxError, UnicodeError) as error:
        message = f"its source {path} cannot be read: {error}"
        raise NoSourceError(message) from error


def _read(loader: Any, name: str, path: str) -> bytes:
    is_source = path.endswith(tuple(SOURCE_SUFFIXES)) or isinstance(loader, SourceFileLoader)
    if is_source and hasattr(loader, "get_data"):
        return bytes(loader.get_data(path))
    if hasattr(loader, "get_source"):
        text = loader.get_source(name)
        if text is not None:
            return str(text).encode("utf-8", "surrogatepass")
    if not is_source:
        message = f"{type(loader).__name__} has no source for it"
        raise ImportError(message)
    with open(path, "rb") as file:
        return file.read()


def compiled(source: ModuleSource) -> CodeType:
    """Compile as an import does, at the optimisation level of this process.

    Raises NoSourceError.
    """
    try:
        code: CodeType = compile(source.data, source.path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = f"its source {source.path} does not compile: {error}"
        raise NoSourceError(message) from error
    return code


def loaded_code(module: ModuleType) -> CodeType | None:
    """Return the code that an import would run now; None where the loader does not say.

    It is other code than that of the source where a .pyc is stale but passes for fresh, or where an
    import hook rewrites code. Writes no .pyc.
    """
    loader, spec = loader_of(module), getattr(module, "__spec__", None)
    if spec is None or not hasattr(loader, "get_code"):
        return None
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        code: CodeType | None = loader.get_code(spec.name)
    except Exception:  # noqa: BLE001 - loaders of others raise what they like
        return None
    finally:
        sys.dont_write_bytecode = before
    return code


def changed_since_start(path: str) -> bool | None:
    """Return whether a file was changed, moved or made after this program was started.

    Rests on the time of change of the inode, which copying with times does not set back. None
    where it cannot be known.
    """
    started = _started()
    try:
        changed = os.stat(_on_disk(path)).st_ctime_ns
    except OSError:
        return None
    margin = _TICK if changed % 1_000_000_000 else _WHOLE_SECOND
    return None if started is None else changed / 1e9 > started - margin


def _on_disk(path: str) -> str:
    """Return the archive for a path inside one."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def _started() -> float | None:
    """Return when the running program was started (seconds of the epoch), by Linux's /proc.

    A forked child goes on with what its parent imported, so the start of the parent counts. Both
    have the same auxiliary vector; a program that was executed has one of its own (proc(5)).
    """
    try:
        vector = _bytes("/proc/self/auxv")
        started, parent = _stat("self")
        while _is_forked_from(parent, vector):
            started, parent = _stat(parent)
    except (OSError, ValueError, IndexError):
        return None
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + started


def _is_forked_from(parent: str, vector: bytes) -> bool:
    try:
        return _bytes(f"/proc/{parent}/auxv") == vector
    except OSError:  # it has ended, or is that of another user
        return False


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _stat(pid: str) -> tuple[float, str]:
    """Return the start of a process in seconds since the boot, and its parent."""
    fields = _bytes(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[19]) / os.sysconf("SC_CLK_TCK"), fields[1].decode()
