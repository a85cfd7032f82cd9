"""How an import treats the bytecode of a source file: it runs that, or compiles the source."""

from __future__ import annotations

import _imp
import importlib.util
import marshal
import os
import warnings
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

_HEADER = 16
_HASH_BASED, _CHECKED = 1, 2
"""Flags of the header (PEP 552)."""


@dataclass(frozen=True)
class Execution:
    """The code that runs when a source file is imported.

    ``bytecode`` is the .pyc that this interpreter looks for (None: it looks for none), ``kind``
    how that is tied to its source: "none" (there is no such file), "timestamp", "checked hash",
    "unchecked hash" or "unreadable" (of another Python, or cut off: passed over). ``used`` says
    whether it runs instead of the source, ``same`` whether what runs is the source's code, and
    ``error`` why the import fails.
    """

    bytecode: str | None
    kind: str
    used: bool
    same: bool
    error: str | None = None


def execution_of(source: str) -> Execution:
    """Return what an import of a source file would run, by the rules of ``SourceLoader.get_code``.

    Raises OSError where the source cannot be read.
    """
    status = os.stat(source)
    with open(source, "rb") as file:
        text = file.read()
    try:
        code = compiled(text, source)
    except (SyntaxError, ValueError) as error:  # ValueError: null bytes
        return Execution(None, "none", used=False, same=False, error=f"does not compile: {error}")
    path, data = _cached(source)
    kind = _kind(data)
    if data is None or not _is_used(data, kind, status, text):
        return Execution(path, kind, used=False, same=True)
    try:
        cached = marshal.loads(data[_HEADER:])  # noqa: S302 - as the import would; nothing runs
    except Exception as error:  # noqa: BLE001 - changed bytes give any (SystemError, for one)
        return Execution(path, kind, used=True, same=False, error=f"{path} is broken: {error}")
    return Execution(path, kind, used=True, same=_is_same(cached, code))


def runs_bytecode(source: str) -> bool:
    """Return whether an import runs bytecode instead of the source, by its header. Raises OSError.

    Cheap next to ``execution_of``, which compares what that is.
    """
    _, data = _cached(source)
    if data is None:
        return False
    status = os.stat(source)
    kind = _kind(data)
    text = b""
    if kind == "checked hash":
        with open(source, "rb") as file:
            text = file.read()
    return _is_used(data, kind, status, text)


def _is_same(cached: Any, code: CodeType) -> bool:
    """Compare code; a constant that is not equal to itself (inf - inf) needs a second look.

    Format 2 of marshal is the last that depends on nothing but the values.
    """
    try:
        return bool(cached == code) or marshal.dumps(cached, 2) == marshal.dumps(code, 2)
    except ValueError:  # a constant that is newer than format 2
        return False


def compiled(text: bytes, path: str) -> CodeType:
    """Compile a source as an import does. Raises SyntaxError or ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # typeshed knows of no loader that compiles text it has not read itself
        code: CodeType = SourceFileLoader("", path).source_to_code(text, path)
    return code


def _cached(source: str) -> tuple[str | None, bytes | None]:
    """Return the place of the bytecode for this interpreter and its -O, and what it holds."""
    try:
        path = importlib.util.cache_from_source(source)
    except NotImplementedError:  # an interpreter without a cache tag
        return None, None
    try:
        with open(path, "rb") as file:
            return path, file.read()
    except OSError:
        return path, None


def _kind(data: bytes | None) -> str:
    if data is None:
        return "none"
    flags = _word(data, 4)
    if data[:4] != importlib.util.MAGIC_NUMBER or len(data) < _HEADER:
        return "unreadable"
    if flags & ~(_HASH_BASED | _CHECKED):
        return "unreadable"
    if not flags & _HASH_BASED:
        return "timestamp"
    return "checked hash" if flags & _CHECKED else "unchecked hash"


def _is_used(data: bytes, kind: str, status: os.stat_result, text: bytes) -> bool:
    if kind == "unreadable":
        return False
    if kind == "timestamp":
        # Both in 32 bits, the time in whole seconds: a file of the same size that is written in
        # the same second, or keeps its old time, is taken for the old one.
        stamp = (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
        return (_word(data, 8), _word(data, 12)) == stamp
    policy = _imp.check_hash_based_pycs  # default, always or never
    if policy == "always" or (policy == "default" and kind == "checked hash"):
        return data[8:_HEADER] == importlib.util.source_hash(text)
    return True


def _word(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "little")
