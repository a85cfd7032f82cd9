"""The file format of the names: a head and pieces, each compressed JSON that is read when needed.

The first line is "rocmlint-names 1 LENGTH"; LENGTH bytes of head follow, then the pieces. The head
lists where each piece lies. tools/pack_names.py writes these files, rocmlint.published.names reads
them. Nothing in them is ever run.
"""

from __future__ import annotations

import errno
import json
import os
import zlib
from typing import Any

from rocmlint.errors import RocmlintError

MAGIC = b"rocmlint-names 1 "
FOLDER = os.path.join(os.path.dirname(__file__), "data", "names")


class NamesDamagedError(RocmlintError):
    """A file of names cannot be read as what it should be."""


class NameFile:
    """One file of names; pieces are read and kept when they are first asked for."""

    def __init__(self, path: str) -> None:
        """Read the head.

        Raises:
            FileNotFoundError: there is no such file, nor can there be one of that name.
            NamesDamagedError: it is not a file of names, or it is cut or changed.
        """
        self.path = path
        self._kept: dict[str, dict[str, Any]] = {}
        try:
            with open(path, "rb") as file:
                first = file.readline(64)
                if not first.startswith(MAGIC):
                    raise self._damaged("another format")
                length = int(first[len(MAGIC) :])
                self.head = self._value(file.read(length))
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) == errno.ENAMETOOLONG:
                raise FileNotFoundError(path) from error
            raise self._damaged(str(error)) from error
        self._begin = len(first) + length
        self._places: dict[str, list[int]] = self.head["pieces"]

    def __contains__(self, name: str) -> bool:
        """Whether there is a piece of that name."""
        return name in self._places

    def names(self) -> list[str]:
        """Return the names of all pieces."""
        return list(self._places)

    def piece(self, name: str) -> dict[str, Any]:
        """Return a piece by its name.

        Raises:
            NamesDamagedError: it cannot be read.
        """
        if name not in self._kept:
            try:
                self._kept[name] = self._value(self._packed(name))
            except ValueError as error:
                raise self._damaged(str(error)) from error
        return self._kept[name]

    def mentions(self, name: str, word: str) -> bool:
        """Return whether a piece contains a word of ASCII; that is faster than reading it.

        Raises:
            NamesDamagedError: it cannot be read.
        """
        try:
            return word.encode() in zlib.decompress(self._packed(name))
        except zlib.error as error:
            raise self._damaged(str(error)) from error

    def _packed(self, name: str) -> bytes:
        """Return a piece as it is in the file."""
        offset, length = self._places[name]
        try:
            with open(self.path, "rb") as file:
                file.seek(self._begin + offset)
                return file.read(length)
        except OSError as error:
            raise self._damaged(str(error)) from error

    def _value(self, packed: bytes) -> dict[str, Any]:
        """Return what was packed."""
        try:
            value = json.loads(zlib.decompress(packed))
        except zlib.error as error:
            raise self._damaged(str(error)) from error
        if not isinstance(value, dict):
            raise self._damaged("no table")
        return value

    def _damaged(self, why: str) -> NamesDamagedError:
        """Return the error that tells which file it is and what to do."""
        return NamesDamagedError(f"{self.path} is damaged ({why}): reinstall rocmlint")


def write(path: str, head: dict[str, Any], pieces: dict[str, dict[str, Any]]) -> None:
    """Write a file of names; the same content gives the same bytes."""
    bodies = {name: _packed(pieces[name]) for name in sorted(pieces)}
    places, offset = {}, 0
    for name, body in bodies.items():
        places[name] = [offset, len(body)]
        offset += len(body)
    start = _packed({**head, "pieces": places})
    with open(path + ".part", "wb") as file:
        file.write(MAGIC + str(len(start)).encode() + b"\n" + start)
        file.writelines(bodies.values())
    os.replace(path + ".part", path)


def _packed(value: dict[str, Any]) -> bytes:
    """Compressed JSON."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, sort_keys=True)
    return zlib.compress(text.encode(), 9)
