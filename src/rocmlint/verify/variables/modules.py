"""The files that the imports of a file name, found beside it and above it."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from rocmlint.verify.variables.python_reads import PythonFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.verify.variables.program import Program

_LARGEST = 1 << 20
"""Bytes of a file that is only parsed because another one imports it."""
_ABOVE = 6
"""Folders above a file in which the packages that it imports are looked for."""


class Modules:
    """Parses each file once."""

    def __init__(self, others: Mapping[str, str] | None) -> None:
        self._others = others
        self._of: dict[str, PythonFile | None] = {}

    def parsed(self, path: str, source: bytes) -> PythonFile:
        """Parse a file. Raises SyntaxError, ValueError, RecursionError and MemoryError."""
        path = os.path.realpath(path)
        found = self._of.get(path)
        if found is None:
            found = self._of[path] = PythonFile(source, partial(self._imported, path), self._others)
        return found

    def _imported(self, importer: str, module: str, level: int) -> Program | None:
        """Return the file of a module, where an import of it finds one near its importer."""
        parts = [each for each in module.split(".") if each]
        folder = os.path.dirname(importer)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return self._at(os.path.join(folder, *parts))
        for _ in range(_ABOVE if parts else 0):
            if found := self._at(os.path.join(folder, *parts)):
                return found
            folder = os.path.dirname(folder)
        return None

    def _at(self, base: str) -> PythonFile | None:
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            if path not in self._of:
                self._of[path] = self._read(path)
            if found := self._of[path]:
                return found
        return None

    def _read(self, path: str) -> PythonFile | None:
        try:
            if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
                return None
            with open(path, "rb") as file:
                return self.parsed(path, file.read())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
