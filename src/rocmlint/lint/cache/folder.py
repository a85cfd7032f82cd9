"""The folder of a cache: where it may lie, what is written into it, and what is deleted there."""

from __future__ import annotations

import os
import time

from rocmlint.disk.read import read_small
from rocmlint.lazy import compile_lazily
from rocmlint.paths import is_inside, relative

NAME = "rocmlint-3"
"""The folder that a cache makes in the one that it is told, with the number of their format."""
TAG = "CACHEDIR.TAG"
_SIGNATURE = b"""\
Signature: 8a477f597d28d172789f06886806bc55
# This is a cache of rocmlint, which deletes its old files.
"""
RESULTS = compile_lazily(r"[0-9a-f]{32}\.json")
_KEPT = 30 * 24 * 3600
"""Seconds after which the cache of other settings is thrown away."""


def refusal(folder: str, project: str | None) -> str | None:
    """Return in a line why there can be no cache in a folder; None where there can be.

    With ``project`` only its configuration names the folder, which must then lie inside and not
    be reached through a link: whoever can write to a checkout could else have us write anywhere.
    """
    inside = os.path.join(folder, NAME)
    if os.path.islink(inside):
        return f"{inside}: is a symbolic link; running without a cache"
    if project is not None and not _lies_in(folder, project):
        reason = (
            "is a symbolic link or outside the project; running without a cache "
            "(--cache-dir can be anywhere)"
        )
        return f"{folder}: {reason}"
    try:
        names = [name for name in os.listdir(inside) if not name.startswith(".")]
    except OSError:
        return None  # not there yet; whatever else it is, who writes to it tells of it
    if names and not is_ours(inside):
        return f"{inside}: not a rocmlint cache; running without a cache"
    return None


def _lies_in(folder: str, project: str) -> bool:
    """Return whether a path leads into a project, and no part of it there is a link."""
    place = relative(folder, project)
    return os.path.realpath(folder) == os.path.normpath(
        os.path.join(os.path.realpath(project), place)
    ) and is_inside(os.path.abspath(folder), os.path.abspath(project))


def is_ours(inside: str) -> bool:
    """Return whether a folder has the mark of a cache of rocmlint."""
    try:
        return read_small(os.path.join(inside, TAG), len(_SIGNATURE)) == _SIGNATURE
    except OSError:
        return False


def write(path: str, data: bytes) -> None:
    """Write results; make their folder first, known as a cache to git and to backups."""
    from rocmlint.disk.write import replace  # noqa: PLC0415 - a warm run writes nothing

    inside = os.path.dirname(path)
    os.makedirs(inside, exist_ok=True)
    for name, content in ((TAG, _SIGNATURE), (".gitignore", b"*\n")):  # the tag makes it ours
        if not os.path.lexists(os.path.join(inside, name)):
            replace(os.path.join(inside, name), content, durable=False)
    replace(path, data, durable=False)


def forget_old(inside: str) -> None:
    """Delete the results that no run has written for a month."""
    from contextlib import suppress  # noqa: PLC0415 - a warm run writes nothing

    for entry in os.scandir(inside):
        if RESULTS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            with suppress(FileNotFoundError):  # another run may tidy up too
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _KEPT:
                    os.unlink(entry.path)
