"""Which files were renamed between two versions of a project, as git sees it: by their content."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from rocmlint.git.command import Git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BEFORE, _AFTER = "a", "b"
_HOW = ("--no-index", "--raw", "-z", "--find-renames", "--no-ext-diff", "--no-textconv")
_DIFFERENT = 1
"""The exit code of ``git diff --no-index`` for files that differ."""


def renames(gone: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    """Return the old path of each added file that git takes for a renamed one.

    Both map the path of a file in the project to where its content is. The files are compared in a
    folder of their own, outside the repository, whose configuration does not apply there.
    """
    if not (gone and added):
        return {}
    with tempfile.TemporaryDirectory(prefix="rocmlint-") as folder:
        for name, files in ((_BEFORE, gone), (_AFTER, added)):
            _copy(files, os.path.join(folder, name))
        answer = Git(folder).ask("diff", *_HOW, _BEFORE, _AFTER)
    return dict(_pairs(answer.output)) if answer.code == _DIFFERENT else {}


def _copy(files: Mapping[str, str], folder: str) -> None:
    os.mkdir(folder)
    for path, content in files.items():
        with suppress(OSError):
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copyfile(content, place)


def _pairs(listed: bytes) -> Iterable[tuple[str, str]]:
    """Yield the new path and the old one of each rename in git's raw format."""
    fields = iter(listed.split(b"\0"))
    for about in fields:
        if not about:
            continue
        first = next(fields, b"")
        if about.rpartition(b" ")[2].startswith(b"R"):
            second = next(fields, b"")
            yield _path(second, _AFTER), _path(first, _BEFORE)


def _path(name: bytes, folder: str) -> str:
    return os.fsdecode(name).removeprefix(f"{folder}/").replace("/", os.sep)
