"""The lines of the files that findings point into, read again when something asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Lines:
    """The lines of files; the last file asked for is kept, since findings come sorted by path."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        """Take the texts of files that must not be read from disk, such as standard input."""
        self._texts = texts or {}
        self._path: str | None = None
        self._lines: Sequence[str] = ()

    def lines_of(self, path: str) -> Sequence[str]:
        """Return the lines of a file, line n at ``n - 1``; none where it cannot be read."""
        if path != self._path:
            self._path, self._lines = path, self._read(path)
        return self._lines

    def _read(self, path: str) -> Sequence[str]:
        if path in self._texts:
            return self._texts[path].split("\n")
        from rocmlint.disk.read import MAXIMUM_READ, read_small  # noqa: PLC0415
        from rocmlint.source.decoding import text_of  # noqa: PLC0415 - a clean run reads nothing again

        try:
            return text_of(path, read_small(path, MAXIMUM_READ)).split("\n")
        except (OSError, SyntaxError, ValueError):
            return ()
