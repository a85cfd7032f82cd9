"""Whether the files that a script copies lie in the project."""

from __future__ import annotations

import difflib
import os
import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import File

    from ._installed_files import Change

_UNKNOWN = re.compile(r"[$*?\[{`~]")
_SIMILAR = 0.85


def is_there(change: Change, file: File) -> bool:
    """Files that lie in the project, that the script makes, or that it tests for."""
    name = _name(change)
    if not name or any(file.exists(os.path.join(each, name)) for each in _folders(change, file)):
        return True
    target = posixpath.basename(change.brought.target.inside) if change.brought else ""
    mentioned = len(re.findall(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", file.text))
    return mentioned > 1 + (target == name)


def similar_file(change: Change, file: File) -> tuple[str, str] | None:
    """Return the name of a missing file and that of the file that is probably meant."""
    name = _name(change)
    for folder in _folders(change, file):
        names = [each for each in file.names_in(folder) if each.endswith(".py")]
        if found := difflib.get_close_matches(name, names, 1, _SIMILAR):
            return name, found[0]
    return None


def _name(change: Change) -> str:
    """Return the name of the one module that is copied from a written relative path, else ""."""
    sources = change.brought.sources if change.brought else ()
    if len(sources) != 1 or _UNKNOWN.search(sources[0]) or posixpath.isabs(sources[0]):
        return ""
    name = posixpath.basename(sources[0])
    return name if name.endswith(".py") else ""


def _folders(change: Change, file: File) -> Iterator[str]:
    """Yield the folders of the project where the copied file may lie.

    The script may run in its own folder or in the project's; where ``cd`` leads may be outside.
    """
    source = change.brought.sources[0] if change.brought else ""
    led = change.brought.folder if change.brought else ""
    for base in (os.path.dirname(os.path.abspath(file.path)), file.root):
        for inside in dict.fromkeys((led, "")):
            folder = os.path.normpath(os.path.join(base, inside, posixpath.dirname(source)))
            if file.exists(folder):
                yield folder
