"""Finding the files that may hold device code, each once however many links lead to it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_NAME = re.compile(r".+\.(so(\.[0-9]+)*|co|hsaco|kpack)", re.DOTALL)


@dataclass(frozen=True)
class FoundFile:
    """A file, or a path that cannot be read."""

    path: str
    root: str
    """The path below which it was looked for; the file itself where that was named."""
    error: str = ""

    @property
    def name(self) -> str:
        """Return the path for a report: below the root, or as it was named."""
        return self.path if self.path == self.root else os.path.relpath(self.path, self.root)


def holds_code_objects(path: str) -> bool:
    """Return whether a file is named like a library or a code object."""
    return bool(_NAME.fullmatch(os.path.basename(path)))


def find_files(
    roots: Sequence[str], wanted: Callable[[str], bool] = holds_code_objects
) -> Iterator[FoundFile]:
    """Yield the files below folders that are wanted by their path, and files named themselves."""
    seen: set[tuple[int, int]] = set()
    for root in roots:
        for each in _below(root, seen, wanted) if os.path.isdir(root) else [FoundFile(root, root)]:
            try:
                status = os.stat(each.path)
            except OSError as error:
                yield FoundFile(each.path, root, error.strerror or "cannot be read")
                continue
            identity = (status.st_dev, status.st_ino)
            if identity not in seen or each.error:
                seen.add(identity)
                yield each


def _below(
    root: str, seen: set[tuple[int, int]], wanted: Callable[[str], bool]
) -> Iterator[FoundFile]:
    """Yield what lies below a folder, in order; links to folders are followed once."""
    refused: list[OSError] = []
    for folder, subfolders, files in os.walk(root, onerror=refused.append, followlinks=True):
        try:
            status = os.stat(folder)
        except OSError as error:
            refused.append(error)
            continue
        if (status.st_dev, status.st_ino) in seen:
            subfolders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        subfolders.sort()
        # A link comes after what it may lead to, so that files are told by their own names.
        paths = [os.path.join(folder, name) for name in sorted(files)]
        for path in sorted(filter(wanted, paths), key=os.path.islink):
            yield FoundFile(path, root)
    for each in refused:
        yield FoundFile(str(each.filename), root, each.strerror or "cannot be read")
